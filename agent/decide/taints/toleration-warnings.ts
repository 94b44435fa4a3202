import { podWarning, type Warning } from '../../../cgroup/warning.ts';
import type { Pod, Toleration } from '../../model/pod.ts';
import { podName } from '../pod-name.ts';

const OPERATORS = ['', 'Equal', 'Exists', 'Gt', 'Lt'];

/** What is surely a mistake in a pod's tolerations, or depends on a gate that is off by default; in their order. */
export function tolerationWarnings(pod: Pod): readonly Warning[] {
  return pod.tolerations.flatMap((toleration) => {
    const found = tolerationFault(toleration);
    if (found === undefined) return [];
    const [code, fault] = found;
    return [
      podWarning(code, podName(pod), `pod ${podName(pod)}: its toleration of ${shown(toleration)} ${fault}`),
    ];
  });
}

/** A stable code, and the end of a sentence that begins with the toleration. */
function tolerationFault(toleration: Toleration): readonly [string, string] | undefined {
  const { operator, effect, tolerationSeconds } = toleration;
  if (!OPERATORS.includes(operator)) {
    return [
      'unknown-toleration-operator',
      `has the operator ${JSON.stringify(operator)}, which matches nothing; there are Exists, Equal, Gt and Lt`,
    ];
  }
  if (tolerationSeconds !== undefined && effect !== '' && effect !== 'NoExecute') {
    return [
      'toleration-seconds-ignored',
      `has tolerationSeconds with the effect ${effect}, which the API refuses, so it matches nothing; seconds go with NoExecute`,
    ];
  }
  if (operator === 'Gt' || operator === 'Lt') {
    return [
      'alpha-toleration-operator',
      `has the operator ${operator}, which needs the alpha gate TaintTolerationComparisonOperators; it is taken as if that were on`,
    ];
  }
  return undefined;
}

function shown({ key }: Toleration): string {
  return key === '' ? 'every key' : key;
}
