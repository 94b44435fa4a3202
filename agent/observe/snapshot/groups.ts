import type { CompositePodGroup, DisruptionMode, GroupPolicy, PodGroup } from '../../model/cluster.ts';
import { FieldFault, type Fields } from '../fields.ts';
import { namespacedName } from './object-name.ts';
import { readPreemptionPolicy } from './preemption-policy.ts';

/** Reads a scheduling.k8s.io PodGroup in the shape of 1.36 or of 1.37. Throws FieldFault. */
export function readPodGroup(group: Fields): PodGroup {
  return { kind: 'PodGroup', ...commonOf(group, 'PodGroup', 'minCount') };
}

/** Reads a scheduling.k8s.io CompositePodGroup, the minimum of which is in child groups. Throws FieldFault. */
export function readCompositePodGroup(group: Fields): CompositePodGroup {
  return { kind: 'CompositePodGroup', ...commonOf(group, 'CompositePodGroup', 'minGroupCount') };
}

type Minimum = 'minCount' | 'minGroupCount';

function commonOf(group: Fields, kind: string, minimum: Minimum): Omit<PodGroup, 'kind'> {
  const spec = group.map('spec');
  const parent = spec.text('parentCompositePodGroupName');
  const policy = policyOf(spec, minimum);
  const disruptionMode = disruptionModeOf(spec);
  const priority = spec.integer('priority', 32);
  const priorityClassName = spec.text('priorityClassName');
  return {
    ...namespacedName(group, kind),
    ...(parent === undefined ? {} : { parent }),
    ...(policy === undefined ? {} : { policy }),
    ...(disruptionMode === undefined ? {} : { disruptionMode }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...readPreemptionPolicy(spec),
    hasTopologyConstraint: spec.map('schedulingConstraints').items('topology').length > 0,
  };
}

/** Absent where the group says nothing of a policy; one that it states is exactly one (API: union of basic and gang). */
function policyOf(spec: Fields, minimum: Minimum): GroupPolicy | undefined {
  if (!spec.has('schedulingPolicy')) return undefined;
  const policy = spec.map('schedulingPolicy');
  const isGang = policy.has('gang');
  if (isGang === policy.has('basic')) {
    const message = `a scheduling policy is basic: {} or gang: {${minimum}: N}, one of them`;
    throw new FieldFault(policy.path, message);
  }
  if (isGang) return { kind: 'gang', minCount: minimumOf(policy.map('gang'), minimum) };
  policy.map('basic');
  return { kind: 'basic' };
}

function minimumOf(gang: Fields, minimum: Minimum): number {
  const minCount = gang.integer(minimum, 32);
  if (minCount === undefined || minCount < 1n) {
    throw new FieldFault([...gang.path, minimum], 'a gang needs a minimum of at least 1');
  }
  return Number(minCount);
}

/** `single: {}` or `all: {}` in 1.37; the words Pod and PodGroup in 1.36. */
function disruptionModeOf(spec: Fields): DisruptionMode | undefined {
  switch (spec.plain('disruptionMode')) {
    case 'Pod':
      return 'single';
    case 'PodGroup':
      return 'all';
    default:
      return modeOfUnion(spec);
  }
}

function modeOfUnion(spec: Fields): DisruptionMode | undefined {
  if (!spec.has('disruptionMode')) return undefined;
  const path = [...spec.path, 'disruptionMode'];
  if (typeof spec.plain('disruptionMode') === 'string') throw new FieldFault(path, MODE_WANTED);
  const mode = spec.map('disruptionMode');
  const isSingle = mode.has('single');
  if (isSingle === mode.has('all')) throw new FieldFault(path, MODE_WANTED);
  return isSingle ? 'single' : 'all';
}

const MODE_WANTED = 'a disruption mode is single: {} or all: {} (in 1.36 Pod or PodGroup), one of them';
