import { type Warning, warning } from '../../cgroup/warning.ts';
import { type Parsed, parsed, refused } from '../../config/result.ts';
import type { PreemptionPolicy, PriorityClass } from '../model/cluster.ts';
import type { Pod } from '../model/pod.ts';
import { byNumber, byText, orderedBy } from './ordered-by.ts';
import { policyOf, SYSTEM_CLASSES } from './priority-class.ts';

/** What a pod or group says of its priority. */
export interface StatedPriority {
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: PreemptionPolicy;
}

/** What admission makes of it. */
export interface AdmittedPriority {
  /** Absent where nothing is named and there is no global default. */
  readonly priorityClassName?: string;
  readonly priority: number;
  readonly preemptionPolicy: PreemptionPolicy;
}

/**
 * The priority that a new pod or group gets (admission plugin Priority): that of the class that it names, else that of
 * the global default, else 0. Refused: a class that is not there, and a priority or policy that it states and that is
 * another one. `classes` are all that there are.
 */
export function admitPriority(
  stated: StatedPriority,
  classes: readonly PriorityClass[],
): Parsed<AdmittedPriority> {
  const { priorityClassName: wanted } = stated;
  const found = wanted === undefined ? globalDefault(classes) : classes.find(({ name }) => name === wanted);
  if (wanted !== undefined && found === undefined) {
    return refused(`there is no PriorityClass ${wanted}`);
  }
  const admitted: AdmittedPriority =
    found === undefined
      ? { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }
      : { priorityClassName: found.name, priority: found.value, preemptionPolicy: policyOf(found) };
  const conflict = conflictOf(stated, admitted);
  return conflict === undefined ? parsed(admitted) : refused(conflict);
}

function conflictOf(stated: StatedPriority, admitted: AdmittedPriority): string | undefined {
  const by =
    admitted.priorityClassName === undefined
      ? 'without a PriorityClass'
      : `by the PriorityClass ${admitted.priorityClassName}`;
  if (stated.priority !== undefined && stated.priority !== admitted.priority) {
    return `it states the priority ${stated.priority}, and ${by} it is ${admitted.priority}`;
  }
  return stated.preemptionPolicy === undefined || stated.preemptionPolicy === admitted.preemptionPolicy
    ? undefined
    : `it states the preemption policy ${stated.preemptionPolicy}, and ${by} it is ${admitted.preemptionPolicy}`;
}

/** The class that counts for who names none: of several, which only a race can make, the one of the smallest value. */
function globalDefault(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes
    .filter((one) => one.globalDefault)
    .toSorted(
      orderedBy(
        byNumber(({ value }) => value),
        byText(({ name }) => name),
      ),
    )[0];
}

/** The classes of an input, and where it holds any the two that every cluster has. */
export function knownClasses(classes: readonly PriorityClass[]): readonly PriorityClass[] {
  const missing = SYSTEM_CLASSES.filter(({ name }) => !classes.some((one) => one.name === name));
  return classes.length === 0 ? classes : [...classes, ...missing];
}

/** The priority that the scheduler reads from a pod: one that has none is of 0. */
export function priorityOf({ priority }: Pick<Pod, 'priority'>): number {
  return priority ?? 0;
}

/** A thing of an input with its priority resolved as far as the input says it. */
export interface Resolved<T> {
  readonly value: T;
  readonly warnings: readonly Warning[];
}

/** What resolving needs to know of a pod or group besides its priority. */
export interface PriorityHolder {
  /** For sentences: `pod team/web`. */
  readonly called: () => string;
  /** Whether the API has not seen it yet, so that admission is still to come. */
  readonly isNew: boolean;
}

/**
 * Fills in the priority of something that an input holds. What is new is admitted; what is admitted keeps what it has,
 * and a class that was named and never resolved is looked up, without the global default. Where the classes do not help,
 * it stays as it is, with a warning. `classes` come from `knownClasses`; none at all means that they are not known.
 */
export function resolvePriority<T extends StatedPriority>(
  holder: T,
  { called, isNew }: PriorityHolder,
  classes: readonly PriorityClass[],
): Resolved<T> {
  if (isNew && classes.length > 0) {
    const admitted = admitPriority(holder, classes);
    return admitted.ok
      ? { value: { ...holder, ...admitted.value }, warnings: [] }
      : { value: holder, warnings: [notAdmitted(called(), admitted.message)] };
  }
  if (holder.priority !== undefined || holder.priorityClassName === undefined) {
    return { value: holder, warnings: [] };
  }
  const found = classes.find(({ name }) => name === holder.priorityClassName);
  return found === undefined
    ? { value: holder, warnings: [notResolved(called(), holder.priorityClassName)] }
    : { value: { preemptionPolicy: policyOf(found), ...holder, priority: found.value }, warnings: [] };
}

function notAdmitted(called: string, why: string): Warning {
  const message = `${called}: the API would not admit it, for ${why}; the plan goes by what it states`;
  return warning('priority-not-admitted', message);
}

function notResolved(called: string, className: string): Warning {
  const message = `${called}: no priority is given for its priority class ${className}, so 0 is taken; add the PriorityClass objects to have it resolved`;
  return warning('priority-not-resolved', message);
}
