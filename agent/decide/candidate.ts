import type { Signal } from '../../config/signal.ts';
import type { FilesystemLayout } from '../model/node.ts';
import type { Pod, PodStanding, PodUsage, UsageByUid } from '../model/pod.ts';
import { rankingPriority, standingThatCounts } from './pod-standing.ts';
import type { Compatibility } from './resources.ts';
import { measuredUsage, requestFor, starvedResource, storageRequest } from './usage.ts';
import type { VictimRules } from './victims.ts';

/** What a ranking goes by. */
export interface RankingRules extends VictimRules {
  readonly signal: Signal;
  readonly layout: FilesystemLayout;
  readonly compat: Compatibility;
}

/** A pod with the numbers that decide its place. */
export interface Candidate {
  readonly pod: Pod;
  /** That of its group where groups count and it is in one. */
  readonly priority: number;
  /** Absent where groups do not count, or it is in none. */
  readonly group?: PodStanding;
  /** undefined: not measured. */
  readonly usage: bigint | undefined;
  /** How much of a usage of memory is page cache that the kernel can take back; undefined: not measured, or not of memory. */
  readonly pageCache?: bigint;
  /** undefined: nobody can request it. */
  readonly request: bigint | undefined;
  readonly exceeds: boolean;
  /** What the last comparator goes by; 0 where nothing was measured. */
  readonly over: bigint;
}

/** The numbers of one pod under a signal; usage goes by the cgroup's UID. */
export function candidateOf(pod: Pod, usageByUid: UsageByUid, rules: RankingRules): Candidate {
  const podUsage = pod.cgroupUid === undefined ? undefined : usageByUid.get(pod.cgroupUid);
  const usage = measuredUsage(podUsage, rules);
  const request = requestFor(pod, rules.signal, rules.compat);
  const group = standingThatCounts(pod, rules);
  return {
    pod,
    priority: rankingPriority(pod, rules),
    ...(group === undefined ? {} : { group }),
    usage,
    ...pageCacheOf(podUsage, rules),
    request,
    exceeds: usage !== undefined && request !== undefined && usage > request,
    over: usage === undefined ? 0n : usage - (subtracted(pod, rules) ?? request ?? 0n),
  };
}

/** Active page cache: in the kubelet's number, and given back all the same when somebody else needs it. */
function pageCacheOf(usage: PodUsage | undefined, { signal }: RankingRules): { readonly pageCache?: bigint } {
  const activeFileBytes = usage?.activeFileBytes;
  return activeFileBytes === undefined || starvedResource(signal) !== 'memory'
    ? {}
    : { pageCache: activeFileBytes };
}

/** The kubelet takes a request of bytes from a number of inodes. */
function subtracted(pod: Pod, rules: RankingRules): bigint | undefined {
  const isFault = rules.compat === 'kubelet' && starvedResource(rules.signal) === 'inodes';
  return isFault ? storageRequest(pod, rules.compat) : undefined;
}
