import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { MOUNT, sleep } from './machine.ts';
import type { TestPod } from './pod.ts';
import type { KernelCase } from './result.ts';
import { onNode, type TestNode } from './test-node.ts';

/** The kernel queues what happens to its files for one reader, in the order in which it happened. */
const SETTLE_MS = 500;

/** Notes which limit of which cgroup is written, in order, while something is done. */
async function writesDuring(cgroups: readonly string[], act: () => Promise<unknown>): Promise<string[]> {
  const writes: string[] = [];
  const watchers = cgroups.map((cgroup) =>
    watch(`${MOUNT}/${cgroup}`, (kind, file) => {
      const write = `${cgroup} ${file ?? ''}`;
      if (kind === 'change' && /^memory\.(min|low|high)$/.test(file ?? '') && writes.at(-1) !== write)
        writes.push(write);
    }),
  );
  await act();
  await sleep(SETTLE_MS);
  for (const watcher of watchers) watcher.close();
  return writes;
}

function inOrder(writes: readonly string[], wanted: readonly string[]): void {
  const seen = writes.filter((write) => wanted.includes(write));
  assert.deepEqual(seen, wanted, `written: ${writes.join('; ')}`);
}

function guaranteedPath(node: TestNode, pod: TestPod): readonly string[] {
  return [node.kubepods, pod.cgroup, pod.container].map((cgroup) => `${cgroup} memory.min`);
}

async function orderOfWrites(node: TestNode): Promise<void> {
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '48Mi', limit: '48Mi' });
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  const cgroups = [till, cart].flatMap(({ cgroup, container }) => [cgroup, container]);
  const all = [node.kubepods, `${node.kubepods}/kubepods-burstable.slice`, ...cgroups];
  const raised = await writesDuring(all, () => node.document('apply'));
  inOrder(raised, guaranteedPath(node, till));
  const high = raised.indexOf(`${cart.container} memory.high`);
  assert.equal(high, raised.length - 1, 'memory.high comes after what protects');
  node.configureKubelet({ memoryReservationPolicy: 'None' });
  const lowered = await writesDuring(all, () => node.document('apply'));
  inOrder(lowered, guaranteedPath(node, till).toReversed());
}

export const WRITE_ORDER_CASES: readonly KernelCase[] = [
  {
    name: 'protection is raised from parents to children, then memory.high, and lowered from children to parents',
    run: () => onNode(orderOfWrites),
  },
];
