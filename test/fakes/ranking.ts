import type { RankingRules } from '../../agent/decide/candidate.ts';
import { type RankedPod, rankPods } from '../../agent/decide/rank.ts';
import type { Pod, PodStanding, PodUsage } from '../../agent/model/pod.ts';
import type { Signal } from '../../config/signal.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { container, podOf } from './pods.ts';

export const MI = 1024n * 1024n;
export const GI = 1024n * MI;

/** What a test says of a pod that is ranked; the rest is nothing. */
export interface RankedParts {
  readonly namespace?: string;
  readonly uid?: string;
  readonly priority?: number;
  readonly memory?: string;
  readonly storage?: string;
  readonly annotations?: PlainRecord;
  readonly labels?: PlainRecord;
  readonly spec?: PlainRecord;
  readonly status?: PlainRecord;
  readonly terminating?: boolean;
  readonly usage?: PodUsage;
  /** What its groups make of it. */
  readonly group?: PodStanding;
}

/** A pod and what it uses. */
export interface UsedPod {
  readonly pod: Pod;
  readonly usage: PodUsage | undefined;
}

/** A pod of one container; its UID is `uid-NAME` unless given. */
export function used(name: string, parts: RankedParts = {}): UsedPod {
  const requests = {
    ...(parts.memory === undefined ? {} : { memory: parts.memory }),
    ...(parts.storage === undefined ? {} : { 'ephemeral-storage': parts.storage }),
  };
  const pod = podOf({
    name,
    metadata: {
      name,
      namespace: parts.namespace ?? 'default',
      uid: parts.uid ?? `uid-${name}`,
      annotations: parts.annotations ?? {},
      labels: parts.labels ?? {},
      ...(parts.terminating === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      containers: [container('main', requests)],
      ...(parts.priority === undefined ? {} : { priority: parts.priority }),
      ...parts.spec,
    },
    status: { phase: 'Running', ...parts.status },
  });
  return { pod: parts.group === undefined ? pod : { ...pod, group: parts.group }, usage: parts.usage };
}

/** A pod that uses so many Mi of memory. */
export function memoryPod(name: string, mebibytes: number, parts: RankedParts = {}): UsedPod {
  return used(name, { ...parts, usage: { memoryWorkingSetBytes: BigInt(mebibytes) * MI } });
}

const NO_PROTECTION: RankingRules['protected'] = { namespaces: [], labels: new Map() };

/** Rules with nothing special about them. */
export function rules(signal: Signal, more: Partial<RankingRules> = {}): RankingRules {
  return {
    signal,
    layout: 'single',
    compat: 'nodeqos',
    unmeasured: 'skip',
    groups: 'ignore',
    protected: NO_PROTECTION,
    ...more,
  };
}

/** The ranking of these pods. */
export function rankOf(
  pods: readonly UsedPod[],
  signal: Signal,
  more: Partial<RankingRules> = {},
): readonly RankedPod[] {
  const usage = new Map<string, PodUsage>();
  for (const one of pods) {
    if (one.usage !== undefined) usage.set(one.pod.cgroupUid ?? '', one.usage);
  }
  return rankPods(
    pods.map((one) => one.pod),
    usage,
    rules(signal, more),
  );
}

/** The names in order. */
export function namesOf(order: readonly RankedPod[]): readonly string[] {
  return order.map((entry) => entry.name);
}
