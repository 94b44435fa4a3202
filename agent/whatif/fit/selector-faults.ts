import type { LabelSelector, NodeSelectorTerm, SelectorRequirement } from '../../model/cluster.ts';

/** What the API has against a label selector (ValidateLabelSelector), as the end of a sentence; undefined where it takes it. */
export function labelSelectorFault({ matchExpressions }: LabelSelector): string | undefined {
  return firstFault(matchExpressions, labelRequirementFault);
}

/** What the API has against the terms of a required node affinity (ValidateNodeSelector); undefined where it takes them. */
export function nodeTermsFault(terms: readonly NodeSelectorTerm[]): string | undefined {
  if (terms.length === 0) return 'has no terms';
  return firstFault(
    terms,
    ({ matchExpressions, matchFields }) =>
      firstFault(matchExpressions, nodeRequirementFault) ?? firstFault(matchFields, fieldRequirementFault),
  );
}

/** What is wrong with a requirement on labels, where no numbers can be compared. */
export function labelRequirementFault(requirement: SelectorRequirement): string | undefined {
  return setFault(requirement, 'In, NotIn, Exists and DoesNotExist');
}

/** What is wrong with a requirement on the labels of a node. */
export function nodeRequirementFault(requirement: SelectorRequirement): string | undefined {
  const { operator, values } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') {
    return setFault(requirement, 'In, NotIn, Exists, DoesNotExist, Gt and Lt');
  }
  return values.length === 1 && integerOf(values[0]) !== undefined
    ? undefined
    : `has the operator ${operator} without one whole number`;
}

/** What is wrong with a requirement on the fields of a node: only metadata.name can be asked for, and only with one value. */
export function fieldRequirementFault({ key, operator, values }: SelectorRequirement): string | undefined {
  if (key !== 'metadata.name') return `asks for the field ${JSON.stringify(key)}; only metadata.name is one`;
  return (operator === 'In' || operator === 'NotIn') && values.length === 1
    ? undefined
    : 'asks for metadata.name by more than In or NotIn with one value';
}

/** An int64 as Go reads it in base 10. */
export function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]{1,40}$/.test(text)) return undefined;
  const integer = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

function setFault({ operator, values }: SelectorRequirement, known: string): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? undefined : `has the operator ${operator} without values`;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? undefined : `has the operator ${operator} with values`;
    default:
      return `has the operator ${JSON.stringify(operator)}; there are ${known}`;
  }
}

function firstFault<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
