import assert from 'node:assert/strict';
import { sleep } from '../guest/machine.ts';
import type { TestPod } from '../guest/pod.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { systemctl } from './commands.ts';
import { held, placeOf, takenBack, WATCH_MS } from './taken-back.ts';
import { onUnits, type UnitNode, unitOf } from './unit-node.ts';

async function cart(node: UnitNode): Promise<TestPod> {
  return await node.start({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
}

async function reload(node: UnitNode, how: string, notes: Notes): Promise<void> {
  const one = await held(node, await cart(node));
  const taken = await takenBack(one, async () => {
    await systemctl(how);
  });
  notes(`${how} took back ${[...taken].map(shortened).join(', ')}`);
  const { pod } = one;
  for (const place of [`${pod.container}/memory.high`, `${pod.cgroup}/memory.low`])
    assert.ok(taken.has(place), `${place} was not taken back`);
}

function shortened(place: string): string {
  return place
    .split('/')
    .slice(-2)
    .join('/')
    .replace(/[0-9a-f_]{20,}/, '…');
}

async function otherProperty(node: UnitNode, notes: Notes): Promise<void> {
  const one = await held(node, await cart(node));
  const { pod } = one;
  const taken = await takenBack(one, async () => {
    await systemctl('set-property', '--runtime', unitOf(pod.cgroup), 'CPUWeight=50');
  });
  notes(`set-property took back ${[...taken].map(shortened).join(', ')}`);
  assert.ok(taken.has(`${pod.cgroup}/memory.low`));
  for (const place of taken) assert.ok(place.startsWith(`${pod.cgroup}/memory.`), place);
}

/** Three repairs, and then a word instead of a fourth one. */
async function againAndAgain(node: UnitNode): Promise<void> {
  const one = await held(node, await cart(node));
  const { pod, agent } = one;
  const property = async (weight: number): Promise<void> => {
    await systemctl('set-property', '--runtime', unitOf(pod.cgroup), `CPUWeight=${weight}`);
  };
  for (const weight of [50, 60, 70]) await takenBack(one, () => property(weight));
  const before = agent.records('drift').length;
  await property(80);
  const drift = (await agent.recorded('drift', before + 1))[before];
  assert.equal(placeOf(drift ?? { kind: '' }), `${pod.cgroup}/memory.low`);
  const { likelyWriter } = drift?.['leftAlone'] as { readonly likelyWriter: string };
  assert.match(likelyWriter, /systemd/);
  const writes = agent.records('write').length;
  await sleep(WATCH_MS);
  assert.equal(agent.records('write').length, writes, 'it fights');
  assert.equal(`${pod.cgroup}/memory.low` in one.node.limits(pod), false);
}

export const RESET_CASES: readonly KernelCase[] = [
  {
    name: 'what daemon-reload takes back of limits in files is told and written once more, and then there is peace',
    run: (notes) => onUnits((node) => reload(node, 'daemon-reload', notes)),
  },
  {
    name: 'what daemon-reexec takes back of limits in files is told and written once more, and then there is peace',
    run: (notes) => onUnits((node) => reload(node, 'daemon-reexec', notes)),
  },
  {
    name: 'set-property of something else takes the limits of that unit back, and they are told and written once more',
    run: (notes) => onUnits((node) => otherProperty(node, notes)),
  },
  {
    name: 'limits that systemd takes back again and again are left alone, and who may do it is told',
    run: () => onUnits(againAndAgain),
  },
];
