import type { EffectiveProtection } from '../../cgroup/effective.ts';
import { parsePodCgroup } from '../../cgroup/paths.ts';
import { type Warning, warning } from '../../cgroup/warning.ts';
import type { PlanInputs } from './plan-inputs.ts';

const FIRST_SAFE_KERNEL = { major: 5, minor: 9 } as const;

/** What a person should know about a plan as a whole, in a fixed order. */
export function planWarnings(
  inputs: PlanInputs,
  effective: readonly EffectiveProtection[] | undefined,
): readonly Warning[] {
  return [
    ...kernelWarning(inputs.machine.kernelRelease),
    ...gateWarning(inputs),
    ...safeWarning(inputs),
    ...treeWarnings(inputs),
    ...[unlistedPods(inputs)].filter((found) => found !== undefined),
    ...leakWarning(inputs, effective),
  ];
}

/** Before 5.9 a process above memory.high could be throttled for ever (kernel b3ff92916af3). */
function kernelWarning(release: string | undefined): readonly Warning[] {
  const [, major, minor] = /^([0-9]+)\.([0-9]+)/.exec(release ?? '') ?? [];
  if (release === undefined || major === undefined || minor === undefined) {
    return [];
  }
  const isOld =
    Number(major) < FIRST_SAFE_KERNEL.major ||
    (Number(major) === FIRST_SAFE_KERNEL.major && Number(minor) < FIRST_SAFE_KERNEL.minor);
  const message = `kernel ${release} is older than 5.9: a process above memory.high can be stuck there for ever`;
  return isOld ? [warning('kernel-too-old', message)] : [];
}

function gateWarning({ kubelet }: PlanInputs): readonly Warning[] {
  const message =
    'the MemoryQoS feature gate is not stated as false: a kubelet of 1.37 may write the same files; set featureGates.MemoryQoS: false where nodeqos is to own them';
  return kubelet.memoryQosGateStatedFalse ? [] : [warning('memory-qos-gate', message)];
}

function safeWarning({ policy }: PlanInputs): readonly Warning[] {
  const message =
    'protection safe: the memory.min of kubepods follows working sets and does not cover the sum of its pods';
  const isSafe = policy.protection === 'safe' && policy.memoryReservationPolicy === 'TieredReservation';
  return isSafe ? [warning('protection-safe', message)] : [];
}

function treeWarnings({ snapshot, layout, machine }: PlanInputs): readonly Warning[] {
  if (snapshot === undefined) {
    return [];
  }
  if (snapshot.kubepods === undefined) {
    const message = `there is no cgroup ${layout.kubepods}: either no kubelet has run here, or cgroupRoot or the cgroup driver are others`;
    return [{ code: 'kubepods-not-found', message, cgroup: layout.kubepods, pod: null }];
  }
  if (machine.memoryRecursiveProt === undefined) {
    const message =
      'whether the cgroup2 mount has memory_recursiveprot is not known; effective protection is computed without it';
    return [warning('memory-recursiveprot-unknown', message)];
  }
  return [];
}

/**
 * Pods that run here and are not in the list: their requests are missing in the sums of tiers and root, so that a list of
 * another node, or an empty one, would take protection away from what runs. undefined: every pod is listed, as far as the
 * tree was looked at.
 */
export function unlistedPods({
  pods,
  snapshot,
  layout,
}: Pick<PlanInputs, 'pods' | 'snapshot' | 'layout'>): Warning | undefined {
  const listed = new Set(pods.map(({ cgroupUid }) => cgroupUid));
  // A child of kubepods is a pod or a tier of pods; below pods nothing is looked at.
  const children = snapshot?.kubepods?.children ?? [];
  const podsAndTiers = children.flatMap((child) => [child, ...child.children]);
  const strangers = podsAndTiers.filter(({ cgroup }) => {
    const pod = parsePodCgroup(cgroup);
    return pod !== undefined && !listed.has(pod.cgroupUid);
  });
  if (strangers.length === 0) {
    return undefined;
  }
  const message = `pod cgroups below ${layout.kubepods} that are of no pod in the list: ${strangers.length}; their requests are missing in the sums, so check that the list is whole and of this node`;
  return { code: 'pods-not-listed', message, cgroup: layout.kubepods, pod: null };
}

/**
 * With memory_recursiveprot, hard protection of kubepods that Guaranteed pods do not use flows to whatever else is in
 * there, BestEffort pods too, and node-wide reclaim then takes from system daemons first.
 */
function leakWarning(
  { layout, snapshot }: PlanInputs,
  effective: readonly EffectiveProtection[] | undefined,
): readonly Warning[] {
  const others = new Set(
    snapshot?.kubepods?.children
      .filter(({ cgroup, min }) => parsePodCgroup(cgroup) === undefined && (min ?? 0n) === 0n)
      .map(({ cgroup }) => cgroup),
  );
  const leaks = (effective ?? []).filter(({ cgroup, min }) => min > 0n && others.has(cgroup));
  if (leaks.length === 0) {
    return [];
  }
  const listed = leaks.map(({ cgroup, min }) => `${cgroup} (${min} bytes)`).join(', ');
  const message = `memory.min of ${layout.kubepods} that Guaranteed pods do not use protects others from node-wide reclaim through memory_recursiveprot: ${listed}`;
  return [{ code: 'protection-leak', message, cgroup: layout.kubepods, pod: null }];
}
