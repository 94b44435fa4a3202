import assert from 'node:assert/strict';
import { readCgroup, sleep } from '../guest/machine.ts';
import type { TestPod } from '../guest/pod.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { systemctl } from './commands.ts';
import { held, ONE_LOOK_MS, placeOf, takenBack, WATCH_MS } from './taken-back.ts';
import { onUnits, type UnitNode, unitOf } from './unit-node.ts';

async function cart(node: UnitNode): Promise<TestPod> {
  return await node.start({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
}

async function reload(node: UnitNode, notes: Notes): Promise<void> {
  const one = await held(node, await cart(node));
  const { pod } = one;
  for (const how of ['daemon-reload', 'daemon-reexec']) {
    const taken = await takenBack(one, async () => {
      await systemctl(how);
    });
    notes(`${how} took back ${[...taken].map(shortened).join(', ')}`);
    for (const place of [`${pod.container}/memory.high`, `${pod.cgroup}/memory.low`])
      assert.ok(taken.has(place), `${how} did not take ${place} back`);
  }
}

function shortened(place: string): string {
  return place
    .split('/')
    .slice(-2)
    .join('/')
    .replace(/[0-9a-f_]{20,}/, '…');
}

/** Three repairs, and then a word instead of a fourth one. */
async function againAndAgain(node: UnitNode): Promise<void> {
  const one = await held(node, await cart(node));
  const { pod, agent } = one;
  const place = `${pod.cgroup}/memory.low`;
  const property = async (weight: number): Promise<void> => {
    await systemctl('set-property', '--runtime', unitOf(pod.cgroup), `CPUWeight=${weight}`);
  };
  for (const weight of [50, 60, 70])
    assert.deepEqual(await takenBack(one, () => property(weight), ONE_LOOK_MS), new Set([place]));
  const before = agent.records('drift').length;
  await property(80);
  const drift = (await agent.recorded('drift', before + 1))[before];
  assert.equal(placeOf(drift ?? { kind: '' }), place);
  const { likelyWriter } = drift?.['leftAlone'] as { readonly likelyWriter: string };
  assert.match(likelyWriter, /systemd/);
  const writes = agent.records('write').length;
  await sleep(WATCH_MS);
  assert.equal(agent.records('write').length, writes, 'it fights');
  assert.equal(readCgroup(pod.cgroup, 'memory.low'), '0');
}

export const RESET_CASES: readonly KernelCase[] = [
  {
    name: 'what daemon-reload and daemon-reexec take back of limits in files is told and written once, and then there is peace',
    run: (notes) => onUnits((node) => reload(node, notes)),
  },
  {
    name: 'what set-property of something else takes back of that unit is told and written, and left alone when it goes on',
    run: () => onUnits(againAndAgain),
  },
];
