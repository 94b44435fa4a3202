import { type Warning, warning } from '../../../cgroup/warning.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodThatRuns } from './manifest-pods.ts';

/** The namespace of what a cluster needs to work. */
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * A pod of which nobody but the runtime tells. Where a kubelet made it, it has a priority, which only the API server knows: it may
 * be critical, and so may everything in the namespace of the system. A pod that somebody else made never had a priority.
 */
export function bare({ pod, isOfKubelet }: PodThatRuns): Pod {
  const mayBeCritical = isOfKubelet || pod.namespace === SYSTEM_NAMESPACE;
  return mayBeCritical && !pod.isStatic ? { ...pod, mayBeCritical: true } : pod;
}

/** What a runtime cannot tell of these pods, in the same words however many they are. */
export function warningsOf(name: string, pods: readonly PodThatRuns[]): readonly Warning[] {
  if (pods.length === 0) return [];
  const warnings = [
    warning(
      'priority-not-known',
      `${name} knows no priorities and no controllers: pods that it alone tells of rank with priority 0, and those that a kubelet made or that are in ${SYSTEM_NAMESPACE} are not evicted, since they may be critical`,
    ),
  ];
  if (pods.some(({ qosClass, pod }) => qosClass !== 'Guaranteed' && pod.containers.length > 0)) {
    warnings.push(
      warning(
        'requests-not-known',
        `${name} knows no memory requests: those of pods that it alone tells of count as 0, unless they are Guaranteed; a kubelet, the API server or a file as pods.source knows them`,
      ),
    );
  }
  return warnings;
}
