import type { Candidate, RankingRules } from './candidate.ts';
import { counted, humanBytes, ordinal } from './human.ts';
import { priorityOf } from './priority.ts';
import { type StarvedResource, starvedResource } from './usage.ts';
import { UNMEASURED } from './victims.ts';

/**
 * Why a pod that may be evicted stands where it does: its numbers, the rule that they fall under, and its turn among those
 * that may go. `turn` is from 1.
 */
export function reason(candidate: Candidate, rules: RankingRules, turn: number): string {
  return `${standing(candidate, rules)}; ${ordinal(turn)} to go`;
}

/**
 * Why a pod is passed over (`because` as victims.ts has it), with its numbers. Of a pod that nobody measured there are none,
 * which is said unless it is the very reason.
 */
export function passedOver(candidate: Candidate, rules: RankingRules, because: string): string {
  const isUnmeasured = candidate.usage === undefined;
  const numbers = isUnmeasured ? 'unmeasured' : consumption(candidate, rules);
  const known = isUnmeasured && because === UNMEASURED ? [] : [numbers];
  return [`passed over: ${because}`, ...known, priorityText(candidate)].join('; ');
}

/** A pod's numbers and rule, in human units: "uses 500Mi, 400Mi over its request of 100Mi; priority 0". */
function standing(candidate: Candidate, rules: RankingRules): string {
  return `${consumption(candidate, rules)}; ${priorityText(candidate)}`;
}

/** Of a pod in a group both priorities are told: who looks at the pod sees its own. */
function priorityText({ pod, priority, group }: Candidate): string {
  return group === undefined
    ? `priority ${priority}`
    : `priority ${priority} of its group ${group.root} (its own is ${priorityOf(pod)})`;
}

function consumption(candidate: Candidate, rules: RankingRules): string {
  const resource = starvedResource(rules.signal);
  const { usage, request } = candidate;
  if (usage === undefined) return unmeasured(resource);
  switch (resource) {
    case 'pids':
      return `runs ${counted(usage, 'process', 'processes')}`;
    case 'inodes':
      return `uses ${counted(usage, 'inode', 'inodes')}${byteFault(candidate)}`;
    case 'memory':
      return `uses ${humanBytes(usage)}${cacheText(usage, candidate)}${comparison(usage, request ?? 0n)}`;
    case 'disk':
      return `uses ${humanBytes(usage)} of disk${comparison(usage, request ?? 0n)}`;
  }
}

/** Process IDs go by priority before anything else, so a pod that nobody measured is first only among its equals. */
function unmeasured(resource: StarvedResource): string {
  switch (resource) {
    case 'pids':
      return 'is unmeasured, so it goes first within its priority';
    case 'memory':
    case 'disk':
    case 'inodes':
      return 'is unmeasured, and such pods go before all others';
  }
}

function comparison(usage: bigint, request: bigint): string {
  if (request === 0n) return usage === 0n ? ' and requests none' : ', all of it over, since it requests none';
  if (usage > request) return `, ${humanBytes(usage - request)} over its request of ${humanBytes(request)}`;
  if (usage === request) return ', which is exactly its request and not over it';
  return `, within its request of ${humanBytes(request)}`;
}

/** Said of a pod whose usage is page cache for the most part: it looks like a hog and is none. */
function cacheText(usage: bigint, { pageCache = 0n }: Candidate): string {
  const cache = pageCache < usage ? pageCache : usage;
  return cache > 0n && cache * 2n >= usage
    ? ` (${humanBytes(cache)} of it page cache in use, which the kernel can take back)`
    : '';
}

function byteFault(candidate: Candidate): string {
  const taken = (candidate.usage ?? 0n) - candidate.over;
  return taken === 0n
    ? ''
    : `, of which the kubelet takes its storage request of ${humanBytes(taken)}, giving ${candidate.over}`;
}
