import type { AgentEvent, TimedEvent, ToldStanding } from '../../model/agent-event.ts';
import type { EvictionEvidence, EvictionOrder, EvictionOutcome } from '../../model/eviction.ts';
import type { Pod } from '../../model/pod.ts';

/**
 * The audit record of an event, field by field as the contract of the command line has it; a reader may rely on these names.
 * What an eviction's `rank` holds are its candidates, the first ten of the ranking.
 */
export function auditRecord({ event, wallMs, mode }: TimedEvent): object {
  return { time: new Date(wallMs).toISOString(), kind: event.kind, mode, ...fieldsOf(event) };
}

/** The record that stands where records were lost, so that a gap is never mistaken for silence; `last` is the last of them. */
export function lostRecord(last: TimedEvent, records: number): object {
  return { time: new Date(last.wallMs).toISOString(), kind: 'lost', mode: last.mode, records };
}

function fieldsOf(event: AgentEvent): object {
  switch (event.kind) {
    case 'condition':
      return conditionFields(event);
    case 'plan-applied':
      return { written: event.written, failed: event.failed, wanted: event.wanted };
    case 'write':
      return writeFields(event);
    case 'drift':
      return driftFields(event);
    case 'evicting':
      return { ...orderFields(event.order), evictor: event.evictor };
    case 'eviction':
      return evictionFields(event);
    case 'no-eviction':
      return withheldFields(event);
    default:
      return ownFields(event);
  }
}

/** Of the agent itself. */
function ownFields(event: EventOf<'start' | 'standing' | 'reload' | 'trouble' | 'stop'>): object {
  switch (event.kind) {
    case 'start':
      return { pid: event.pid, version: event.version, ...standingFields(event.standing), host: event.host };
    case 'standing':
      return standingFields(event);
    case 'reload':
      return reloadFields(event);
    case 'trouble':
      return { part: event.part, sentence: event.sentence, over: event.over };
    case 'stop':
      return { reason: event.reason };
  }
}

type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>;

function standingFields({ evictions, because, taints }: ToldStanding): object {
  return {
    evictions,
    ...(because === undefined ? {} : { because }),
    ...(taints === undefined ? {} : { taints }),
  };
}

function reloadFields({ ok, changes, error }: EventOf<'reload'>): object {
  return { ok, changes, ...(error === undefined ? {} : { error }) };
}

/** The contract has one signal; all of them are there too. */
function conditionFields({ type, status, signals }: EventOf<'condition'>): object {
  return { type, status, signal: signals[0] ?? null, signals };
}

function writeFields(event: EventOf<'write'>): object {
  const { pod, container, cgroup, file, from, to, reason, outcome, error, writer, because } = event;
  return {
    ...{ pod, container, cgroup, file, from, to, reason, outcome },
    ...(error === undefined ? {} : { error }),
    ...(writer === undefined ? {} : { writer }),
    ...(because === undefined ? {} : { because }),
  };
}

function driftFields({ pod, container, cgroup, file, wrote, found, leftAlone }: EventOf<'drift'>): object {
  return { pod, container, cgroup, file, wrote, found, ...(leftAlone === undefined ? {} : { leftAlone }) };
}

/** What goes for a taint has no signal. */
function withheldFields(event: EventOf<'no-eviction'>): object {
  if (!('taint' in event)) return { signal: event.signal, why: event.why };
  const { pod, taint, why } = event;
  return { ...nameFields(pod), signal: null, taint, why };
}

function nameFields({ namespace, name, uid }: Pick<Pod, 'namespace' | 'name' | 'uid'>): object {
  return { namespace, name, uid: uid ?? null };
}

/** Times are whole milliseconds: a monotonic clock has more digits than anybody can use. */
function evictionFields({ order, evictor, outcome, reactionMs, tookMs }: EventOf<'eviction'>): object {
  return {
    ...orderFields(order),
    evictor,
    outcome: outcome.kind,
    ...whyOf(outcome),
    ...(reactionMs === undefined ? {} : { reactionMs: Math.round(reactionMs) }),
    tookMs: Math.round(tookMs),
  };
}

function whyOf(outcome: EvictionOutcome): object {
  switch (outcome.kind) {
    case 'still-there':
    case 'refused':
      return { why: outcome.why };
    case 'dry-run':
      return outcome.because === undefined ? {} : { because: outcome.because };
    case 'gone':
      return {};
  }
}

function orderFields(order: EvictionOrder): object {
  const { pod, cause, gracePeriodSeconds, candidates, message, evidence } = order;
  // null: nothing controls the pod, so that nothing makes it again.
  const name = { ...nameFields(pod), controller: pod.controllerKind ?? null };
  if (cause.kind !== 'threshold') {
    const what = cause.kind === 'taint' ? { signal: null, taint: cause.taint } : { signal: cause.limit };
    const limit = { ...name, ...what, threshold: null, available: null };
    return { ...limit, ...evidenceFields(evidence), gracePeriodSeconds, rank: candidates, message };
  }
  const { threshold, available, capacity } = cause;
  const { signal, type, value } = threshold;
  return {
    ...name,
    signal,
    threshold: { signal, type, value },
    available,
    capacity,
    ...evidenceFields(evidence),
    gracePeriodSeconds,
    rank: candidates,
    message,
  };
}

/** The names are those of NodeStatus, but for the time, which is one like all others of a record. */
function evidenceFields(evidence: EvictionEvidence = {}): object {
  const { memAvailableBytes, psi, metSinceMs } = evidence;
  return {
    ...(memAvailableBytes === undefined ? {} : { memAvailableBytes }),
    ...(psi === undefined ? {} : { psi }),
    ...(metSinceMs === undefined ? {} : { metSince: new Date(metSinceMs).toISOString() }),
  };
}
