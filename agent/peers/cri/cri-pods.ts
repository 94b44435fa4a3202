import type { PodsRead } from '../../model/pods-read.ts';
import type { Clock, RemotePods } from '../../ports.ts';
import type { CriClient } from './cri-client.ts';

/** What the source of pods works with. */
export interface CriPodsParts {
  readonly client: CriClient;
  /** The manifests of static pods, as they are now: what the runtime cannot tell of a pod is in its manifest. */
  readonly manifests?: () => PodsRead;
  readonly everyMs: number;
  /** How long one whole look may take. */
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** The pods that a container runtime runs, together with the manifests of static pods. */
export function criPods(parts: CriPodsParts): RemotePods {
  throw new Error(`not yet: ${parts.client.name}`);
}
