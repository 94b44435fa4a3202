import { type Warning, warning } from '../../../cgroup/warning.ts';
import { scaledUp } from '../../../config/numbers/decimal.ts';
import { firstOf } from '../../decide/first-of.ts';
import { podName } from '../../decide/pod-name.ts';
import type { ClusterNode } from '../../model/cluster.ts';
import type { Pod, Resources } from '../../model/pod.ts';

/** Tells of amounts beyond 64 bits, which are read as the most that these hold, as the API does (Quantity: cap at max size). */
export function saturatedAmounts(nodes: readonly ClusterNode[], pods: readonly Pod[]): readonly Warning[] {
  const found = [
    ...nodes.flatMap(({ name, allocatable = NOTHING }) =>
      beyondInt64([allocatable]).map((resource) => `${resource} of node ${name}`),
    ),
    ...pods.flatMap((pod) =>
      beyondInt64(amountsOf(pod)).map((resource) => `${resource} of pod ${podName(pod)}`),
    ),
  ];
  if (found.length === 0) return [];
  const message = `more than 64 bits hold is taken as the most that they do: ${firstOf(found)}`;
  return [warning('amount-saturated', message)];
}

const NOTHING: Resources = new Map();

function amountsOf({ containers, overhead, podLevel }: Pod): readonly Resources[] {
  const own = podLevel === undefined ? [] : [podLevel.requests, podLevel.limits];
  return [...containers.flatMap(({ requests, limits }) => [requests, limits]), overhead, ...own];
}

/** The resources of which 64 bits do not hold an amount, each once; cpu is counted in thousandths, as the scheduler does. */
function beyondInt64(amounts: readonly Resources[]): readonly string[] {
  const names = new Set<string>();
  for (const resources of amounts) {
    for (const [resource, { unscaled, exponent }] of resources) {
      const scale = resource === 'cpu' ? exponent + 3 : exponent;
      const isSurelySmall = unscaled <= SURELY_SMALL && scale <= 3;
      if (!isSurelySmall && scaledUp(unscaled, scale) > INT64_MAX) names.add(resource);
    }
  }
  return [...names];
}

const INT64_MAX = (1n << 63n) - 1n;
/** A thousand times this is still far from the end of int64. */
const SURELY_SMALL = 1n << 52n;
