import { describe, expect, it } from 'vitest';
import {
  globalDefaultRefusal,
  type PriorityClassRefusal,
  policyOf,
  priorityClassRefusal,
  priorityClassUpdateRefusal,
  SYSTEM_CLASSES,
} from '../../../agent/decide/priority-class.ts';
import type { PriorityClass } from '../../../agent/model/cluster.ts';

function classOf(parts: Partial<PriorityClass> = {}): PriorityClass {
  return { name: 'a', value: 5, globalDefault: false, ...parts };
}

const BAD_NAME = (name: string): PriorityClassRefusal => ({
  field: 'metadata.name',
  reason: 'Invalid',
  message: `${JSON.stringify(name)} is not a name: small letters, digits, - and . make one, at most 253 of them`,
});

const NODE_CRITICAL: PriorityClassRefusal = {
  field: 'metadata.name',
  reason: 'Forbidden',
  message:
    'system-node-critical has the value 2000001000 and is no global default; no other class may have its name',
};

describe('which classes the API takes', () => {
  it.each<readonly [string, Partial<PriorityClass>, PriorityClassRefusal | undefined]>([
    ['vA1: the highest value that users may give', { value: 1_000_000_000 }, undefined],
    [
      'vA2: not one more',
      { value: 1_000_000_001 },
      {
        field: 'value',
        reason: 'Forbidden',
        message: '1000000001 is above 1000000000, the highest that users may give',
      },
    ],
    ['vA3: the lowest value that there is', { value: -2_147_483_648 }, undefined],
    [
      'vA4: not another name of the system',
      { name: 'system-foo' },
      {
        field: 'metadata.name',
        reason: 'Forbidden',
        message: 'names that begin with system- are reserved',
      },
    ],
    [
      'vA5: a class of the system as it is',
      { name: 'system-node-critical', value: 2_000_001_000 },
      undefined,
    ],
    ['the other one as it is', { name: 'system-cluster-critical', value: 2_000_000_000 }, undefined],
    ['vA6: not with another value', { name: 'system-node-critical', value: 2_000_000_000 }, NODE_CRITICAL],
    [
      'not as the global default',
      { name: 'system-node-critical', value: 2_000_001_000, globalDefault: true },
      NODE_CRITICAL,
    ],
    ['vA7: not a name with capitals and an underscore', { name: 'Bad_Name' }, BAD_NAME('Bad_Name')],
    ['not a name that begins with a dash', { name: '-a' }, BAD_NAME('-a')],
    ['not a name that ends with one', { name: 'a-' }, BAD_NAME('a-')],
    ['not a name with an empty part', { name: 'a..b' }, BAD_NAME('a..b')],
    ['not an empty name', { name: '' }, BAD_NAME('')],
    ['a name of several parts', { name: '1.b-c.d' }, undefined],
    ['a name of 253 characters', { name: 'a'.repeat(253) }, undefined],
    ['not one of 254', { name: 'a'.repeat(254) }, BAD_NAME('a'.repeat(254))],
    ['a class that only queues ahead', { preemptionPolicy: 'Never' }, undefined],
    ['one that says what is the default', { preemptionPolicy: 'PreemptLowerPriority' }, undefined],
    [
      'vA8: not a policy that nobody knows',
      { preemptionPolicy: 'Sometimes' },
      {
        field: 'preemptionPolicy',
        reason: 'NotSupported',
        message: '"Sometimes" is not a preemption policy; write PreemptLowerPriority or Never',
      },
    ],
  ])('%s', (_, parts, refusal) => {
    expect(priorityClassRefusal(classOf(parts))).toEqual(refusal);
  });
});

describe('which changes it takes', () => {
  it('vA9: the value stays what it is', () => {
    expect(priorityClassUpdateRefusal(classOf({ value: 5 }), classOf({ value: 6 }))).toEqual({
      field: 'value',
      reason: 'Forbidden',
      message: 'the value of a PriorityClass cannot be changed; make another class',
    });
  });

  it('so does the policy', () => {
    expect(priorityClassUpdateRefusal(classOf(), classOf({ preemptionPolicy: 'Never' }))).toEqual({
      field: 'preemptionPolicy',
      reason: 'Forbidden',
      message: 'the preemption policy of a PriorityClass cannot be changed; make another class',
    });
  });

  it('to say the default policy is no change, and to become the default is one that it takes', () => {
    const after = classOf({ preemptionPolicy: 'PreemptLowerPriority', globalDefault: true });
    expect(priorityClassUpdateRefusal(classOf(), after)).toBeUndefined();
  });

  it('the rules for new classes hold for changed ones', () => {
    const critical = classOf({ name: 'system-node-critical', value: 2_000_001_000 });
    expect(priorityClassUpdateRefusal(critical, { ...critical, globalDefault: true })).toEqual(NODE_CRITICAL);
  });
});

describe('the global default', () => {
  const DEFAULT = classOf({ name: 'default', globalDefault: true });

  it('cannot be a second class', () => {
    expect(globalDefaultRefusal(classOf({ globalDefault: true }), [classOf(), DEFAULT])).toEqual({
      field: 'globalDefault',
      reason: 'Forbidden',
      message: 'default is the global default already',
    });
  });

  it('can be the class that it is', () => {
    expect(globalDefaultRefusal(DEFAULT, [DEFAULT])).toBeUndefined();
  });

  it('can be any where there is none, and any can be no default', () => {
    expect(globalDefaultRefusal(DEFAULT, [classOf()])).toBeUndefined();
    expect(globalDefaultRefusal(classOf(), [DEFAULT])).toBeUndefined();
  });
});

describe('the policy of a class', () => {
  it('is to preempt unless it says Never', () => {
    expect(policyOf(classOf())).toBe('PreemptLowerPriority');
    expect(policyOf(classOf({ preemptionPolicy: 'Never' }))).toBe('Never');
    expect(SYSTEM_CLASSES.map(policyOf)).toEqual(['PreemptLowerPriority', 'PreemptLowerPriority']);
  });
});
