import type {
  ClusterNode,
  LabelSelector,
  NodeSelectorTerm,
  SelectorRequirement,
} from '../../model/cluster.ts';
import {
  fieldRequirementFault,
  integerOf,
  labelRequirementFault,
  nodeRequirementFault,
} from './selector-faults.ts';

type Labels = ReadonlyMap<string, string>;

/**
 * Whether labels meet a label selector (apimachinery: LabelSelectorAsSelector). One that the API would not take, with an
 * operator that it does not know there or without the values that an operator needs, meets nothing.
 */
export function matchesLabelSelector(selector: LabelSelector, labels: Labels): boolean {
  return (
    hasLabels(labels, selector.matchLabels) &&
    selector.matchExpressions.every(
      (requirement) =>
        labelRequirementFault(requirement) === undefined && matches(requirement, labels.get(requirement.key)),
    )
  );
}

/** Whether labels hold all the wanted ones: a pod's nodeSelector. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  for (const [key, value] of wanted) {
    if (labels.get(key) !== value) return false;
  }
  return true;
}

/**
 * Whether a node meets one of the terms of a required node affinity. A term that says nothing is met by none, and so is one with
 * a requirement that the API would not take (component-helpers: NodeSelector).
 */
export function matchesNodeTerms(terms: readonly NodeSelectorTerm[], node: ClusterNode): boolean {
  return terms.some(
    ({ matchExpressions, matchFields }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every(
        (requirement) =>
          nodeRequirementFault(requirement) === undefined &&
          matches(requirement, node.labels.get(requirement.key)),
      ) &&
      matchFields.every(
        (requirement) => fieldRequirementFault(requirement) === undefined && matches(requirement, node.name),
      ),
  );
}

/** `value` is undefined where the label is absent, which meets NotIn and DoesNotExist. */
function matches({ operator, values }: SelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compares(value, values, (label, bound) => label > bound);
    case 'Lt':
      return compares(value, values, (label, bound) => label < bound);
    default:
      return false;
  }
}

function compares(
  value: string | undefined,
  values: readonly string[],
  holds: (label: bigint, bound: bigint) => boolean,
): boolean {
  const label = integerOf(value);
  const bound = values.length === 1 ? integerOf(values[0]) : undefined;
  return label !== undefined && bound !== undefined && holds(label, bound);
}
