import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { sleep, until } from '../guest/machine.ts';
import type { TestPod } from '../guest/pod.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import type { AuditRecord, RunningAgent } from '../guest/running-agent.ts';
import { systemctl } from './commands.ts';
import { onUnits, type UnitNode, unitOf } from './unit-node.ts';

/** How long it is watched that nothing more is written: some looks. */
const WATCH_MS = 4000;

/** Limits that are written into files, and an agent that holds them. */
interface Held {
  readonly node: UnitNode;
  readonly pod: TestPod;
  readonly agent: RunningAgent;
  /** File to value, as it is to be. */
  readonly wanted: Readonly<Record<string, string>>;
}

/** Starts an agent that writes files although they are those of units. */
async function held(node: UnitNode): Promise<Held> {
  const pod = await node.start({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  node.configure({ eviction: { enabled: false }, memoryQos: { writer: 'cgroupfs' } });
  const agent = await node.startAgent('--enforce');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const wanted = node.limits(pod);
  const places = [`${pod.container}/memory.high`, `${pod.cgroup}/memory.low`, `${node.kubepods}/memory.low`];
  for (const place of places) assert.ok(place in wanted, `${place} was not written`);
  return { node, pod, agent, wanted };
}

function placeOf({ cgroup, file }: AuditRecord): string {
  return `${String(cgroup)}/${String(file)}`;
}

/**
 * Lets somebody take values back. Every one of them has to be told as what it is and to be there again, and then there has to
 * be peace. Gives the files in question.
 */
async function takenBack(
  { node, pod, agent, wanted }: Held,
  take: () => Promise<void>,
): Promise<Set<string>> {
  const before = agent.records('drift').length;
  await take();
  await agent.recorded('drift', before + 1);
  await until(() => isDeepStrictEqual(node.limits(pod), wanted), 'everything is as it was').catch(() => {
    assert.deepEqual(node.limits(pod), wanted);
  });
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const drifts = agent.records('drift').slice(before);
  const writes = agent.records('write').length;
  for (const drift of drifts) {
    assert.equal(drift['wrote'], wanted[placeOf(drift)], placeOf(drift));
    assert.equal(drift['found'], drift['file'] === 'memory.high' ? 'max' : '0', placeOf(drift));
    assert.equal(drift['leftAlone'], undefined);
  }
  await sleep(WATCH_MS);
  assert.equal(agent.records('drift').length, before + drifts.length, 'it was taken back once more');
  assert.equal(agent.records('write').length, writes, 'it went on writing');
  assert.equal(new Set(drifts.map(placeOf)).size, drifts.length, 'a value was repaired more than once');
  return new Set(drifts.map(placeOf));
}

async function reload(node: UnitNode, how: string, notes: Notes): Promise<void> {
  const one = await held(node);
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
  const one = await held(node);
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
  const one = await held(node);
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
