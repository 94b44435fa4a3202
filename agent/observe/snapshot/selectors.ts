import type { LabelSelector, NodeSelectorTerm, SelectorRequirement } from '../../model/cluster.ts';
import type { Fields } from '../fields.ts';

/** A label selector, or undefined where it is absent or says nothing. Throws FieldFault. */
export function readLabelSelector(selector: Fields): LabelSelector | undefined {
  const matchLabels = selector.texts('matchLabels');
  const matchExpressions = readRequirements(selector, 'matchExpressions');
  return matchLabels.size + matchExpressions.length === 0 ? undefined : { matchLabels, matchExpressions };
}

/** The terms of a required node affinity, or undefined where a pod's spec requires none. Throws FieldFault. */
export function readRequiredNodeTerms(affinity: Fields): readonly NodeSelectorTerm[] | undefined {
  const nodeAffinity = affinity.map('nodeAffinity');
  if (!nodeAffinity.has(REQUIRED)) return undefined;
  return nodeAffinity
    .map(REQUIRED)
    .maps('nodeSelectorTerms')
    .map((term) => ({
      matchExpressions: readRequirements(term, 'matchExpressions'),
      matchFields: readRequirements(term, 'matchFields'),
    }));
}

/** What must hold for a pod to be placed; what is only preferred makes no node impossible. */
export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function readRequirements(fields: Fields, key: string): readonly SelectorRequirement[] {
  return fields.maps(key).map((requirement) => ({
    key: requirement.text('key') ?? '',
    operator: requirement.text('operator') ?? '',
    values: requirement.textItems('values'),
  }));
}
