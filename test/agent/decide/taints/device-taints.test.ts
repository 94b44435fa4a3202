import { describe, expect, it } from 'vitest';
import {
  claimEviction,
  type DeviceEviction,
  deviceEviction,
  earliest,
} from '../../../../agent/decide/taints/device-evictions.ts';
import {
  deviceTaintEffect,
  selects,
  taintsOfDevice,
  toleratesDevice,
  untoleratedOfDevice,
} from '../../../../agent/decide/taints/device-taints.ts';
import type {
  DeviceName,
  DeviceTaint,
  DeviceTaintEffect,
  DeviceTaintRule,
} from '../../../../agent/model/device.ts';
import type { Toleration } from '../../../../agent/model/pod.ts';

const GPU: DeviceName = { driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' };
const taint = (effect: DeviceTaintEffect, more: Partial<DeviceTaint> = {}): DeviceTaint => ({
  key: 'unhealthy',
  value: '',
  effect,
  timeAddedMs: 100_000,
  ...more,
});
/** Tolerates with Exists; seconds where they are given. */
const tol = (effect: string, seconds?: number, more: Partial<Toleration> = {}): Toleration => ({
  key: 'unhealthy',
  operator: 'Exists',
  value: '',
  effect,
  ...(seconds === undefined ? {} : { tolerationSeconds: BigInt(seconds) }),
  ...more,
});
const allocatable = (taints: readonly DeviceTaint[], tolerations: readonly Toleration[]): boolean =>
  untoleratedOfDevice(taints, tolerations) === undefined;
const evictionOf = (taints: readonly DeviceTaint[], ...tolerations: readonly Toleration[]) =>
  deviceEviction({ ...GPU, tolerations }, taints);
const secondOf = (eviction: DeviceEviction | undefined) =>
  eviction?.atMs === undefined ? eviction : eviction.atMs / 1000;

describe('a device that is tainted', () => {
  it.each<[string, readonly DeviceTaint[], readonly Toleration[], boolean, number | undefined]>([
    ['without taints', [], [], true, undefined],
    ['vX1: None does nothing', [taint('None')], [], true, undefined],
    [
      'vX2: NoSchedule keeps it from being allocated, and ends nobody',
      [taint('NoSchedule')],
      [],
      false,
      undefined,
    ],
    ['NoSchedule that is tolerated', [taint('NoSchedule')], [tol('NoSchedule')], true, undefined],
    ['vX3: NoExecute ends pods when it is added', [taint('NoExecute')], [], false, 100],
    ['vX4: tolerated for 30 s', [taint('NoExecute')], [tol('NoExecute', 30)], true, 130],
    [
      'vX5: the shortest of all tolerations counts',
      [taint('NoExecute')],
      [tol('NoExecute', 30), tol('NoExecute', 10, { key: '' })],
      true,
      110,
    ],
    [
      'vX5: also the other way round',
      [taint('NoExecute')],
      [tol('NoExecute', 10, { key: '' }), tol('NoExecute', 30)],
      true,
      110,
    ],
    [
      'vX6: one for ever is enough',
      [taint('NoExecute')],
      [tol('NoExecute', 30), tol('NoExecute')],
      true,
      undefined,
    ],
    [
      'vX7: one of every effect lets it be allocated, and does not let pods stay',
      [taint('NoExecute')],
      [tol('')],
      true,
      100,
    ],
    ['vX8: seconds below 0 are 0', [taint('NoExecute')], [tol('NoExecute', -5)], true, 100],
    [
      'vX8: and shorter than 30',
      [taint('NoExecute')],
      [tol('NoExecute', 30), tol('NoExecute', -5)],
      true,
      100,
    ],
    ['a toleration of another key', [taint('NoExecute')], [tol('NoExecute', 30, { key: 'x' })], false, 100],
    ['one of another effect', [taint('NoExecute')], [tol('NoSchedule')], false, 100],
    [
      'one of another value',
      [taint('NoExecute', { value: 'v' })],
      [tol('NoExecute', 9, { operator: 'Equal', value: 'w' })],
      false,
      100,
    ],
    [
      'comparisons are not for devices',
      [taint('NoExecute', { value: '9' })],
      [tol('NoExecute', 9, { operator: 'Gt', value: '1' })],
      false,
      100,
    ],
    [
      'seconds with another effect are ignored',
      [taint('NoSchedule')],
      [tol('NoSchedule', 5)],
      true,
      undefined,
    ],
    [
      'of several taints the earliest counts',
      [
        taint('NoExecute', { timeAddedMs: 200_000 }),
        taint('NoExecute', { key: 'hot', timeAddedMs: 150_000 }),
      ],
      [tol('NoExecute', 0)],
      false,
      150,
    ],
    [
      'one that is tolerated for ever does not count among them',
      [taint('NoExecute'), taint('NoExecute', { key: 'hot', timeAddedMs: 150_000 })],
      [tol('NoExecute'), tol('NoExecute', 7, { key: 'hot' })],
      true,
      157,
    ],
  ])('%s', (...row) => {
    const [, taints, tolerations, canBeAllocated, at] = row;
    expect([allocatable(taints, tolerations), secondOf(evictionOf(taints, ...tolerations))]).toEqual([
      canBeAllocated,
      at,
    ]);
  });
  it('names the first taint that keeps it from being allocated', () => {
    const taints = [taint('None'), taint('NoSchedule', { key: 'a' }), taint('NoExecute')];
    expect(untoleratedOfDevice(taints, [])).toBe(taints[1]);
    expect(untoleratedOfDevice(taints, [tol('', undefined, { key: 'a' })])).toBe(taints[2]);
  });
  it('tells what decides', () => {
    const toleration = tol('NoExecute', 30);
    expect(evictionOf([taint('NoExecute')], toleration)).toEqual({
      device: GPU,
      taint: taint('NoExecute'),
      toleration,
      afterSeconds: 30n,
      atMs: 130_000,
    });
    const timeless: DeviceTaint = { key: 'unhealthy', value: '', effect: 'NoExecute' };
    expect(evictionOf([timeless])).toEqual({ device: GPU, taint: timeless, afterSeconds: 0n });
  });
  it.each<[string, Toleration, boolean]>([
    ['Lt', tol('', undefined, { operator: 'Lt', value: '10' }), false],
    ['Equal', tol('', undefined, { operator: 'Equal', value: '9' }), true],
    ['no operator', tol('', undefined, { operator: '', value: '9' }), true],
    ['an unknown operator', tol('', undefined, { operator: 'In', value: '9' }), false],
  ])('the operator of a toleration: %s', (_what, toleration, expected) => {
    expect(toleratesDevice(toleration, taint('NoSchedule', { value: '9' }))).toBe(expected);
  });
});

describe('the earliest of several', () => {
  const at = (atMs: number | undefined, seconds: bigint, key: string): DeviceEviction => ({
    device: GPU,
    taint: taint('NoExecute', { key }),
    afterSeconds: seconds,
    ...(atMs === undefined ? {} : { atMs }),
  });
  it.each<[string, readonly DeviceEviction[], string | undefined]>([
    ['none', [], undefined],
    ['by time', [at(5, 0n, 'a'), at(4, 9n, 'b')], 'b'],
    ['one of a known time before others', [at(undefined, 0n, 'a'), at(9, 9n, 'b')], 'b'],
    ['without a time by seconds', [at(undefined, 2n, 'a'), at(undefined, 1n, 'b')], 'b'],
    ['of one time by seconds', [at(9, 2n, 'a'), at(9, 1n, 'b')], 'b'],
    ['else the first', [at(9, 2n, 'a'), at(9, 2n, 'b')], 'a'],
  ])('%s', (_what, evictions, key) => {
    expect(earliest(evictions)?.taint.key).toBe(key);
  });
  it('of the devices of a claim', () => {
    const devices = ['gpu-0', 'gpu-1', 'gpu-2'].map((device) => ({ ...GPU, device, tolerations: [] }));
    const claim = { namespace: 'shop', name: 'c', devices, reservedFor: [] };
    const times = new Map([
      ['gpu-1', 7000],
      ['gpu-2', 6000],
    ]);
    const eviction = claimEviction(claim, ({ device }) => {
      const timeAddedMs = times.get(device);
      return timeAddedMs === undefined ? [] : [taint('NoExecute', { timeAddedMs })];
    });
    expect([eviction?.device.device, eviction?.atMs]).toEqual(['gpu-2', 6000]);
    expect(claimEviction(claim, () => [])).toBeUndefined();
  });
});

describe('a rule', () => {
  const rule = (selector?: Partial<DeviceName>): DeviceTaintRule => ({
    name: 'r',
    taint: taint('NoExecute'),
    ...(selector === undefined ? {} : { selector }),
  });
  it.each<[string, Partial<DeviceName> | undefined, boolean]>([
    ['vX9: without a selector is about no device', undefined, false],
    ['vX9: with an empty one about all', {}, true],
    ['by driver', { driver: GPU.driver }, true],
    ['by another driver', { driver: 'x' }, false],
    ['by another pool', { pool: 'n2' }, false],
    ['by another device', { device: 'gpu-1' }, false],
    ['all parts have to hold', { driver: GPU.driver, pool: 'n1', device: 'gpu-1' }, false],
    ['by all parts', GPU, true],
  ])('%s', (_what, selector, expected) => {
    expect(selects(rule(selector), GPU)).toBe(expected);
  });
  it('adds its taint to those of the device', () => {
    const own = taint('NoExecute', { timeAddedMs: 1 });
    expect(taintsOfDevice({ ...GPU, taints: [own] }, [rule({}), rule(), rule({ pool: 'n1' })])).toEqual([
      own,
      taint('NoExecute'),
      taint('NoExecute'),
    ]);
  });
});

describe('the effect of a device’s taint', () => {
  it.each<[string, DeviceTaintEffect]>([
    ['None', 'None'],
    ['NoSchedule', 'NoSchedule'],
    ['NoExecute', 'NoExecute'],
    ['Later', 'None'],
  ])('%s', (text, effect) => {
    expect(deviceTaintEffect(text)).toEqual({ ok: true, value: effect });
  });
  it.each([
    ['PreferNoSchedule', 'PreferNoSchedule'],
    ['', 'no effect'],
  ])('vX10: %j is refused', (text, shown) => {
    expect(deviceTaintEffect(text)).toEqual({
      ok: false,
      message: `${shown} is not for devices; there are None, NoSchedule and NoExecute`,
    });
  });
});
