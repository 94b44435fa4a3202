import type {
  ClusterNode,
  LabelSelector,
  NodeSelectorTerm,
  SelectorRequirement,
} from '../../model/cluster.ts';

type Labels = ReadonlyMap<string, string>;

/**
 * Whether labels meet a label selector (apimachinery: LabelSelectorAsSelector). One that the API would not take, with an
 * operator that it does not know there or without the values that an operator needs, meets nothing.
 */
export function matchesLabelSelector(selector: LabelSelector, labels: Labels): boolean {
  return (
    hasLabels(labels, selector.matchLabels) &&
    selector.matchExpressions.every(
      (requirement) => isLabelRequirement(requirement) && matches(requirement, labels.get(requirement.key)),
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

/** Whether a node meets one of the terms of a required node affinity; a term that says nothing is met by none. */
export function matchesNodeTerms(terms: readonly NodeSelectorTerm[], node: ClusterNode): boolean {
  return terms.some(
    ({ matchExpressions, matchFields }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((requirement) => matches(requirement, node.labels.get(requirement.key))) &&
      matchFields.every((requirement) => matchesField(requirement, node)),
  );
}

/** Of fields only metadata.name can be asked for, and only with one value. */
function matchesField(requirement: SelectorRequirement, node: ClusterNode): boolean {
  const isKnown =
    requirement.key === 'metadata.name' &&
    (requirement.operator === 'In' || requirement.operator === 'NotIn') &&
    requirement.values.length === 1;
  return isKnown && matches(requirement, node.name);
}

function isLabelRequirement({ operator, values }: SelectorRequirement): boolean {
  return operator === 'In' || operator === 'NotIn' ? values.length > 0 : values.length === 0;
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

/** An int64 as Go reads it in base 10. */
function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]{1,40}$/.test(text)) return undefined;
  const integer = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
