import type { EvictionOrder, PendingRelease } from '../../agent/model/eviction.ts';
import type { EvictionTarget } from '../../agent/ports.ts';
import type { EvictionRules } from '../../agent/run/eviction-rules.ts';
import type { Seen } from '../fakes/sim-eyes.ts';
import { isFinished, nameOf, whyNot } from './pod-rules.ts';
import { isOver, isShort } from './reference.ts';
import type { Recorded, Witness } from './witness.ts';

/** The moment at which an evictor is called. */
export interface Call {
  readonly target: EvictionTarget;
  readonly seen: Seen;
  readonly rules: EvictionRules;
  readonly nowMs: number;
}

/** What is wrong with an eviction that begins, one sentence each. */
export function faultsOfBeginning(call: Call, witness: Witness): readonly string[] {
  const { target, seen, nowMs } = call;
  const name = nameOf(target.pod);
  const order = witness.recorded.get(name)?.order;
  const isOnRecord = order?.pod === target.pod;
  const other = isOnRecord ? witness.whoCovers(order, seen, nowMs) : undefined;
  return [
    ...faultsOfPod(call),
    ...(isOnRecord ? faultsOfNumbers(order, call) : ['that is not on record']),
    ...faultsOfStore(target, witness),
    ...when(other !== undefined, `${other ?? ''} is about to end the shortage`),
    ...when(witness.isGoing(name, seen, nowMs), 'it was told before'),
    ...when(!witness.asked.some((one) => nameOf(one) === name), 'nobody asked the disk to keep that'),
  ].map((fault) => `${name} is told to go: ${fault}`);
}

/** What is wrong with seeing through what a former process had begun: the same pod in the same cgroup, in its time. */
export function faultsOfSeeingThrough(
  { target, seen, rules }: Call,
  stored: PendingRelease,
  recorded: Recorded | undefined,
): readonly string[] {
  const name = nameOf(target.pod);
  const why = whyNot({ ...target.pod, terminating: false }, rules.policy);
  const isOnRecord = recorded !== undefined && recorded.atMs >= stored.evictedAtMs;
  return [
    ...when(why !== undefined, why ?? ''),
    ...when(stored.unfinished?.place?.inode !== target.place?.inode, 'its cgroup is not that of then'),
    ...when(isOver(stored, seen.atMs ?? 0), 'its time is over'),
    ...when(!isOnRecord, 'it is on no record'),
  ].map((fault) => `the eviction of ${name} is seen through: ${fault}`);
}

/** A pod that may not go, or of which too little is known. */
function faultsOfPod({ target: { pod }, seen, rules: { policy } }: Call): readonly string[] {
  const why = whyNot(pod, policy);
  const { pods, ageMs = 0 } = seen.pods ?? { pods: undefined };
  const isMeasured = pod.cgroupUid !== undefined && seen.usage?.has(pod.cgroupUid) === true;
  return [
    ...when(why !== undefined, why ?? ''),
    ...when(pods?.includes(pod) !== true, 'it is on no list'),
    ...when(isFinished(pod), 'it has finished'),
    ...when(ageMs > policy.maxPodListAgeMs, 'the list is too old'),
    ...when(policy.unmeasured === 'skip' && !isMeasured, 'it is unmeasured'),
  ];
}

/** Numbers that do not ask for it, or are too old. */
function faultsOfNumbers({ cause }: EvictionOrder, { seen, rules }: Call): readonly string[] {
  if (cause.kind !== 'threshold') return [];
  const { signal, id } = cause.threshold;
  const last = seen.signals.at(-1);
  const reading = last?.look.readings.get(signal);
  if (last === undefined || reading === undefined) return [`${signal} could not be read`];
  const ageMs = last.atMs - (reading.atMs ?? last.atMs);
  return [
    ...when(seen.signals.length < 2, 'nobody looked a second time'),
    ...when(ageMs > rules.maxSampleAgeMs, `the sample is ${ageMs} ms old`),
    ...when(!isShort(cause.threshold, reading, true), `${id} is not met`),
  ];
}

/** On disk, with its place, before anything reaches it; unless the disk does not take it. */
function faultsOfStore({ pod, place }: EvictionTarget, { stored, isBehind }: Witness): readonly string[] {
  const kept = stored.find((one) => nameOf(one) === nameOf(pod));
  if (isBehind) return [];
  if (kept === undefined) return ['the disk does not know'];
  return when(kept.unfinished?.place?.inode !== place?.inode, 'the disk has another cgroup of it');
}

function when(is: boolean, sentence: string): readonly string[] {
  return is ? [sentence] : [];
}
