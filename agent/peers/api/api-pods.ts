import { isDnsSubdomain } from '../../decide/dns-subdomain.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { PodNews, RemotePods } from '../../ports.ts';
import { listPods } from './list-pods.ts';
import { type ApiPodsParts, PodWatch, podsRead } from './pod-watch.ts';

/**
 * The pods of a node as the API server has them: listed once, then followed by a watch. Throws Failure 64 for a name that no node
 * can have, which may also be more than a name: `a,metadata.name=b` would select other pods.
 */
export function apiPods(parts: ApiPodsParts): RemotePods {
  if (!isDnsSubdomain(parts.nodeName)) {
    const name = JSON.stringify(parts.nodeName);
    const remedy = 'say how this one is called in its cluster, with --node-name or NODE_NAME';
    throw new Failure(
      EXIT.usage,
      `${name} is no name that a node can have (small letters, digits, "-" and "."); ${remedy}`,
    );
  }
  return {
    name: 'api',
    list: async (signal: AbortSignal): Promise<PodsRead> =>
      podsRead(await listPods(await parts.client(), parts.nodeName, '', signal), parts.nodeName),
    follow: async (told: (news: PodNews) => void, signal: AbortSignal): Promise<void> => {
      await new PodWatch(parts, told).follow(signal);
    },
  };
}
