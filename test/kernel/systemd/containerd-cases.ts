import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { MIB, MOUNT, readCgroup, sleep, until } from '../guest/machine.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { populated, Shortage } from '../guest/shortage.ts';
import { systemctl } from './commands.ts';
import { type ContainerNode, onContainerd } from './container-node.ts';
import { held, takenBack, WATCH_MS } from './taken-back.ts';
import { unitOf } from './unit-node.ts';

const LIMIT_MIB = 64;
const RAISED_MIB = 96;

/** The runtime sets all that it knows of the unit, and memory.high is not of that. */
async function updated(node: ContainerNode, notes: Notes): Promise<void> {
  const wish = { name: 'cart', class: 'Burstable', request: '32Mi', limit: `${LIMIT_MIB}Mi` } as const;
  const { pod, container } = await node.run(wish, LIMIT_MIB);
  assert.equal(readCgroup(pod.container, 'memory.max'), String(LIMIT_MIB * MIB));
  const one = await held(node, pod);
  const taken = await takenBack(one, async () => {
    await container.update(RAISED_MIB);
  });
  notes(`an update by the runtime took back ${taken.size} values of the container`);
  assert.ok(taken.has(`${pod.container}/memory.high`));
  for (const place of taken) assert.ok(place.startsWith(`${pod.container}/memory.`), place);
  assert.equal(readCgroup(pod.container, 'memory.max'), String(RAISED_MIB * MIB), 'what the runtime set');
  assert.equal(await container.status(), 'RUNNING');
}

/** Neither knows anything of a unit that it would write again. */
async function others(node: ContainerNode): Promise<void> {
  const wish = { name: 'cart', class: 'Burstable', request: '32Mi', limit: `${LIMIT_MIB}Mi` } as const;
  const { pod, container } = await node.run(wish, LIMIT_MIB);
  const { agent } = await held(node, pod);
  await systemctl('restart', 'containerd.service');
  const batch = await node.run({ name: 'batch', class: 'BestEffort' });
  await until(() => readCgroup(batch.pod.container, 'memory.high') !== 'max', 'the new pod is governed');
  await batch.container.remove();
  await systemctl('stop', unitOf(batch.pod.cgroup));
  node.forget(batch.pod);
  await sleep(WATCH_MS);
  assert.deepEqual(agent.records('drift'), []);
  assert.equal(await container.status(), 'RUNNING');
}

async function evicted(node: ContainerNode, notes: Notes): Promise<void> {
  const cart = await node.run({ name: 'cart', class: 'Burstable', request: '64Mi' });
  const batch = await node.run({ name: 'batch', class: 'BestEffort' });
  await cart.container.grow(32);
  await batch.container.grow(16);
  const shortage = await Shortage.near(node, { eviction: { evictor: 'cgroup' } });
  batch.container.order(Math.max(await shortage.missingMib(), 1));
  const [evicting] = await shortage.agent.recorded('evicting');
  assert.equal(evicting?.['name'], 'batch');
  const { evictor, tookMs } = await shortage.gone();
  assert.equal(evictor, 'cgroup');
  assert.equal(populated(batch.pod), false);
  await until(() => !existsSync(`${MOUNT}/${batch.pod.container}`), 'systemd has taken its scope away');
  assert.equal(await batch.container.status(), 'STOPPED');
  await shortage.onlyOne();
  assert.equal(populated(cart.pod), true, 'its neighbour died');
  assert.equal(await cart.container.status(), 'RUNNING');
  notes(`a container of containerd was gone after ${Math.round(Number(tookMs))} ms`);
}

export const CONTAINERD_CASES: readonly KernelCase[] = [
  {
    name: 'what an update of a container by its runtime takes back is told and written once more, and its limit is left',
    run: (notes) => onContainerd((node) => updated(node, notes)),
  },
  {
    name: 'neither a restart of the runtime nor a pod that comes and goes takes the limits of another pod back',
    run: () => onContainerd(others),
  },
  {
    name: 'a pod under containerd is evicted by its cgroup, the runtime has it as stopped, and no second one dies',
    run: (notes) => onContainerd((node) => evicted(node, notes)),
  },
];
