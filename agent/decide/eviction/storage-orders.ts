import type { PressureOrder } from '../../model/eviction.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod, PodUsage, UsageByUid } from '../../model/pod.ts';
import { isFinished } from '../critical.ts';
import { byText, orderedBy } from '../ordered-by.ts';
import { passedOverBecause } from '../victims.ts';
import { IMMEDIATE_GRACE_SECONDS } from './grace.ts';
import type { PendingLook } from './pending.ts';
import type { EvictionPolicy } from './policy.ts';
import { type StorageHistory, usageOf } from './state.ts';
import {
  hasStorageFigures,
  type LimitedPod,
  limitedPods,
  type StorageBreach,
  storageBreach,
} from './storage.ts';
import { victimRules } from './victim-rules.ts';

/** What one look knows of local storage limits. */
export function lookAtStorage(history: StorageHistory, { pods, usage }: Observation): StorageHistory {
  const limited = history.listed === pods ? history.limited : limitedPods(pods);
  const isMeasured =
    usage === undefined ? history.isMeasured : limited.some(({ pod }) => isStorageMeasured(pod, usage));
  return { listed: pods, limited, isMeasured };
}

/**
 * The pods that go for exceeding their own limits, which needs no threshold: one a look, by namespace, name and UID. The
 * kubelet takes all of them in the order of its list.
 */
export function storageOrders(
  limited: readonly LimitedPod[],
  observation: Observation,
  pending: PendingLook,
  policy: EvictionPolicy,
): readonly PressureOrder[] {
  const { usage, podsAgeMs = 0 } = observation;
  if (usage === undefined || podsAgeMs > policy.maxPodListAgeMs) return [];
  const broken = limited.flatMap((one) =>
    breachOf(one, usage, { layout: observation.layout, compat: policy.compat }),
  );
  if (broken.length === 0) return [];
  const rules = victimRules(policy, pending);
  const orders = broken
    .filter(({ pod }) => !isFinished(pod) && passedOverBecause(pod, true, rules) === undefined)
    .map(storageOrder);
  return policy.compat === 'kubelet' ? orders : orders.toSorted(byIdentity).slice(0, 1);
}

interface BrokenLimit extends StorageBreach {
  readonly pod: Pod;
  readonly usage: PodUsage;
}

const byIdentity = orderedBy<PressureOrder>(
  byText(({ pod }) => pod.namespace),
  byText(({ pod }) => pod.name),
  byText(({ pod }) => pod.uid ?? ''),
);

function isStorageMeasured(pod: Pod, usage: UsageByUid): boolean {
  const own = usageOf(pod, usage);
  return own !== undefined && hasStorageFigures(own);
}

function breachOf(
  limited: LimitedPod,
  usageByUid: UsageByUid,
  rules: Parameters<typeof storageBreach>[2],
): readonly BrokenLimit[] {
  const usage = usageOf(limited.pod, usageByUid);
  const breach = usage === undefined ? undefined : storageBreach(limited, usage, rules);
  return usage === undefined || breach === undefined ? [] : [{ ...breach, pod: limited.pod, usage }];
}

function storageOrder({ pod, usage, limit, message }: BrokenLimit): PressureOrder {
  return {
    pod,
    cause: { kind: 'storage-limit', limit, message },
    gracePeriodSeconds: IMMEDIATE_GRACE_SECONDS,
    usage,
    candidates: [],
    message,
  };
}
