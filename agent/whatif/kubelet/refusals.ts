import { isStaticOrMirror } from '../../decide/critical.ts';
import { tolerates } from '../../decide/tolerate.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { NodeObject } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { isPortTaken } from '../fit/host-port.ts';
import { hasLabels, matchesNodeTerms } from '../fit/selectors.ts';

/** Why a pod is refused, as the kubelet puts it into its status. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

const OS_LABEL = 'kubernetes.io/os';

/**
 * What the kubelet looks at before resources, since nobody's end would change it (kubelet: predicateAdmitHandler): the label of
 * the pod for its operating system, the system that its spec names, and a policy for groups that the node does not know.
 */
export function refusalAtOnce(pod: SchedulingPod, node: NodeObject): Refusal | undefined {
  const system = operatingSystemOf(node);
  if ((pod.labels.get(OS_LABEL) ?? system) !== system) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: `Failed to admit pod as the \`${OS_LABEL}\` label doesn't match node label`,
    };
  }
  if ((pod.osName ?? system) !== system) {
    return {
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  }
  return pod.supplementalGroupsPolicy === 'Strict' && node.hasSupplementalGroupsPolicy !== true
    ? {
        reason: 'SupplementalGroupsPolicyNotSupported',
        message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
      }
    : undefined;
}

/** What the kubelet was built for, which it reports; else what the label says; else what nodeqos itself runs on. */
function operatingSystemOf({ operatingSystem, labels }: NodeObject): string {
  return operatingSystem ?? labels.get(OS_LABEL) ?? 'linux';
}

/** What resources have no part in, in the kubelet's order: node affinity, the node's name, host ports, NoExecute taints. */
export function refusalsBesides(
  pod: SchedulingPod,
  node: NodeObject,
  others: readonly Pod[],
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  if (!isWanted(pod, node)) {
    refusals.push(predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"));
  }
  if (pod.nodeName !== undefined && pod.nodeName !== node.name) {
    refusals.push(predicate('NodeName', "node(s) didn't match the requested node name"));
  }
  const taken = others.flatMap(({ hostPorts = [] }) => hostPorts);
  if ((pod.hostPorts ?? []).some((port) => isPortTaken(port, taken))) {
    refusals.push(predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports"));
  }
  const isUntolerated = node.taints.some(
    (taint) => taint.effect === 'NoExecute' && !pod.tolerations.some((one) => tolerates(one, taint)),
  );
  if (isUntolerated && !isStaticOrMirror(pod)) {
    refusals.push(predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate"));
  }
  return refusals;
}

/** The kubelet puts its own operating system into the label before it compares. */
function isWanted(pod: SchedulingPod, node: NodeObject): boolean {
  const labels = new Map([...node.labels, [OS_LABEL, operatingSystemOf(node)]]);
  return (
    hasLabels(labels, pod.nodeSelector) &&
    (pod.requiredNodeTerms === undefined || matchesNodeTerms(pod.requiredNodeTerms, { ...node, labels }))
  );
}

function predicate(name: string, what: string): Refusal {
  return { reason: name, message: `Predicate ${name} failed: ${what}` };
}
