import assert from 'node:assert/strict';
import { MIB, readCgroup, writeCgroup } from './machine.ts';
import { withoutGenerations } from './reclaim.ts';
import type { KernelCase, Notes } from './result.ts';
import { makePod, onNode, removeCgroup, type TestNode } from './test-node.ts';
import { hog, readFileAgain } from './workload.ts';

interface StatusDocument {
  readonly signals: readonly { readonly signal: string; readonly available: number }[];
  readonly memAvailableBytes: number;
  readonly psi: { readonly some: { readonly totalUs: number } } | null;
}

/**
 * Page cache that is read again and again is active: the kubelet takes it for used, although the kernel would give it. With
 * the multi-generational LRU it is not.
 */
async function readerIsNoHog(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await readFileAgain(batch.container, 250);
  const status = await node.document<StatusDocument>('status');
  const available =
    status.signals.find(({ signal }) => signal === 'memory.available')?.available ?? Number.NaN;
  const honestMib = status.memAvailableBytes / MIB;
  notes(`memory.available ${Math.round(available / MIB)} MiB, MemAvailable ${Math.round(honestMib)} MiB`);
  assert.ok(honestMib - available / MIB > 100, 'both numbers are the same');
  assert.notEqual(status.psi, null);
}

interface PlanDocument {
  readonly entries: readonly object[];
}

/** What is carried home gives the plan that the node gives. */
async function captureIsTheNode(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  node.add({ name: 'till', class: 'Guaranteed', request: '16Mi', limit: '16Mi' });
  writeCgroup(cart.container, 'memory.high', '12345678');
  const there = await node.document<PlanDocument>('plan');
  const archive = `${node.folder}/node.tar.gz`;
  const captured = await node.nodeqos('capture', archive);
  assert.equal(captured.status, 0, captured.stderr);
  const here = await node.plain<PlanDocument>('plan', '--root', archive);
  assert.ok(there.entries.length > 0);
  assert.deepEqual(here.entries, there.entries);
}

/** No journal is there: everything at and below the pods' cgroup has the kernel's defaults again, and nothing else has. */
async function neutral(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  writeCgroup(cart.container, 'memory.high', String(40 * MIB));
  writeCgroup(cart.sandbox, 'memory.min', String(MIB));
  writeCgroup(node.kubepods, 'memory.low', String(MIB));
  writeCgroup('system.slice', 'memory.low', String(MIB));
  await node.document('reset', '--neutral');
  assert.equal(readCgroup(cart.container, 'memory.high'), 'max');
  assert.equal(readCgroup(cart.sandbox, 'memory.min'), '0');
  assert.equal(readCgroup(node.kubepods, 'memory.low'), '0');
  assert.equal(readCgroup('system.slice', 'memory.low'), String(MIB));
  writeCgroup('system.slice', 'memory.low', '0');
}

/** Its values of before are those of a cgroup that is gone. */
async function remadeBeforeReset(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  writeCgroup(cart.container, 'memory.high', String(50 * MIB));
  await node.document('apply');
  await removeCgroup(cart.cgroup);
  makePod(cart);
  writeCgroup(cart.container, 'memory.high', String(20 * MIB));
  writeCgroup(cart.cgroup, 'memory.low', String(MIB));
  await node.document('reset');
  assert.equal(readCgroup(cart.container, 'memory.high'), String(20 * MIB));
  assert.equal(readCgroup(cart.cgroup, 'memory.low'), String(MIB));
  assert.equal(readCgroup(node.kubepods, 'memory.low'), '0');
}

/** Nothing of it can be reclaimed without swap; the kernel tries for a while inside of the write. */
async function limitBelowUsage(node: TestNode): Promise<void> {
  const greedy = node.add({ name: 'greedy', class: 'Burstable', request: '16Mi', limit: '64Mi' });
  const process = await hog(greedy.container, 60);
  node.configureKubelet({ memoryThrottlingFactor: 0.5 });
  await node.document('apply');
  assert.equal(readCgroup(greedy.container, 'memory.high'), String(40 * MIB));
  assert.equal(process.isRunning, true);
}

export const ANSWER_CASES: readonly KernelCase[] = [
  {
    name: "status shows the kubelet's number and the honest one side by side where page cache is read again and again",
    // Newer kernels keep such pages on another list.
    isOfOneKernel: false,
    run: (notes) => withoutGenerations(() => onNode((node) => readerIsNoHog(node, notes))),
  },
  {
    name: 'a plan from a captured node is the plan of the node, entry by entry',
    run: () => onNode(captureIsTheNode),
  },
  {
    name: 'reset --neutral gives all pods the defaults of the kernel, and touches nothing else',
    run: () => onNode(neutral),
  },
  {
    name: 'reset leaves a pod alone whose cgroup was made anew after apply',
    run: () => onNode(remadeBeforeReset),
  },
  {
    name: 'a memory.high below what is used is written, and nobody is killed for it',
    run: () => onNode(limitBelowUsage),
  },
];
