import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceReport } from '../../../../agent/decide/taints/device-report.ts';
import type {
  AllocatedDevice,
  Device,
  DeviceSnapshot,
  DeviceTaint,
  ResourceClaim,
} from '../../../../agent/model/device.ts';
import type { Pod, Toleration } from '../../../../agent/model/pod.ts';
import { podOf } from '../../../fakes/pods.ts';

const name = (device: string) => ({ driver: 'gpu', pool: 'p', device });
const BROKEN: DeviceTaint = {
  key: 'broken',
  value: 'x',
  effect: 'NoExecute',
  timeAddedMs: Date.parse('2026-03-01T10:00:00Z'),
};
const ENTRY = { key: 'broken', value: 'x', effect: 'NoExecute', timeAdded: '2026-03-01T10:00:00Z' };
const FOR_90_S: Toleration = {
  key: 'broken',
  operator: 'Exists',
  value: '',
  effect: 'NoExecute',
  tolerationSeconds: 90n,
};

const device = (device: string, taints: readonly DeviceTaint[], nodeName = 'n1'): Device => ({
  ...name(device),
  taints,
  nodeName,
});
const has = (device: string, ...tolerations: readonly Toleration[]): AllocatedDevice => ({
  ...name(device),
  tolerations,
});
const claim = (
  called: string,
  devices: readonly AllocatedDevice[],
  ...pods: readonly string[]
): ResourceClaim => ({
  namespace: 'shop',
  name: called,
  devices,
  reservedFor: pods.map((pod) => ({ name: pod, uid: `uid-${pod}` })),
});
const pod = (called: string, more: Partial<Pod> = {}): Pod => ({
  ...podOf({ name: called, metadata: { namespace: 'shop', uid: `uid-${called}` }, spec: { nodeName: 'n1' } }),
  ...more,
});
const report = (snapshot: Partial<DeviceSnapshot>, ...pods: readonly Pod[]) =>
  deviceReport({ devices: [], rules: [], claims: [], ...snapshot }, 'n1', pods);

const STAYS = { noExecute: 'stay', evictAt: null, evictAfterSeconds: null, decidedBy: null };

