import { describe, expect, it } from 'vitest';
import { expectedTaints, taintDrift } from '../../../../agent/decide/taints/expected-taints.ts';
import { taintText } from '../../../../agent/decide/taints/taint-text.ts';
import type { Taint } from '../../../../agent/model/node.ts';

/** `Ready=False` as a condition. */
const condition = (text: string) => {
  const [type = '', status = ''] = text.split('=');
  return { type, status };
};
/** `not-ready:NoSchedule`, or with a slash a key of its own. */
const taint = (text: string): Taint => {
  const [name = '', effect = ''] = text.split(':');
  return { key: name.includes('/') ? name : `node.kubernetes.io/${name}`, value: '', effect };
};
const node = (conditions: readonly string[], isUnschedulable = false) => ({
  conditions: conditions.map(condition),
  isUnschedulable,
});
const short = (taints: readonly Taint[]) =>
  taints.map((one) => taintText(one).replace('node.kubernetes.io/', ''));

describe('the taints that a state of a node asks for', () => {
  it.each<[string, readonly string[], boolean, readonly string[]]>([
    [
      'a node that is well has none',
      [
        'Ready=True',
        'MemoryPressure=False',
        'DiskPressure=False',
        'PIDPressure=False',
        'NetworkUnavailable=False',
      ],
      false,
      [],
    ],
    ['a node that says nothing has none', [], false, []],
    ['vC1: Ready False', ['Ready=False'], false, ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    ['vC2: Ready Unknown', ['Ready=Unknown'], false, ['unreachable:NoSchedule', 'unreachable:NoExecute']],
    [
      'vC3: memory pressure, which never evicts',
      ['MemoryPressure=True'],
      false,
      ['memory-pressure:NoSchedule'],
    ],
    [
      'vC3: pressure of a node that is not heard of',
      ['MemoryPressure=Unknown', 'DiskPressure=Unknown', 'PIDPressure=Unknown', 'NetworkUnavailable=Unknown'],
      false,
      [],
    ],
    ['disk pressure', ['DiskPressure=True'], false, ['disk-pressure:NoSchedule']],
    ['PID pressure', ['PIDPressure=True'], false, ['pid-pressure:NoSchedule']],
    ['vC4: cordoned', ['Ready=True'], true, ['unschedulable:NoSchedule']],
    ['vC5: no network', ['NetworkUnavailable=True'], false, ['network-unavailable:NoSchedule']],
    ['a condition that nobody knows', ['KernelDeadlock=True', 'Ready=Maybe'], false, []],
    [
      'all at once, in their order',
      [
        'NetworkUnavailable=True',
        'PIDPressure=True',
        'DiskPressure=True',
        'MemoryPressure=True',
        'Ready=False',
      ],
      true,
      [
        'not-ready:NoSchedule',
        'not-ready:NoExecute',
        'memory-pressure:NoSchedule',
        'disk-pressure:NoSchedule',
        'pid-pressure:NoSchedule',
        'network-unavailable:NoSchedule',
        'unschedulable:NoSchedule',
      ],
    ],
  ])('%s', (_what, conditions, isUnschedulable, taints) => {
    expect(short(expectedTaints(node(conditions, isUnschedulable)))).toEqual(taints);
  });
});

describe('where taints and conditions differ', () => {
  it.each<[string, readonly string[], ReturnType<typeof node>, readonly string[], readonly string[]]>([
    ['nowhere', ['not-ready:NoSchedule', 'not-ready:NoExecute'], node(['Ready=False']), [], []],
    ['vC1: both are missing', [], node(['Ready=False']), ['not-ready:NoSchedule', 'not-ready:NoExecute'], []],
    ['one is missing', ['not-ready:NoSchedule'], node(['Ready=False']), ['not-ready:NoExecute'], []],
    [
      'vC2: those of a node that is not ready go when it is unreachable',
      ['not-ready:NoSchedule', 'not-ready:NoExecute'],
      node(['Ready=Unknown']),
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
      ['not-ready:NoSchedule', 'not-ready:NoExecute'],
    ],
    [
      'vC6: pressure that is over, whoever added the taint',
      ['disk-pressure:NoSchedule'],
      node(['DiskPressure=False']),
      [],
      ['disk-pressure:NoSchedule'],
    ],
    [
      'vC7: the same key with NoExecute is an operator’s',
      ['disk-pressure:NoExecute'],
      node(['DiskPressure=False']),
      [],
      [],
    ],
    [
      'vC7: beside the missing one with NoSchedule',
      ['disk-pressure:NoExecute'],
      node(['DiskPressure=True']),
      ['disk-pressure:NoSchedule'],
      [],
    ],
    [
      'an operator’s own',
      ['example.com/gpu:NoSchedule', 'example.com/gpu:NoExecute', 'out-of-service:NoExecute'],
      node(['Ready=True']),
      [],
      [],
    ],
    ['a soft one of a kept key', ['not-ready:PreferNoSchedule'], node(['Ready=True']), [], []],
    [
      'a cordon that is over',
      ['unschedulable:NoSchedule'],
      node(['Ready=True']),
      [],
      ['unschedulable:NoSchedule'],
    ],
    [
      'a cordon that is over, on a node without conditions',
      ['unschedulable:NoSchedule', 'memory-pressure:NoSchedule'],
      node([]),
      [],
      ['unschedulable:NoSchedule'],
    ],
    ['a cordon with NoExecute is an operator’s', ['unschedulable:NoExecute'], node([]), [], []],
    [
      'a ready node',
      ['not-ready:NoExecute', 'unreachable:NoExecute'],
      node(['Ready=True']),
      [],
      ['not-ready:NoExecute', 'unreachable:NoExecute'],
    ],
    [
      'a node that does not say whether it is ready: only NoSchedule is kept in step',
      ['not-ready:NoExecute', 'not-ready:NoSchedule', 'network-unavailable:NoSchedule'],
      node(['MemoryPressure=False']),
      [],
      ['not-ready:NoSchedule', 'network-unavailable:NoSchedule'],
    ],
  ])('%s', (...row) => {
    const [, taints, state, missing, unexpected] = row;
    const drift = taintDrift(taints.map(taint), state);
    expect([short(drift.missing), short(drift.unexpected)]).toEqual([missing, unexpected]);
  });
  it('a value does not matter', () => {
    const taints = [{ ...taint('memory-pressure:NoSchedule'), value: 'yes' }];
    expect(taintDrift(taints, node(['MemoryPressure=True']))).toEqual({ missing: [], unexpected: [] });
  });
});
