import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Io } from '../../agent/cli/console/io.ts';
import { loadInputs } from '../../agent/cli/inputs/inputs.ts';
import type { InputArguments } from '../../agent/cli/inputs/node-setup.ts';
import { planOfNode } from '../../agent/cli/memory-qos/plan-of-node.ts';
import { desiredValues } from '../../agent/decide/memory-qos-plan.ts';
import { readDifferences } from '../../cgroup/differences.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { evictionThresholds } from '../../config/policy.ts';
import { benchNode } from './fake-node.ts';
import { medians } from './measure.ts';

const SILENT: Io = {
  out: () => undefined,
  err: () => undefined,
  warn: () => undefined,
  isTerminal: false,
  columns: 100,
  env: {},
  signal: new AbortController().signal,
};

const node = benchNode(110, 2);
try {
  const args: InputArguments = { root: node.root, pods: node.pods, cgroupDriver: 'auto', offline: false };
  const inputs = await loadInputs(args, SILENT, { pods: 'required', cgroups: 'required' });
  const { root, kubelet, policy, layout } = inputs;
  if (root === undefined) throw new Error('there is no root');
  const read = () => readCgroupSnapshot(root.cgroups, { layout, reserved: [], workingSets: false });
  const thresholds = evictionThresholds(kubelet, inputs.nodeqos);
  const planned = { ...inputs, policy, thresholds, snapshot: read() };
  const { desired } = desiredValues(planned);
  const tookMs = medians(101, {
    whole: () => void planOfNode(inputs),
    snapshot: () => void read(),
    wanted: () => void desiredValues(planned),
    differences: () => void readDifferences(root.cgroups, desired),
  });
  const line = (what: string, name: string): void => {
    console.log(`  ${what.padEnd(66)} ${(tookMs[name] ?? Number.NaN).toFixed(2).padStart(7)} ms`);
  };
  console.log(`  110 pods of 2 containers, ${desired.length} governed values; one tick of Memory QoS:`);
  line('a whole plan: snapshot, values, order, effective protection', 'whole');
  line('  of that the snapshot', 'snapshot');
  line('what is wanted, when pods or settings changed', 'wanted');
  line('a tick where they did not: the differences alone', 'differences');
} finally {
  rmSync(dirname(node.root), { recursive: true, force: true });
}
