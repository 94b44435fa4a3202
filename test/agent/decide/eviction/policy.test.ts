import { describe, expect, it } from 'vitest';
import { evictionPolicy } from '../../../../agent/decide/eviction/policy.ts';
import type { Compatibility } from '../../../../agent/decide/resources.ts';
import { readKubeletConfiguration } from '../../../../config/kubelet/read.ts';
import { readNodeQosConfiguration } from '../../../../config/nodeqos/read.ts';
import { Story } from '../../../fakes/eviction.ts';
import { memoryPod } from '../../../fakes/ranking.ts';

const KUBELET = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const NODEQOS = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

function policy(
  kubelet: string,
  nodeqos = '',
  compat: Compatibility = 'nodeqos',
): ReturnType<typeof evictionPolicy> {
  const ofKubelet = readKubeletConfiguration({ file: 'k', text: KUBELET + kubelet }, []).settings;
  const own = readNodeQosConfiguration({ file: 'n', text: NODEQOS + nodeqos }, []).settings;
  if (ofKubelet === undefined || own === undefined) throw new Error('refused');
  return evictionPolicy(ofKubelet, own, compat);
}

const ids = (one: ReturnType<typeof policy>): readonly string[] => one.thresholds.map(({ id }) => id);

describe('the policy of evictions', () => {
  it('is that of the defaults where nothing is stated', () => {
    const { thresholds, ...rest } = policy('');
    expect(thresholds.map(({ id }) => id)).toEqual([
      'allocatableMemory.available hard 100Mi',
      'imagefs.available hard 15%',
      'imagefs.inodesFree hard 5%',
      'memory.available hard 100Mi',
      'nodefs.available hard 10%',
      'nodefs.inodesFree hard 5%',
    ]);
    expect(rest).toEqual({
      pressureTransitionPeriodMs: 300_000,
      maxPodGracePeriodSeconds: 0,
      unmeasured: 'skip',
      groups: 'ignore',
      protected: { namespaces: [], labels: new Map() },
      backOffMs: 60_000,
      maxPodListAgeMs: expect.any(Number) as number,
      compat: 'nodeqos',
    });
  });
  it.each(['nodeqos', 'kubelet'] as const)('takes nodeqos.yaml before the kubelet, rules of %s', (compat) => {
    const own = `pods: {maxAge: 7s}
eviction:
  thresholds: {hard: {pid.available: "7"}}
  pressureTransitionPeriod: 0s
  maxPodGracePeriodSeconds: 9
  unmeasured: evict
  groups: count
  backOff: 8s
  protected: {namespaces: [vital]}
`;
    const { thresholds, ...rest } = policy('evictionMaxPodGracePeriod: 5\n', own, compat);
    expect(thresholds.map(({ id }) => id)).toEqual(['pid.available hard 7']);
    expect(rest).toEqual({
      pressureTransitionPeriodMs: 0,
      maxPodGracePeriodSeconds: 9,
      unmeasured: 'evict',
      groups: 'count',
      protected: { namespaces: ['vital'], labels: new Map() },
      backOffMs: 8000,
      maxPodListAgeMs: 7000,
      compat,
    });
  });
  it('V53, V54: copies on containerfs are not listed, whatever the layout', () => {
    const stated = `evictionHard: {nodefs.available: 100Mi, imagefs.available: 150Mi, containerfs.available: 1Gi}
evictionSoft: {nodefs.available: 200Mi}
evictionSoftGracePeriod: {nodefs.available: 1m}
evictionMinimumReclaim: {nodefs.available: 1Gi}
`;
    expect(ids(policy(stated))).toEqual([
      'imagefs.available hard 150Mi',
      'nodefs.available hard 100Mi',
      'nodefs.available soft 200Mi',
    ]);
  });
  it('V84: a soft threshold with a grace of 0s is hard: it has a copy, and a pod goes within a second', () => {
    const stated = `evictionHard: {}
evictionSoft: {memory.available: 200Mi}
evictionSoftGracePeriod: {memory.available: 0s}
evictionMaxPodGracePeriod: 60
`;
    const one = policy(stated);
    expect(ids(one)).toEqual(['allocatableMemory.available hard 200Mi', 'memory.available hard 200Mi']);
    expect(new Story(one).look(0, { 'memory.available': '199Mi' }, { pods: [memoryPod('a', 500)] })).toEqual({
      conditions: ['MemoryPressure'],
      met: ['memory.available hard 200Mi'],
      evict: ['a memory.available hard 1'],
    });
  });
});
