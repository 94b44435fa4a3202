import { describe, expect, it } from 'vitest';
import { allocatedRequest, heldAtKubelet, heldRequest } from '../../../../agent/whatif/fit/pod-requests.ts';
import { formatQuantity } from '../../../../config/numbers/quantity.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { container, podOf, sidecar } from '../../../fakes/pods.ts';

const requests = (amounts: PlainRecord): PlainRecord => ({ resources: { requests: amounts } });
const status = (name: string, allocated?: PlainRecord, actual?: PlainRecord): PlainRecord => ({
  name,
  ...(allocated === undefined ? {} : { allocatedResources: allocated }),
  ...(actual === undefined ? {} : requests(actual)),
});
const cpu = (amount: string): PlainRecord => ({ cpu: amount });
const INFEASIBLE = { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] };
const DEFERRED = { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }] };
const ONE = { nodeName: 'n', containers: [container('c', cpu('300m'))] };

/** What counts of cpu for the scheduler, at the kubelet, and when a pod is let in or ended there. */
function counted(spec: PlainRecord, state: PlainRecord): readonly string[] {
  const pod = podOf({ spec, status: state });
  return [heldRequest, heldAtKubelet, allocatedRequest].map((of) => formatQuantity(of(pod, 'cpu')));
}

describe('what a pod that is resized in place holds', () => {
  it.each<[string, PlainRecord, PlainRecord, readonly string[]]>([
    ['what its spec says where its status says nothing', ONE, {}, ['300m', '300m', '300m']],
    [
      'what its spec says where its status says the same',
      ONE,
      { containerStatuses: [status('c', cpu('300m'), cpu('300m'))] },
      ['300m', '300m', '300m'],
    ],
    [
      'going down: the most of all; at the kubelet what it was told',
      ONE,
      { containerStatuses: [status('c', cpu('500m'), cpu('600m'))] },
      ['600m', '600m', '500m'],
    ],
    [
      'going up, not yet set aside: its spec to the scheduler, what was set aside at the kubelet',
      ONE,
      { ...DEFERRED, containerStatuses: [status('c', cpu('100m'), cpu('100m'))] },
      ['300m', '100m', '100m'],
    ],
    [
      'going up, set aside and not yet told',
      ONE,
      { containerStatuses: [status('c', cpu('300m'), cpu('100m'))] },
      ['300m', '300m', '300m'],
    ],
    [
      'what can never be given does not count',
      ONE,
      { ...INFEASIBLE, containerStatuses: [status('c', cpu('100m'), cpu('200m'))] },
      ['200m', '200m', '100m'],
    ],
    [
      'the first condition of that type says it',
      ONE,
      {
        conditions: [...DEFERRED.conditions, ...INFEASIBLE.conditions],
        containerStatuses: [status('c', cpu('100m'))],
      },
      ['300m', '100m', '100m'],
    ],
    [
      'what was set aside stands for what it was told where only that is known',
      ONE,
      { containerStatuses: [status('c', cpu('400m'))] },
      ['400m', '400m', '400m'],
    ],
    [
      'its spec stands for what was set aside where only what it was told is known',
      ONE,
      { containerStatuses: [status('c', undefined, cpu('400m'))] },
      ['400m', '400m', '300m'],
    ],
    [
      'a sidecar too, beside a container that keeps its size',
      { ...ONE, initContainers: [sidecar('s', cpu('100m'))] },
      {
        containerStatuses: [status('c', cpu('300m'), cpu('300m'))],
        initContainerStatuses: [status('s', cpu('200m'), cpu('250m'))],
      },
      ['550m', '550m', '500m'],
    ],
    [
      'sums are compared, and not the containers one by one',
      { nodeName: 'n', containers: [container('c', cpu('300m')), container('d', cpu('100m'))] },
      { containerStatuses: [status('c', cpu('100m'), cpu('100m')), status('d', cpu('200m'), cpu('200m'))] },
      ['400m', '300m', '300m'],
    ],
    [
      'one of two containers of which the status says nothing counts by its spec',
      { nodeName: 'n', containers: [container('c', cpu('300m')), container('d', cpu('100m'))] },
      { containerStatuses: [status('c', cpu('500m'))] },
      ['600m', '600m', '600m'],
    ],
    [
      'and not at all where its spec can never be met',
      { nodeName: 'n', containers: [container('c', cpu('300m')), container('d', cpu('100m'))] },
      { ...INFEASIBLE, containerStatuses: [status('c', cpu('200m'))] },
      ['200m', '300m', '300m'],
    ],
    [
      'its own status for all its containers, the overhead in it',
      { ...ONE, overhead: cpu('50m') },
      { allocatedResources: cpu('450m'), ...requests(cpu('650m')) },
      ['650m', '650m', '450m'],
    ],
    [
      'what it states for itself, and what its status says of that',
      { ...ONE, ...requests(cpu('1')), overhead: cpu('50m') },
      { allocatedResources: cpu('1250m'), ...requests(cpu('1150m')) },
      ['1250m', '1250m', '1250m'],
    ],
    [
      'what it states for itself where the status speaks of containers alone',
      { ...ONE, ...requests(cpu('1')) },
      { containerStatuses: [status('c', cpu('2'), cpu('2'))] },
      ['1', '1', '1'],
    ],
    [
      'an empty list says nothing',
      ONE,
      { containerStatuses: [status('c', {}, {})] },
      ['300m', '300m', '300m'],
    ],
    [
      'a pod that no node has holds nothing yet but its spec',
      { containers: [container('c', cpu('300m'))] },
      { containerStatuses: [status('c', cpu('500m'))] },
      ['300m', '500m', '500m'],
    ],
  ])('%s', (_, spec, state, amounts) => {
    expect(counted(spec, state)).toEqual(amounts);
  });
});
