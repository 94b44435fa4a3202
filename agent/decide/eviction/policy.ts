import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import {
  evictionThresholds,
  maxPodGracePeriodSeconds,
  pressureTransitionPeriodMs,
} from '../../../config/policy.ts';
import type { Threshold } from '../../../config/signal.ts';
import type { Compatibility } from '../resources.ts';
import type { VictimRules } from '../victims.ts';

/** What evictions are decided by; nothing in it changes between two reloads. */
export interface EvictionPolicy {
  readonly thresholds: readonly Threshold[];
  /** How long a node condition outlives its cause. */
  readonly pressureTransitionPeriodMs: number;
  /** The longest grace of a soft eviction; negative: the pod's own. */
  readonly maxPodGracePeriodSeconds: number;
  readonly unmeasured: VictimRules['unmeasured'];
  readonly protected: VictimRules['protected'];
  /** Whether a pod in a group counts with the priority of its group. */
  readonly groups: VictimRules['groups'];
  /** How long a pod is passed over after an eviction of it has ended. */
  readonly backOffMs: number;
  /** A list of pods that is older than this names nobody who may be evicted. */
  readonly maxPodListAgeMs: number;
  /** Whose rules: nodeqos' own, or the kubelet's with its known faults. */
  readonly compat: Compatibility;
}

/** The eviction policy of two configurations; nodeqos' own settings win over the kubelet's under either set of rules. */
export function evictionPolicy(
  kubelet: KubeletSettings,
  nodeqos: NodeQosSettings,
  compat: Compatibility,
): EvictionPolicy {
  return {
    thresholds: evictionThresholds(kubelet, nodeqos),
    pressureTransitionPeriodMs: pressureTransitionPeriodMs(kubelet, nodeqos),
    maxPodGracePeriodSeconds: maxPodGracePeriodSeconds(kubelet, nodeqos),
    unmeasured: nodeqos.eviction.unmeasured,
    protected: nodeqos.eviction.protected,
    groups: nodeqos.eviction.groups,
    backOffMs: nodeqos.eviction.backOffMs,
    maxPodListAgeMs: nodeqos.pods.maxAgeMs,
    compat,
  };
}
