import { type FollowedSummary, followedSummary } from '../../peers/kubelet/kubelet-summary.ts';
import type { Peers } from './peers.ts';
import type { StatsSource } from './stats-source.ts';

/** The statistics of a kubelet, for a node that is looked at again and again. */
export interface WatchedSummary extends Pick<FollowedSummary, 'now'> {
  /** Begins to ask, and waits as long as one answer may take. */
  first(): Promise<void>;
  /** Asks no more. */
  stop(): void;
}

/** The statistics of the kubelet that is their source; undefined where they are from somewhere else. Throws Failure 64. */
export function watchedSummary(source: StatsSource, peers: Peers): WatchedSummary | undefined {
  if (source.kind !== 'kubelet') return undefined;
  const { clock, nodeqos } = peers.parts;
  const followed = followedSummary(peers.kubelet(source.url), { clock });
  const stopped = new AbortController();
  return {
    now: () => followed.now(),
    first: async () => {
      // What a kubelet can cause is told; what is thrown is a fault of this program, and ends it.
      void followed.follow(stopped.signal);
      await followed.heard(nodeqos.kubelet.deadlineMs);
    },
    stop: () => {
      stopped.abort();
    },
  };
}
