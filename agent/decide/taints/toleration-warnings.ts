import { podWarning, type Warning } from '../../../cgroup/warning.ts';
import { TAINT_EFFECTS } from '../../../config/taints/taint.ts';
import type { Pod, Toleration } from '../../model/pod.ts';
import { podName } from '../pod-name.ts';

const OPERATORS = ['', 'Equal', 'Exists', 'Gt', 'Lt'];

/**
 * What is surely a mistake in a pod's tolerations, or depends on a gate that is off by default; one for each of them at most,
 * in their order. The API refuses all of these but the last (validation of tolerations); a file that it never saw may have them.
 */
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
type Fault = readonly [code: string, fault: string];

function tolerationFault(toleration: Toleration): Fault | undefined {
  return (
    unknownWord(toleration) ??
    misplacedSeconds(toleration) ??
    misplacedValue(toleration) ??
    alphaOperator(toleration)
  );
}

function unknownWord({ operator, effect }: Toleration): Fault | undefined {
  if (!OPERATORS.includes(operator)) {
    return [
      'unknown-toleration-operator',
      `has the operator ${JSON.stringify(operator)}, which matches nothing; there are Exists, Equal, Gt and Lt`,
    ];
  }
  return effect === '' || TAINT_EFFECTS.includes(effect)
    ? undefined
    : [
        'unknown-toleration-effect',
        `has the effect ${JSON.stringify(effect)}, which no taint has, so it matches nothing; there are ${TAINT_EFFECTS.join(', ')}`,
      ];
}

function misplacedSeconds({ effect, tolerationSeconds }: Toleration): Fault | undefined {
  if (tolerationSeconds === undefined || effect === 'NoExecute') return undefined;
  return effect === ''
    ? [
        'toleration-seconds-without-effect',
        'has tolerationSeconds and no effect, which the API refuses; it is taken as one of every effect, and the seconds count for NoExecute: write that effect',
      ]
    : [
        'toleration-seconds-ignored',
        `has tolerationSeconds with the effect ${effect}, which the API refuses, so it matches nothing; seconds go with NoExecute`,
      ];
}

function misplacedValue({ key, operator, value }: Toleration): Fault | undefined {
  if (operator === 'Exists') {
    return value === ''
      ? undefined
      : [
          'toleration-value-ignored',
          `has the operator Exists and the value ${JSON.stringify(value)}, which the API refuses; the value counts for nothing: remove it, or write Equal`,
        ];
  }
  return key === ''
    ? [
        'toleration-without-key',
        'has no key and another operator than Exists, which the API refuses; it is taken as one of every key: write Exists or a key',
      ]
    : undefined;
}

function alphaOperator({ operator }: Toleration): Fault | undefined {
  return operator === 'Gt' || operator === 'Lt'
    ? [
        'alpha-toleration-operator',
        `has the operator ${operator}, which needs the alpha gate TaintTolerationComparisonOperators; it is taken as if that were on`,
      ]
    : undefined;
}

function shown({ key }: Toleration): string {
  return key === '' ? 'every key' : key;
}
