import assert from 'node:assert/strict';
import { counter, MIB, numberIn, readCgroup, until, writeCgroup } from './machine.ts';
import type { TestPod } from './pod.ts';
import { reclaimIn, withoutGenerations } from './reclaim.ts';
import type { KernelCase, Notes } from './result.ts';
import { onNode, type TestNode } from './test-node.ts';
import { fillTo, hog, readFileIn, startReading } from './workload.ts';

/** Microseconds in which all processes of a cgroup waited for memory at the same time. */
function fullStallUs(cgroup: string): number {
  return Number(/full .*total=(\d+)/.exec(readCgroup(cgroup, 'memory.pressure'))?.[1]);
}

function usedMib(cgroup: string): number {
  return numberIn(cgroup, 'memory.current') / MIB;
}

/** The whole machine is reclaimed from until one of two tiers is empty: it has to be BestEffort's. */
async function softTier(node: TestNode, notes: Notes): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '60Mi' });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await fillTo(cart.container, 60);
  await fillTo(batch.container, 60);
  await node.document('apply');
  assert.equal(readCgroup(node.kubepods, 'memory.low'), String(60 * MIB));
  await withoutGenerations(() => {
    for (let round = 0; round < 150 && usedMib(batch.container) > 4; round += 1) reclaimIn('', 3);
  });
  notes(
    `Burstable has ${usedMib(cart.container).toFixed(1)} MiB of 60, BestEffort ${usedMib(batch.container).toFixed(1)}`,
  );
  assert.ok(usedMib(batch.container) <= 4, 'BestEffort keeps its page cache');
  assert.ok(usedMib(cart.container) >= 57, 'Burstable gave although BestEffort had some left');
}

/** A Guaranteed pod whose two limits are given; a sandbox takes a part of the pod's. */
async function readerUnder(node: TestNode, podMib: number): Promise<TestPod> {
  const pod = node.add({ name: 'reader', class: 'Guaranteed', request: '32Mi', limit: '32Mi' });
  writeCgroup(pod.cgroup, 'memory.max', String(podMib * MIB));
  writeCgroup(pod.container, 'memory.max', String(32 * MIB));
  await hog(pod.sandbox, 2);
  return pod;
}

async function containerFullFirst(node: TestNode): Promise<void> {
  const pod = await readerUnder(node, 48);
  await node.document('apply');
  assert.equal(readCgroup(pod.container, 'memory.min'), readCgroup(pod.container, 'memory.max'));
  const reader = await readFileIn(pod.container, 96);
  assert.equal(reader.endedBy, null);
  assert.equal(counter(pod.cgroup, 'memory.events', 'oom_kill'), 0);
}

/** A min that was left in a container is in force for what is short in the pod, whatever stands above it. */
async function leftover(node: TestNode): Promise<void> {
  const pod = await readerUnder(node, 32);
  writeCgroup(pod.container, 'memory.min', String(32 * MIB));
  assert.equal(readCgroup(pod.cgroup, 'memory.min'), '0');
  const victim = await readFileIn(pod.container, 96);
  assert.equal(victim.endedBy, 'SIGKILL');
  node.configureKubelet({ memoryReservationPolicy: 'None' });
  await node.document('apply');
  assert.equal(readCgroup(pod.container, 'memory.min'), '0');
  const kills = counter(pod.cgroup, 'memory.events', 'oom_kill');
  const reader = await readFileIn(pod.container, 96);
  assert.equal(reader.endedBy, null);
  assert.equal(counter(pod.cgroup, 'memory.events', 'oom_kill'), kills);
}

/** What is below the limit may not be taken, so that whoever wants more waits for ever, and is not killed. */
async function highOverMin(node: TestNode, notes: Notes): Promise<void> {
  const pod = node.add({ name: 'cart', class: 'Burstable', request: '16Mi' });
  writeCgroup(pod.cgroup, 'memory.high', String(20 * MIB));
  writeCgroup(pod.container, 'memory.min', String(64 * MIB));
  const reader = startReading(pod.container, 60);
  await until(() => counter(pod.cgroup, 'memory.events', 'high') > 20, 'events of memory.high');
  await until(() => fullStallUs(pod.cgroup) > 0, 'a stall');
  assert.ok(numberIn(pod.container, 'memory.current') >= 19 * MIB, 'what is protected was taken');
  assert.equal(counter(pod.cgroup, 'memory.events', 'oom_kill'), 0);
  notes(
    `at ${usedMib(pod.container).toFixed(1)} MiB over a high of 20, stalled ${fullStallUs(pod.cgroup)} us`,
  );
  writeCgroup(pod.container, 'memory.min', '0');
  await reader.ended();
  assert.equal(reader.endedBy, null, 'without the protection it comes to its end');
}

async function highOverOwnMin(node: TestNode): Promise<void> {
  const { container } = node.add({ name: 'cart', class: 'Burstable', request: '16Mi' });
  writeCgroup(container, 'memory.high', String(16 * MIB));
  writeCgroup(container, 'memory.min', String(1024 * MIB));
  const reader = await readFileIn(container, 48);
  assert.equal(reader.endedBy, null);
  assert.ok(counter(container, 'memory.events', 'high') > 0);
  assert.ok(numberIn(container, 'memory.current') <= 18 * MIB, 'its own min holds up its own high');
}

async function highOfNothing(node: TestNode): Promise<void> {
  const { container } = node.add({ name: 'cart', class: 'Burstable', request: '16Mi' });
  const process = await hog(container, 8);
  writeCgroup(container, 'memory.high', '0');
  process.order(4);
  await until(() => counter(container, 'memory.events', 'high') > 3, 'events of memory.high');
  assert.equal(process.isRunning, true);
  assert.equal(process.says('has 12\n'), false, 'it is not held back');
  assert.ok(/some .*total=[1-9]/.test(readCgroup(container, 'memory.pressure')), 'it does not wait');
  writeCgroup(container, 'memory.high', 'max');
  await until(() => process.says('has 12\n'), 'a process that goes on once the limit is gone');
  assert.equal(counter(container, 'memory.events', 'oom_kill'), 0);
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  ['memory.low of root and tier: BestEffort is drained before Burstable gives anything', softTier],
  [
    'protection kubelet: where the container is full before its pod, min == max ends well',
    containerFullFirst,
  ],
  ['a min that was left in a container kills with no min above it, and ends with the policy None', leftover],
  [
    'memory.high above a container that is protected whole holds back for ever, and kills nobody',
    highOverMin,
  ],
  ["a cgroup's own min does not keep its own memory.high from being heeded", highOverOwnMin],
  ['under a memory.high of 0 a process crawls without swap, and goes on when it is raised', highOfNothing],
];

export const LAYOUT_CASES: readonly KernelCase[] = CASES.map(([name, test]) => ({
  name,
  run: (notes) => onNode((node) => test(node, notes)),
}));
