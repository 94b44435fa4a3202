import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import { hard, policyOf, soft } from '../fakes/eviction.ts';

const PROTECTED: EvictionPolicy['protected'] = {
  namespaces: ['kept'],
  labels: new Map([['keep', 'yes']]),
  priorityAtLeast: 1000,
};

const MEMORY_HARD = hard('memory.available', '200Mi', '100Mi');
const MEMORY_SOFT = soft('memory.available', '400Mi', 5, '50Mi');
const PODS_HARD = hard('allocatableMemory.available', '5%');
const DISK_HARD = hard('nodefs.available', '10%', '1Gi');
const PID_HARD = hard('pid.available', '100');
const PID_SOFT = soft('pid.available', '300', 3);

/**
 * The policies that reloads go between: the same thresholds in other company, so that what is remembered of one has to
 * survive; others that are gone for a while; other people protected; other times.
 */
export const POLICIES: readonly EvictionPolicy[] = [
  policyOf([MEMORY_HARD, MEMORY_SOFT, PODS_HARD, DISK_HARD, PID_HARD], {
    protected: PROTECTED,
    pressureTransitionPeriodMs: 10_000,
    backOffMs: 5000,
    maxPodGracePeriodSeconds: 10,
  }),
  policyOf([PID_SOFT, MEMORY_SOFT, MEMORY_HARD], {
    protected: PROTECTED,
    unmeasured: 'evict',
    backOffMs: 20_000,
    maxPodListAgeMs: 10_000,
  }),
  policyOf([soft('memory.available', '700Mi', 2), MEMORY_HARD, DISK_HARD, PID_HARD, PID_SOFT], {
    pressureTransitionPeriodMs: 0,
    maxPodGracePeriodSeconds: -1,
    backOffMs: 3000,
  }),
  policyOf([MEMORY_SOFT, hard('memory.available', '300Mi'), PODS_HARD], {
    protected: { namespaces: [], labels: new Map(), priorityAtLeast: 2 },
    pressureTransitionPeriodMs: 2000,
    maxPodGracePeriodSeconds: 30,
  }),
];
