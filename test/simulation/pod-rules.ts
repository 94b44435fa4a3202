import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import type { Pod } from '../../agent/model/pod.ts';
import { quantityToInteger } from '../../config/numbers/quantity.ts';

/** What tells one pod from another, also from one of the same name that comes after it. */
export function nameOf({ namespace, name, uid }: Pick<Pod, 'namespace' | 'name' | 'uid'>): string {
  return uid ?? `${namespace}/${name}`;
}

/** Whether a pod has come to its end. */
export function isFinished({ phase }: Pod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether a pod may be evicted at all: the fourth promise, in its own words. */
export function mayGo(pod: Pod, policy: EvictionPolicy): boolean {
  return whyNot(pod, policy) === undefined;
}

/** What keeps a pod from ever being evicted; undefined: nothing. */
export function whyNot(pod: Pod, { protected: kept }: EvictionPolicy): string | undefined {
  const priority = pod.priority ?? 0;
  if (pod.isStatic) return 'it is static';
  if (pod.isMirror) return 'it is a mirror pod';
  if (priority >= 2_000_000_000) return 'it is critical';
  if (pod.terminating) return 'it is terminating';
  if (kept.namespaces.includes(pod.namespace)) return 'its namespace is protected';
  if ([...kept.labels].some(([key, value]) => pod.labels.get(key) === value)) return 'its label protects it';
  if (kept.priorityAtLeast !== undefined && priority >= kept.priorityAtLeast)
    return 'its priority protects it';
  return undefined;
}

/** The pods of the simulation have one container. */
export function requestBytes({ containers }: Pod, resource: string): bigint {
  const request = containers[0]?.requests.get(resource);
  return request === undefined ? 0n : quantityToInteger(request);
}

export function storageLimitBytes({ containers }: Pod): bigint | undefined {
  const limit = containers[0]?.limits.get('ephemeral-storage');
  return limit === undefined ? undefined : quantityToInteger(limit);
}
