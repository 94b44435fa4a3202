import assert from 'node:assert/strict';
import { counter, MIB, numberIn, readCgroup, sleep, until, writeCgroup } from './machine.ts';
import type { TestPod } from './pod.ts';
import { reclaimAll } from './reclaim.ts';
import type { KernelCase, Notes } from './result.ts';
import { onNode, type TestNode } from './test-node.ts';
import { fillTo, hog, readFileIn } from './workload.ts';

/** Microseconds in which some process of a cgroup waited for memory. */
function stallUs(cgroup: string): number {
  return Number(/some .*total=(\d+)/.exec(readCgroup(cgroup, 'memory.pressure'))?.[1]);
}

/** How long a hog is watched that must not come further. */
const WATCH_MS = 3000;

async function throttledBesideGuaranteed(node: TestNode, notes: Notes): Promise<void> {
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '48Mi', limit: '48Mi' });
  const greedy = node.add({ name: 'greedy', class: 'Burstable', request: '16Mi', limit: '64Mi' });
  node.configureKubelet({ memoryThrottlingFactor: 0.5 });
  await fillTo(till.container, 40);
  await node.document('apply');
  const high = numberIn(greedy.container, 'memory.high');
  assert.equal(high, 40 * MIB);

  const process = await hog(greedy.container, 16);
  assert.equal(counter(greedy.container, 'memory.events', 'high'), 0);
  process.order(40);
  await until(() => counter(greedy.container, 'memory.events', 'high') > 0, 'an event of memory.high');
  const stalledBefore = stallUs(greedy.cgroup);
  await reclaimAll();
  await sleep(WATCH_MS);
  const stalled = stallUs(greedy.cgroup) - stalledBefore;
  const current = numberIn(greedy.container, 'memory.current');
  notes(
    `hog at ${(current / MIB).toFixed(1)} MiB over a high of ${high / MIB}, stalled ${Math.round(stalled / 1000)} ms of ${WATCH_MS}`,
  );
  assert.ok(stalled > 0, 'the hog does not wait');
  assert.ok(process.isRunning, 'throttled is not killed');
  assert.equal(counter(greedy.container, 'memory.events', 'oom_kill'), 0);
  assert.equal(process.says('has 56\n'), false, 'the hog came to its end as if there were no limit');
  assert.ok(numberIn(till.container, 'memory.current') >= 37 * MIB, 'the Guaranteed pod lost its memory');
  assert.equal(counter(till.cgroup, 'memory.events', 'high'), 0);

  const reset = await node.nodeqos('reset');
  assert.equal(reset.status, 0, reset.stderr);
  await until(() => process.says('has 56\n'), 'the hog comes to its end once the limit is gone');
}

/**
 * A Guaranteed pod under its own limit, whose sandbox takes a part of it: the pod is full before the container is, and for
 * reclaim in the pod the container's min counts whole.
 */
