import { API_VERSION } from '../../../config/api-version.ts';
import { pressureTaints } from '../../decide/conditions.ts';
import type { SignalEntry, ThresholdEntry } from '../../decide/node-status.ts';
import type { AgentView } from '../../model/agent-view.ts';
import type { PendingRelease, ThresholdStatus } from '../../model/eviction.ts';
import type { AgentFigures, TaintFigures, TickRecord } from '../../model/tick.ts';
import { wallClockMs } from './wall-clock.ts';

/** What the record of a tick does not say. */
export interface StatePlaces {
  /** The state folder of this agent as a path of this machine, which tells it from an agent of another root. */
  readonly stateDir: string;
}

/**
 * `kind: AgentState`: what `status` says of a node, as the agent remembers it (since when, and with the transition period of
 * conditions), and what the agent says of itself. Times are wall clock; bytes and counts are integers.
 */
export function stateDocument(record: TickRecord, { stateDir }: StatePlaces): object {
  const { decision, agent } = record;
  return {
    apiVersion: API_VERSION,
    kind: 'AgentState',
    signals: signalEntries(record),
    thresholds: decision.thresholds.map((status) => thresholdEntry(status, record)),
    conditions: decision.conditions,
    taints: pressureTaints(decision.conditions),
    ...(record.psi === undefined ? {} : { psi: record.psi }),
    ...(record.memAvailableBytes === undefined ? {} : { memAvailableBytes: record.memAvailableBytes }),
    agent: { ...agentView(record), ...agentMore(agent, stateDir) },
    tick: { tookMs: record.tookMs, nextInMs: record.nextInMs },
    pods: { count: record.podCount, ...(record.podsAgeMs === undefined ? {} : { ageMs: record.podsAgeMs }) },
    tiers: record.tiers,
    memoryQos: record.memoryQos ?? null,
    thresholdsMet: decision.thresholdsMet.map(({ signal, type, value }) => ({ signal, type, value })),
    withheld: decision.withheld,
    ...(record.taints === undefined ? {} : { taintEvictions: taintEntry(record.taints, record) }),
    pending: record.pending.map((release) => pendingEntry(release, record)),
    troubles: agent.troubles,
  };
}

function signalEntries({ readings }: TickRecord): readonly SignalEntry[] {
  return [...readings]
    .map(([signal, { available, capacity, source }]) => ({ signal, available, capacity, source }))
    .toSorted((a, b) => (a.signal < b.signal ? -1 : 1));
}

function thresholdEntry(status: ThresholdStatus, record: TickRecord): ThresholdEntry {
  const { signal, type, value } = status.threshold;
  const met = status.met === true;
  const since = met && status.metSinceMs !== undefined ? rounded(record, status.metSinceMs) : null;
  return { signal, type, value, met, metSinceMs: since, inGrace: status.inGrace };
}

function agentView(record: TickRecord): AgentView {
  const { agent } = record;
  return {
    pid: agent.pid,
    version: agent.version,
    mode: agent.mode,
    evictions: agent.evictions,
    ...(agent.evictionsBecause === undefined ? {} : { evictionsBecause: agent.evictionsBecause }),
    startedAt: timeText(agent.startedAtMs),
    lastTickAt: timeText(record.wallMs),
    configurationValid: agent.configurationValid,
    ...(agent.configurationError === undefined ? {} : { configurationError: agent.configurationError }),
    psiTrigger: agent.psiTrigger,
  };
}

function agentMore(agent: AgentFigures, stateDir: string): object {
  return {
    configurationLoadedAt: timeText(agent.configurationLoadedAtMs),
    blindTicks: agent.blindTicks,
    stateDir,
  };
}

function pendingEntry(release: PendingRelease, record: TickRecord): object {
  return {
    namespace: release.namespace,
    name: release.name,
    uid: release.uid ?? null,
    evictedAt: timeText(rounded(record, release.evictedAtMs)),
    gracePeriodSeconds: release.gracePeriodSeconds,
    memoryWorkingSetBytes: release.usage?.memoryWorkingSetBytes ?? null,
  };
}

function taintEntry({ waiting, ...standing }: TaintFigures, record: TickRecord): object {
  return {
    ...standing,
    waiting: waiting.map(({ namespace, name, uid, evictAtMs }) => ({
      namespace,
      name,
      uid: uid ?? null,
      evictAt: timeText(rounded(record, evictAtMs)),
    })),
  };
}

function rounded(record: TickRecord, thenMs: number): number {
  return Math.round(wallClockMs(record, thenMs));
}

/** RFC 3339 in UTC. */
function timeText(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
