import type { CriClient } from '../../peers/cri/cri-client.ts';
import type { Clock, Evictor } from '../../ports.ts';

/** What the runtime's evictor works with. */
export interface CriEvictorParts {
  readonly client: CriClient;
  readonly clock: Clock;
  /** Whether dead sandboxes are taken off the runtime's list: where no kubelet does it. */
  readonly removes: boolean;
}

/** Makes pods go through the container runtime. */
export function createCriEvictor(parts: CriEvictorParts): Evictor {
  throw new Error(`not yet: ${parts.client.name}`);
}