describe('what taints of devices mean', () => {
  it('lists tainted devices of the node, and of no one node, by name', () => {
    const soft: DeviceTaint = { key: 'seen', value: '', effect: 'None' };
    const devices = [
      device('d', [soft]),
      device('b', [BROKEN], 'n2'),
      { ...name('c'), taints: [BROKEN, soft] },
      device('a', []),
    ];
    expect(report({ devices }).devices).toEqual([
      {
        ...name('c'),
        taints: [ENTRY, { key: 'seen', value: '', effect: 'None', timeAdded: null }],
        allocatable: false,
      },
      {
        ...name('d'),
        taints: [{ key: 'seen', value: '', effect: 'None', timeAdded: null }],
        allocatable: true,
      },
    ]);
  });
  it('rules count, by their names', () => {
    const rule = (called: string) => ({ name: called, selector: {}, taint: { ...BROKEN, key: called } });
    const { devices, claims } = report({
      devices: [device('a', [])],
      rules: [rule('z'), rule('y'), { name: 'x', taint: BROKEN }],
      claims: [claim('gone', [has('no-slice-has-it')])],
    });
    expect(devices.map(({ taints }) => taints.map(({ key }) => key))).toEqual([['y', 'z']]);
    expect(claims.map(({ firstUntolerated }) => firstUntolerated?.taint.key)).toEqual(['y']);
  });
  it('tells which claims can be reserved for another pod', () => {
    const devices = [device('a', []), device('b', [BROKEN], 'n2'), device('c', [BROKEN])];
    const claims = [
      claim('z', [has('a'), has('b'), has('c')]),
      claim('y', [has('a')]),
      claim('x', [has('b', FOR_90_S)]),
      claim('w', []),
    ];
    expect(report({ devices, claims }).claims).toEqual([
      { namespace: 'shop', name: 'x', reservable: true, firstUntolerated: null },
      { namespace: 'shop', name: 'y', reservable: true, firstUntolerated: null },
      { namespace: 'shop', name: 'z', reservable: false, firstUntolerated: { ...name('b'), taint: ENTRY } },
    ]);
  });
  it('tells when pods have to go: by the earliest of their claims', () => {
    const later = { ...BROKEN, timeAddedMs: Date.parse('2026-03-01T10:00:30.5Z') };
    const devices = [device('a', []), device('b', [BROKEN]), device('c', [later])];
    const claims = [
      claim('good', [has('a')], 'calm', 'both'),
      claim('late', [has('b', FOR_90_S)], 'both'),
      claim('soon', [has('c')], 'both', 'gone'),
    ];
    expect(report({ devices, claims }, pod('calm'), pod('none'), pod('both')).devicePods).toEqual([
      {
        namespace: 'shop',
        name: 'both',
        noExecute: 'evict',
        evictAt: '2026-03-01T10:00:30.500Z',
        evictAfterSeconds: 0n,
        decidedBy: {
          ...name('c'),
          claim: 'soon',
          taint: { ...ENTRY, timeAdded: '2026-03-01T10:00:30.500Z' },
          toleration: null,
        },
      },
      { namespace: 'shop', name: 'calm', ...STAYS },
    ]);
  });
  it('names the toleration that gives the time', () => {
    const [entry] = report(
      { devices: [device('b', [BROKEN])], claims: [claim('c', [has('b', FOR_90_S)], 'p')] },
      pod('p'),
    ).devicePods;
    expect(entry).toEqual({
      namespace: 'shop',
      name: 'p',
      noExecute: 'evict',
      evictAt: '2026-03-01T10:01:30Z',
      evictAfterSeconds: 90n,
      decidedBy: {
        ...name('b'),
        claim: 'c',
        taint: ENTRY,
        toleration: { key: 'broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 90n },
      },
    });
  });
  it.each<[string, DeviceTaint, Toleration, bigint]>([
    [
      'of a taint that does not say since when it is there',
      { key: 'broken', value: '', effect: 'NoExecute' },
      FOR_90_S,
      90n,
    ],
    [
      'beyond what a date can be',
      BROKEN,
      { ...FOR_90_S, tolerationSeconds: 9_000_000_000_000n },
      9_000_000_000_000n,
    ],
  ])('a time %s is not shown', (_what, taint, toleration, seconds) => {
    const [entry] = report(
      { devices: [device('b', [taint])], claims: [claim('c', [has('b', toleration)], 'p')] },
      pod('p'),
    ).devicePods;
    expect([entry?.evictAt, entry?.evictAfterSeconds]).toEqual([null, seconds]);
  });
  it.each<[string, Pod, number]>([
    ['of its name and UID', pod('p'), 1],
    [
      'of its name without a UID',
      { ...podOf({ name: 'p', spec: { nodeName: 'n1' } }), namespace: 'shop' },
      1,
    ],
    ['of another UID', pod('p', { uid: 'other' }), 0],
    ['of another namespace', pod('p', { namespace: 'x' }), 0],
    ['of another name', pod('q', { uid: 'uid-p' }), 0],
    ['that no node has', { ...podOf({ name: 'p' }), namespace: 'shop' }, 0],
  ])('a pod %s', (_what, one, count) => {
    expect(report({ claims: [claim('c', [has('b')], 'p')] }, one).devicePods).toHaveLength(count);
  });
  it('does not depend on the order of the input', () => {
    const devices = ['a', 'b', 'c'].map((one) => device(one, [{ ...BROKEN, key: one }]));
    const claims = ['x', 'y', 'z'].map((one, at) => claim(one, [has(['a', 'b', 'c'][at] ?? '')], 'p', 'q'));
    const pods = ['p', 'q', 'r'].map((one) => pod(one));
    const expected = report({ devices, claims }, ...pods);
    const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
    fc.assert(
      fc.property(
        shuffled(devices),
        shuffled(claims),
        shuffled(pods),
        (someDevices, someClaims, somePods) => {
          expect(report({ devices: someDevices, claims: someClaims }, ...somePods)).toEqual(expected);
        },
      ),
    );
  });
});
