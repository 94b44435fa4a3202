import { parseCounter } from '../../cgroup/parse.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { isFinished } from '../decide/critical.ts';
import { qosClassInForce } from '../decide/qos-class.ts';
import { podMemoryRequestBytes } from '../decide/resources.ts';
import type { Pod, QosClass } from '../model/pod.ts';
import type { TierFigures } from '../model/tick.ts';
import { present } from './present.ts';
import type { NodeRoot } from './root.ts';

/**
 * Tells what each tier has and is given: pods and requests by their class, which are worked out once for each list of pods,
 * and usage from the tier's own cgroup, read each time. Guaranteed pods have no tier of their own in the tree, so their
 * usage is not known.
 */
export function tierReader(
  root: NodeRoot,
  layout: CgroupLayout,
): (pods: readonly Pod[]) => readonly TierFigures[] {
  let known: { readonly of: readonly Pod[]; readonly tiers: readonly TierFigures[] } | undefined;
  return (pods) => {
    if (known?.of !== pods) known = { of: pods, tiers: TIERS.map((qosClass) => requestsOf(qosClass, pods)) };
    return known.tiers.map((tier) => ({
      ...tier,
      ...present('usageBytes', usageOf(tier.qosClass, root, layout)),
    }));
  };
}

const TIERS = ['Guaranteed', 'Burstable', 'BestEffort'] as const satisfies readonly QosClass[];

function requestsOf(qosClass: QosClass, pods: readonly Pod[]): TierFigures {
  const ofClass = pods.filter((pod) => !isFinished(pod) && qosClassInForce(pod) === qosClass);
  const requestBytes = ofClass.reduce((sum, pod) => sum + podMemoryRequestBytes(pod), 0n);
  return { qosClass, pods: ofClass.length, requestBytes };
}

function usageOf(qosClass: QosClass, root: NodeRoot, layout: CgroupLayout): bigint | undefined {
  if (qosClass === 'Guaranteed') return undefined;
  const cgroup = qosClass === 'Burstable' ? layout.burstable : layout.besteffort;
  const read = root.cgroups.readFile(`${cgroup}/memory.current`);
  return read.kind === 'read' ? parseCounter(read.text) : undefined;
}
