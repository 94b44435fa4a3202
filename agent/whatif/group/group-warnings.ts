import { type Warning, warning } from '../../../cgroup/warning.ts';
import { priorityOf } from '../../decide/priority.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { SchedulerRelease } from '../preempt/scheduler-release.ts';
import { branchesOf, type GroupBranch, pendingOf } from './group-hierarchy.ts';
import { groupCalled } from './preemptor-group.ts';

/** What is missing about a group or does not go together in it, and what is made of that. */
export function groupWarnings(root: GroupBranch, release: SchedulerRelease): readonly Warning[] {
  const called = groupCalled(root.group);
  const branches = branchesOf(root);
  const pending = pendingOf(root);
  const priority = root.group.priority ?? 0;
  const silent = branches.filter(({ group }) => group.policy === undefined);
  const others = pending.filter((pod) => priorityOf(pod) !== priority);
  const never = pending.filter(({ preemptionPolicy }) => preemptionPolicy === 'Never');
  return [
    ...(release === '1.37' && root.group.parent !== undefined
      ? [
          warning(
            'parent-not-in-snapshot',
            `${called}: its parent ${root.group.parent} is not in the snapshot, so it is taken to be the root`,
          ),
        ]
      : []),
    ...silent.map(({ group }) =>
      warning(
        'policy-unknown',
        `${groupCalled(group)}: it states no scheduling policy, so each of its members is taken for itself, as with basic`,
      ),
    ),
    ...(release === '1.37' && others.length > 0
      ? [
          warning(
            'member-priority-differs',
            `${called}: ${some(others)} of another priority than its ${priority}, for which a 1.37 scheduler may fail the group; the plan goes by that of the group`,
          ),
        ]
      : []),
    ...(release === '1.37' && root.group.preemptionPolicy !== 'Never' && never.length > 0
      ? [
          warning(
            'member-policy-ignored',
            `${called}: ${some(never)} of the preemption policy Never, and that of the group counts; without the gate PodGroupPreemptionPolicy the group would not preempt`,
          ),
        ]
      : []),
  ];
}

function some(pods: readonly SchedulingPod[]): string {
  const [first] = pods;
  return pods.length === 1 ? `its pod ${first?.name ?? ''} is` : `${pods.length} of its pods are`;
}

/** What the groups of a hierarchy ask for that a plan does not look at. */
export function unmodelledOfGroups(root: GroupBranch): readonly string[] {
  return branchesOf(root).some(({ group }) => group.hasTopologyConstraint)
    ? ['topology constraints of groups']
    : [];
}
