import type { Pod } from '../../model/pod.ts';
import type { VictimRules } from '../victims.ts';
import type { PendingLook } from './pending.ts';
import type { EvictionPolicy } from './policy.ts';
import { podKey } from './state.ts';

/** Who may not go at this look, and why (victims.ts), with those that were told to go a moment ago. */
export function victimRules(
  policy: EvictionPolicy,
  { pending, backOffUntilMs }: Omit<PendingLook, 'failed'>,
): VictimRules {
  const releasing = new Set(pending.filter(({ goneAtMs }) => goneAtMs === undefined).map(podKey));
  const settling = new Set(pending.filter(({ goneAtMs }) => goneAtMs !== undefined).map(podKey));
  const heldBack = (pod: Pod): string | undefined => {
    if (releasing.has(podKey(pod))) return 'it was evicted and has not gone yet';
    return backOffUntilMs.has(podKey(pod)) || settling.has(podKey(pod))
      ? 'an eviction of it has just ended (eviction.backOff)'
      : undefined;
  };
  const { compat, unmeasured, protected: guarded, groups } = policy;
  return { compat, unmeasured, protected: guarded, groups, heldBack };
}
