import type { PodsRead } from '../../model/pods-read.ts';
import type { PodNews, RemotePods } from '../../ports.ts';
import { listPods } from './list-pods.ts';
import { type ApiPodsParts, PodWatch, podsRead } from './pod-watch.ts';

/** The pods of a node as the API server has them: listed once, then followed by a watch. */
export function apiPods(parts: ApiPodsParts): RemotePods {
  return {
    name: 'api',
    list: async (signal: AbortSignal): Promise<PodsRead> =>
      podsRead(await listPods(await parts.client(), parts.nodeName, '', signal), parts.nodeName),
    follow: async (told: (news: PodNews) => void, signal: AbortSignal): Promise<void> => {
      await new PodWatch(parts, told).follow(signal);
    },
  };
}
