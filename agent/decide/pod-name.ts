import type { Pod } from '../model/pod.ts';

/** `namespace/name`: how a pod is called in messages. */
export function podName(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`;
}
