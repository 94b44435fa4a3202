import { type Warning, warning } from '../../cgroup/warning.ts';
import type { PriorityClass } from '../model/cluster.ts';
import type { AnyGroup } from './group-tree.ts';
import { podName } from './pod-name.ts';
import { type Resolved, resolvePriority } from './priority.ts';
import { HIGHEST_USER_PRIORITY } from './priority-class.ts';

/**
 * A group with the priority that it has. One without a number has been through no admission, whatever its UID says: admission
 * always leaves one. Where the global default makes it, and where it is more than the API takes for a group, that is said.
 */
export function resolvedGroup<T extends AnyGroup>(group: T, classes: readonly PriorityClass[]): Resolved<T> {
  const called = `${group.kind} ${podName(group)}`;
  const isNew = group.priority === undefined;
  const resolved = resolvePriority(group, { called: () => called, isNew }, classes);
  const warnings = [
    ...resolved.warnings,
    ...byDefault(group, resolved.value, called),
    ...tooHigh(group, called),
  ];
  return { value: resolved.value, warnings };
}

function byDefault(
  stated: AnyGroup,
  { priority, priorityClassName }: AnyGroup,
  called: string,
): readonly Warning[] {
  if (stated.priority !== undefined || stated.priorityClassName !== undefined) return [];
  if (priority === undefined || priorityClassName === undefined) return [];
  const message = `${called}: it states no priority, so that of the global default counts (${priority}, PriorityClass ${priorityClassName}), as admission gives it`;
  return [warning('priority-by-default', message)];
}

function tooHigh({ priority }: AnyGroup, called: string): readonly Warning[] {
  if (priority === undefined || priority <= HIGHEST_USER_PRIORITY) return [];
  const message = `${called}: its priority is ${priority}, and the API takes no more than ${HIGHEST_USER_PRIORITY} for a group; it counts as it is stated`;
  return [warning('group-priority-too-high', message)];
}
