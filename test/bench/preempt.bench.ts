import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSnapshot, readSnapshotTexts } from '../../agent/observe/snapshot/read-snapshot.ts';
import { planGroupPreemption } from '../../agent/whatif/group/plan-group.ts';
import { planPodPreemption } from '../../agent/whatif/preempt/plan-pod.ts';
import type { PreemptionPlan } from '../../agent/whatif/preempt/preemption-plan.ts';
import type { SchedulerRelease } from '../../agent/whatif/preempt/scheduler-release.ts';
import type { Parsed } from '../../config/result.ts';
import { benchCluster, benchGroup } from './cluster.ts';
import { medians, ratioLine } from './measure.ts';

const ROUNDS = 5;

interface Measured {
  readonly parseMs: number;
  readonly allMs: number;
  readonly planMs: number;
}

/** One pod is planned on a cluster of so many nodes, each full with thirty pods, from a file to the plan. */
function measure(nodes: number, folder: string): Measured {
  const file = join(folder, `${nodes}.json`);
  const pending = writeCluster(nodes, file);
  const { snapshot } = readSnapshot([file]);
  const times = medians(ROUNDS, {
    parse: () => {
      JSON.parse(readFileSync(file, 'utf8'));
    },
    all: () => {
      mustBePlanned(planPodPreemption(readSnapshot([file]).snapshot, pending, '1.37'));
    },
    plan: () => {
      mustBePlanned(planPodPreemption(snapshot, pending, '1.37'));
    },
  });
  return { parseMs: times['parse'] ?? 0, allMs: times['all'] ?? 0, planMs: times['plan'] ?? 0 };
}

/** In a function of its own, so that the text is not held while others are measured. */
function writeCluster(nodes: number, file: string): { readonly namespace: string; readonly name: string } {
  const { text, pending } = benchCluster(nodes);
  writeFileSync(file, text);
  return pending;
}

/** A group of two members a node is planned on a cluster of so many nodes: what that takes of both releases, without reading. */
function measureGroup(nodes: number): Readonly<Record<string, number>> {
  const { text, pending } = benchGroup(nodes);
  const { snapshot } = readSnapshotTexts([{ file: 'group.json', text }]);
  const planned = (release: SchedulerRelease) => () => {
    mustBePlanned(planGroupPreemption(snapshot, { group: pending, release }));
  };
  return medians(ROUNDS, { '1.37': planned('1.37'), '1.36': planned('1.36') });
}

function mustBePlanned(plan: Parsed<PreemptionPlan>): void {
  if (!plan.ok || plan.value.outcome !== 'planned') throw new Error('nothing was planned');
}

const folder = mkdtempSync(join(tmpdir(), 'nodeqos-bench-'));
try {
  const [small, large] = [measure(100, folder), measure(1000, folder)];
  for (const [nodes, { parseMs, allMs, planMs }] of [
    [100, small],
    [1000, large],
  ] as const) {
    const parts = `reading and JSON.parse ${parseMs.toFixed(0)} ms, file to plan ${allMs.toFixed(0)} ms, of it the plan ${planMs.toFixed(0)} ms`;
    console.log(`  ${nodes} nodes, ${nodes * 30} pods: ${parts}`);
    console.log(`    file to plan / reading and JSON.parse: ${(allMs / parseMs).toFixed(2)}`);
  }
  console.log(
    ratioLine('file to plan / reading and JSON.parse, 1,000 nodes', large.allMs / large.parseMs, 2),
  );
  console.log(ratioLine('plan at 1,000 nodes / at 100 nodes', large.planMs / small.planMs, 20));
  const [few, many] = [measureGroup(50), measureGroup(500)];
  for (const release of ['1.37', '1.36']) {
    const [fewMs, manyMs] = [few[release] ?? Number.NaN, many[release] ?? Number.NaN];
    console.log(
      `  group of 100 on 50 nodes ${fewMs.toFixed(0)} ms, of 1,000 on 500 nodes ${manyMs.toFixed(0)} ms`,
    );
    console.log(ratioLine(`plan of a group as ${release} does it, 500 nodes / 50 nodes`, manyMs / fewMs, 20));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
