import { describe, expect, it } from 'vitest';
import { devicesTable } from '../../../../agent/cli/whatif/devices-table.ts';
import type { DevicePodEntry } from '../../../../agent/decide/taints/device-report.ts';

const name = { driver: 'gpu', pool: 'p', device: 'a' };
const taint = { key: 'hot', value: '9', effect: 'NoExecute', timeAdded: null };
const rows = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

describe('taints of devices for people', () => {
  it('shows what is all right, and a time that is not known', () => {
    const toleration = { key: 'hot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9n };
    const pod: DevicePodEntry = {
      namespace: 'ns',
      name: 'goes',
      noExecute: 'evict',
      evictAt: null,
      evictAfterSeconds: 9n,
      decidedBy: { ...name, claim: 'c', taint, toleration },
    };
    const calm: DevicePodEntry = {
      namespace: 'ns',
      name: 'calm',
      noExecute: 'stay',
      evictAt: null,
      evictAfterSeconds: null,
      decidedBy: null,
    };
    const report = {
      devices: [{ ...name, taints: [taint, { ...taint, effect: 'None', value: '' }], allocatable: true }],
      claims: [{ namespace: 'ns', name: 'c', reservable: true, firstUntolerated: null }],
      devicePods: [calm, pod],
    };
    expect(rows(devicesTable(report, 200))).toEqual([
      [''],
      ['DEVICE', 'ALLOCATABLE', 'TAINTS'],
      ['gpu/p/a', 'yes', 'hot=9:NoExecute, hot:None'],
      [''],
      ['CLAIM', 'RESERVABLE', 'BECAUSE OF'],
      ['ns/c', 'yes', '-'],
      [''],
      ['POD', 'STAYS', 'DECIDED BY'],
      ['ns/calm', 'yes', '-'],
      ['ns/goes', 'until 9 s after the taint', 'hot=9:NoExecute of gpu/p/a, hot Exists NoExecute 9 s'],
      [''],
    ]);
  });
  it('leaves out what there is none of', () => {
    const claims = [{ namespace: 'ns', name: 'c', reservable: true, firstUntolerated: null }];
    expect(rows(devicesTable({ devices: [], claims, devicePods: [] }, 200)).flat()).not.toContain('DEVICE');
  });
});
