import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { counter, MIB, MOUNT, sleep, until, writeCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { availableMib, Shortage } from './shortage.ts';
import { onNode, removeCgroup, type TestNode } from './test-node.ts';
import { hog, politeHog, type Workload } from './workload.ts';

const STUCK = 'stuck.slice';
/** How far below the threshold. */
const BELOW_MIB = 24;

/** Does something while a process outside of all pods stalls on memory, which the whole machine's pressure shows. */
async function underPressure(act: () => Promise<void>): Promise<void> {
  mkdirSync(`${MOUNT}/${STUCK}`);
  try {
    const stuck = await hog(STUCK, 4);
    writeCgroup(STUCK, 'memory.high', String(5 * MIB));
    stuck.order(20);
    await until(() => counter(STUCK, 'memory.events', 'high') > 5, 'a process that is held back');
    await act();
  } finally {
    await removeCgroup(STUCK);
  }
}

function take(process: Workload, { thresholdMib }: Shortage): void {
  process.order(Math.ceil(availableMib() - thresholdMib) + BELOW_MIB);
}

/** Nobody looks for an hour, and the shortage is there: what ends the sleep is that somebody stalls. */
async function pressureWakes(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await hog(batch.container, 20);
  const shortage = await Shortage.near(node, { options: ['--enforce', '--interval', '1h'] });
  const { agent, thresholdMib } = shortage;
  take(process, shortage);
  await until(() => availableMib() < thresholdMib - BELOW_MIB / 2, 'a shortage');
  await sleep(2000);
  assert.deepEqual(agent.records('evicting'), [], 'it looked although nobody woke it');
  const startedMs = performance.now();
  await underPressure(async () => {
    await agent.recorded('evicting');
    notes(`evicting ${Math.round(performance.now() - startedMs)} ms after the first stall`);
    await shortage.gone();
  });
}

/** What passed until something, in milliseconds. */
interface Latencies {
  readonly record: number;
  readonly signal: number;
  readonly gone: number;
}

const ROUNDS = 3;
/** The kubelet's own. */
const INTERVAL = '10s';

async function round(node: TestNode, shortage: Shortage, index: number): Promise<Latencies> {
  const { agent, thresholdMib } = shortage;
  const batch = node.add({ name: `batch-${index}`, class: 'BestEffort' });
  const process = await politeHog(batch.container, 8);
  take(process, shortage);
  await until(() => availableMib() < thresholdMib, 'a threshold that is crossed');
  const crossedMs = Date.now();
  const since = (time: unknown): number => Math.max(0, Date.parse(String(time)) - crossedMs);
  await until(() => process.says('asked'), 'a process that is asked to end');
  const signal = Date.now() - crossedMs;
  const begun = await agent.recorded('evicting', index + 1);
  const ended = await agent.recorded('eviction', index + 1);
  assert.equal(ended[index]?.['name'], `batch-${index}`);
  assert.equal(ended[index]['outcome'], 'gone');
  node.forget(batch);
  await removeCgroup(batch.cgroup);
  await agent.state(({ conditions }) => conditions.length === 0, 'memory that is back');
  return { record: since(begun[index]?.['time']), signal, gone: since(ended[index]['time']) };
}

function spread(latencies: readonly Latencies[], key: keyof Latencies): string {
  const sorted = latencies.map((one) => one[key]).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${key} ${sorted[0] ?? 0} / ${median} / ${sorted.at(-1) ?? 0}`;
}

/** Nothing of it is asserted but that each round evicts the one it has to. */
async function latencies(node: TestNode, isNative: boolean, notes: Notes): Promise<void> {
  const shortage = await Shortage.near(node, {
    options: ['--enforce', '--interval', INTERVAL],
    agent: { isNative },
  });
  const state = await shortage.agent.state(() => true, 'a state');
  assert.equal(state.agent['psiTrigger'], isNative);
  const all: Latencies[] = [];
  await underPressure(async () => {
    for (let index = 0; index < ROUNDS; index += 1) all.push(await round(node, shortage, index));
  });
  const parts = (['record', 'signal', 'gone'] as const).map((key) => spread(all, key));
  notes(
    `${isNative ? 'with' : 'without'} PSI, interval ${INTERVAL}, ms from the threshold to the ${parts.join(', ')} (least / median / most of ${ROUNDS})`,
  );
}

export const PRESSURE_CASES: readonly KernelCase[] = [
  {
    name: 'a stall on memory ends the sleep of an agent that would look again in an hour, and nothing else does',
    run: (notes) => onNode((node) => pressureWakes(node, notes)),
  },
  {
    name: 'round after round with a trigger on memory pressure the pod that takes memory goes',
    run: (notes) => onNode((node) => latencies(node, true, notes)),
  },
  {
    name: 'round after round without the native part, and so without a trigger, the pod that takes memory goes',
    run: (notes) => onNode((node) => latencies(node, false, notes)),
  },
];
