import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  withAutomaticTolerations,
  withDaemonTolerations,
  withDefaultSeconds,
} from '../../../../agent/decide/taints/automatic-tolerations.ts';
import { podTaintEntry } from '../../../../agent/decide/tolerate.ts';
import type { Toleration } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';

const tol = (key: string, effect = '', more: Partial<Toleration> = {}): Toleration => ({
  key: key === '' ? '' : `node.kubernetes.io/${key}`,
  operator: 'Exists',
  value: '',
  effect,
  ...more,
});
const seconds = (key: string): Toleration => tol(key, 'NoExecute', { tolerationSeconds: 300n });
const NOT_READY = seconds('not-ready');
const UNREACHABLE = seconds('unreachable');

describe('tolerations that admission adds', () => {
  it.each<[string, readonly Toleration[], readonly Toleration[]]>([
    ['vN17: both where there is none', [], [NOT_READY, UNREACHABLE]],
    [
      'vN18: both beside one of every key with another effect',
      [tol('', 'NoSchedule')],
      [NOT_READY, UNREACHABLE],
    ],
    ['vN19: none beside one of everything', [tol('')], []],
    ['none beside one of every key with NoExecute', [tol('', 'NoExecute')], []],
    ['the other one beside one of its key', [tol('not-ready', 'NoExecute')], [UNREACHABLE]],
    ['the other one beside one of its key with every effect', [tol('unreachable')], [NOT_READY]],
    [
      'both beside one of its key with NoSchedule',
      [tol('not-ready', 'NoSchedule')],
      [NOT_READY, UNREACHABLE],
    ],
    ['both beside other keys', [tol('disk-pressure', 'NoExecute')], [NOT_READY, UNREACHABLE]],
    [
      'vN9: the other one beside one of another operator and value',
      [tol('not-ready', 'NoExecute', { operator: 'Equal', value: 'x', tolerationSeconds: 300n })],
      [UNREACHABLE],
    ],
  ])('%s', (_what, own, added) => {
    expect(withDefaultSeconds(own)).toEqual([...own, ...added]);
  });
  it('vN9: a toleration of another value keeps the default away, and the pod is evicted at once', () => {
    const own = tol('not-ready', 'NoExecute', { operator: 'Equal', value: 'x', tolerationSeconds: 300n });
    const taint = { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoExecute' };
    const entry = podTaintEntry({ ...podOf(), tolerations: withDefaultSeconds([own]) }, [taint]);
    expect([entry.noExecute, entry.evictAfterSeconds]).toEqual(['evict-now', null]);
  });
});

describe('tolerations of a DaemonSet', () => {
  const six = [
    tol('not-ready', 'NoExecute'),
    tol('unreachable', 'NoExecute'),
    tol('disk-pressure', 'NoSchedule'),
    tol('memory-pressure', 'NoSchedule'),
    tol('pid-pressure', 'NoSchedule'),
    tol('unschedulable', 'NoSchedule'),
  ];
  it('vN20: six of them', () => {
    expect(withDaemonTolerations({ tolerations: [], hostNetwork: false })).toEqual(six);
  });
  it('vN20: a seventh with the network of the host', () => {
    expect(withDaemonTolerations({ tolerations: [], hostNetwork: true })).toEqual([
      ...six,
      tol('network-unavailable', 'NoSchedule'),
    ]);
  });
  it('one that is the same loses its seconds and keeps its place; any other stays', () => {
    const own = [UNREACHABLE, tol('unreachable', ''), tol('gpu', 'NoSchedule')];
    expect(withDaemonTolerations({ tolerations: own, hostNetwork: false })).toEqual([
      tol('unreachable', 'NoExecute'),
      own[1],
      own[2],
      ...six.filter(({ key }) => !key.endsWith('unreachable')),
    ]);
  });
  it.each<[string, Partial<Toleration>]>([
    ['operator', { operator: 'Equal' }],
    ['value', { value: 'x' }],
    ['effect', { effect: 'NoSchedule' }],
  ])('one of another %s is not the same', (_what, more) => {
    const own = { ...NOT_READY, ...more };
    expect(withDaemonTolerations({ tolerations: [own], hostNetwork: false })).toEqual([own, ...six]);
  });
});

describe('tolerations that a cluster would have added to a pod', () => {
  const owned = (kind: string) => ({ ownerReferences: [{ kind, name: 'x', controller: true }] });
  it('are those of admission', () => {
    const pod = podOf({ metadata: owned('ReplicaSet') });
    expect(withAutomaticTolerations(pod)).toEqual({ ...pod, tolerations: [NOT_READY, UNREACHABLE] });
  });
  it('are those of its DaemonSet, which leave admission nothing to add', () => {
    const pod = podOf({ metadata: owned('DaemonSet'), spec: { hostNetwork: true } });
    const { tolerations } = withAutomaticTolerations(pod);
    expect(tolerations).toEqual(withDaemonTolerations({ tolerations: [], hostNetwork: true }));
  });
  it('an owner that does not control it is none', () => {
    const pod = podOf({ metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'x' }] } });
    expect(withAutomaticTolerations(pod).tolerations).toEqual([NOT_READY, UNREACHABLE]);
  });
  it('are added once', () => {
    const toleration = fc.record({
      key: fc.constantFrom('', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'a'),
      operator: fc.constantFrom('Exists', 'Equal'),
      value: fc.constantFrom('', 'v'),
      effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
    });
    fc.assert(
      fc.property(fc.array(toleration), fc.boolean(), (tolerations, isDaemon) => {
        const pod = { ...podOf({ metadata: isDaemon ? owned('DaemonSet') : {} }), tolerations };
        const once = withAutomaticTolerations(pod);
        expect(withAutomaticTolerations(once)).toEqual(once);
      }),
    );
  });
});
