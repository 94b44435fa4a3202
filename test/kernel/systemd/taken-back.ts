import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { sleep, until } from '../guest/machine.ts';
import type { TestPod } from '../guest/pod.ts';
import type { AuditRecord, RunningAgent } from '../guest/running-agent.ts';
import type { UnitNode } from './unit-node.ts';

/** How long it is watched that nothing more is written: some looks. */
export const WATCH_MS = 4000;
/** Long enough for one look more. */
export const ONE_LOOK_MS = 1500;

/** Limits that are written into files, and an agent that holds them. */
export interface Held {
  readonly node: UnitNode;
  readonly pod: TestPod;
  readonly agent: RunningAgent;
  /** File to value, as it is to be. */
  readonly wanted: Readonly<Record<string, string>>;
}

/** A Burstable pod with a limit, and an agent that writes its files although they are those of units. */
export async function held(node: UnitNode, pod: TestPod): Promise<Held> {
  node.configure({ eviction: { enabled: false }, memoryQos: { writer: 'cgroupfs' } });
  const agent = await node.startAgent('--enforce');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const wanted = node.limits(pod);
  const places = [`${pod.container}/memory.high`, `${pod.cgroup}/memory.low`, `${node.kubepods}/memory.low`];
  for (const place of places) assert.ok(place in wanted, `${place} was not written`);
  return { node, pod, agent, wanted };
}

/** The file that a record is about. */
export function placeOf({ cgroup, file }: AuditRecord): string {
  return `${String(cgroup)}/${String(file)}`;
}

/**
 * Lets somebody take values back. Every one of them has to be told as what it is and to be there again, and then there has to
 * be peace. Gives the files in question.
 */
export async function takenBack(
  { node, pod, agent, wanted }: Held,
  take: () => Promise<void>,
  watchMs = WATCH_MS,
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
  await sleep(watchMs);
  assert.equal(agent.records('drift').length, before + drifts.length, 'it was taken back once more');
  assert.equal(agent.records('write').length, writes, 'it went on writing');
  assert.equal(new Set(drifts.map(placeOf)).size, drifts.length, 'a value was repaired more than once');
  return new Set(drifts.map(placeOf));
}
