import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../model/cluster.ts';

/** A pod's namespace and name. */
export interface PodReference {
  readonly namespace: string;
  readonly name: string;
}

/** Why a snapshot without nodes is refused. */
export const NO_NODES =
  'the snapshot holds no Node, so nothing can be said; add what this prints: kubectl get nodes -o yaml';

/** The pod of a snapshot that waits for a node. Refused, in a sentence, where it is not there, not pending, or no node is. */
export function pendingPod(snapshot: ClusterSnapshot, wanted: PodReference): Parsed<SchedulingPod> {
  const called = podName(wanted);
  const pod = snapshot.pods.find(
    ({ namespace, name }) => namespace === wanted.namespace && name === wanted.name,
  );
  if (pod === undefined) return refused(`the snapshot holds no pod ${called}; name one that is pending`);
  const why = notPending(pod);
  if (why !== undefined) return refused(`pod ${called} is not pending: ${why}; name one that is`);
  return snapshot.nodes.length === 0 ? refused(NO_NODES) : parsed(pod);
}

function notPending({ nodeName, phase, terminating }: SchedulingPod): string | undefined {
  if (nodeName !== undefined) return `it is on node ${nodeName}`;
  if (phase !== undefined && phase !== 'Pending') return `its phase is ${phase}`;
  return terminating ? 'it is being deleted' : undefined;
}