async function readerUnderItsLimit(node: TestNode): Promise<TestPod> {
  const pod = node.add({ name: 'reader', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  writeCgroup(pod.cgroup, 'memory.max', String(64 * MIB));
  writeCgroup(pod.container, 'memory.max', String(64 * MIB));
  await hog(pod.sandbox, 2);
  return pod;
}

async function pageCacheUnderKubelet(node: TestNode): Promise<void> {
  const pod = await readerUnderItsLimit(node);
  await node.document('apply');
  assert.equal(readCgroup(pod.container, 'memory.min'), readCgroup(pod.container, 'memory.max'));
  const reader = await readFileIn(pod.container, 192);
  assert.equal(reader.endedBy, 'SIGKILL');
  assert.ok(counter(pod.cgroup, 'memory.events', 'oom_kill') >= 1);
}

async function pageCacheUnderSafe(node: TestNode): Promise<void> {
  const pod = await readerUnderItsLimit(node);
  node.configure({ memoryQos: { protection: 'safe' } });
  await node.document('apply');
  const min = numberIn(pod.container, 'memory.min');
  assert.equal(min, Math.floor((64 * MIB * 0.9) / 4096) * 4096);
  const reader = await readFileIn(pod.container, 192);
  assert.equal(reader.endedBy, null);
  assert.equal(reader.child.exitCode, 0);
  assert.equal(counter(pod.cgroup, 'memory.events', 'oom_kill'), 0);
}

interface PlanWithEffective {
  readonly effective: readonly { readonly cgroup: string; readonly min: number; readonly low: number }[];
}

/** E7, the kubelet's own layout: who uses how much of which request, and what is protected of it at the start. */
const E7 = [
  { wish: { name: 'till', class: 'Guaranteed', request: '1Gi', limit: '1Gi' }, usage: 100, protects: 100 },
  { wish: { name: 'cart', class: 'Burstable', request: '256Mi' }, usage: 300, protects: 295 },
  { wish: { name: 'batch', class: 'BestEffort' }, usage: 900, protects: 885 },
] as const;

const TOLERANCE_MIB = 3;

function near(found: readonly number[], wanted: readonly number[], what: string): void {
  const shown = `${what}: ${found.map((mib) => mib.toFixed(1)).join(', ')} MiB instead of ${wanted.join(', ')}`;
  assert.equal(found.length, wanted.length);
  for (const [index, mib] of wanted.entries())
    assert.ok(Math.abs(mib - (found[index] ?? Number.NaN)) <= TOLERANCE_MIB, shown);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** What plan says that memory.min protects of containers, in MiB. */
async function protectedMib(node: TestNode, pods: readonly TestPod[]): Promise<readonly number[]> {
  const { effective } = await node.document<PlanWithEffective>('plan');
  const min = (pod: TestPod): number =>
    effective.find(({ cgroup }) => cgroup === pod.container)?.min ?? Number.NaN;
  return pods.map((pod) => min(pod) / MIB);
}

/**
 * A Guaranteed pod that uses a tenth of its request: what it leaves protects the others, a BestEffort pod among them. What
 * is protected goes by what is used, so that it is looked at again when reclaim has found all it can.
 */
async function planIsTrue(node: TestNode, notes: Notes): Promise<void> {
  const pods = E7.map(({ wish }) => node.add(wish));
  for (const [index, pod] of pods.entries()) await fillTo(pod.container, E7[index]?.usage ?? 0);
  await node.document('apply');
  const table = E7.map(({ protects }) => protects);
  near(await protectedMib(node, pods), table, 'protected at the start');
  await reclaimAll();
  const after = await protectedMib(node, pods);
  const left = pods.map(({ container }) => numberIn(container, 'memory.current') / MIB);
  notes(`E7: left ${left.map((mib) => mib.toFixed(1)).join(', ')} MiB of ${table.join(', ')}`);
  near(left, after, 'left, where plan protects');
  near([sum(left)], [sum(table)], 'left in all');
}

/** Memory of the machine is taken by somebody outside of all pods, until page cache of pods has to go. */
async function shortageIsBorne(node: TestNode, notes: Notes): Promise<void> {
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await node.document('apply');
  await fillTo(till.container, 60);
  await fillTo(batch.container, 160);
  const greedy = await hog('system.slice', 200);
  const batchMib = (): number => numberIn(batch.container, 'memory.current') / MIB;
  while (batchMib() > 60 && greedy.isRunning) await greedy.grow(10);
  greedy.child.kill('SIGKILL');
  await greedy.ended();
  const kept = numberIn(till.container, 'memory.current') / MIB;
  notes(
    `left ${kept.toFixed(1)} MiB of 60 to the Guaranteed pod, ${batchMib().toFixed(1)} of 160 to the BestEffort one`,
  );
  assert.ok(batchMib() <= 60, 'the machine never ran short');
  assert.ok(kept >= 57, 'the Guaranteed pod lost its memory');
}

export const MEMORY_QOS_CASES: readonly KernelCase[] = [
  {
    name: 'a Burstable hog is throttled at memory.high and not killed, a Guaranteed neighbour keeps its memory, reset frees the hog',
    run: (notes) => onNode((node) => throttledBesideGuaranteed(node, notes)),
  },
  {
    name: 'when the machine runs short a BestEffort pod gives its page cache, and a Guaranteed one keeps its own',
    run: (notes) => onNode((node) => shortageIsBorne(node, notes)),
  },
  {
    name: 'protection kubelet: page cache under min == max of a Guaranteed pod ends in an OOM kill',
    run: () => onNode(pageCacheUnderKubelet),
  },
  {
    name: 'protection safe: the same page cache under the same limit ends well',
    run: () => onNode(pageCacheUnderSafe),
  },
  {
    name: 'E7 whole: what plan calls effective protection after apply is what reclaim of the whole machine leaves',
    run: (notes) => onNode((node) => planIsTrue(node, notes)),
  },
];
