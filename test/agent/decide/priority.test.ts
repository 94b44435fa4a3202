import { describe, expect, it } from 'vitest';
import {
  type AdmittedPriority,
  admitPriority,
  knownClasses,
  priorityOf,
  resolvePriority,
  type StatedPriority,
} from '../../../agent/decide/priority.ts';
import { SYSTEM_CLASSES } from '../../../agent/decide/priority-class.ts';
import type { PriorityClass } from '../../../agent/model/cluster.ts';

function classOf(name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass {
  return { name, value, globalDefault: false, ...more };
}

const HIGH = classOf('high', 1000);
const PATIENT = classOf('patient', 500, { preemptionPolicy: 'Never' });
const DEFAULT = classOf('usual', 1000, { globalDefault: true });
const PREEMPTS = 'PreemptLowerPriority' as const;

describe('what admission makes of a priority', () => {
  it.each<readonly [string, StatedPriority, readonly PriorityClass[], AdmittedPriority | string]>([
    [
      'vA10: of two global defaults the smaller value counts',
      {},
      [DEFAULT, classOf('second', 10, { globalDefault: true })],
      { priorityClassName: 'second', priority: 10, preemptionPolicy: PREEMPTS },
    ],
    [
      'of two of one value the first by name counts',
      {},
      [classOf('z', 10, { globalDefault: true }), classOf('b', 10, { globalDefault: true })],
      { priorityClassName: 'b', priority: 10, preemptionPolicy: PREEMPTS },
    ],
    [
      'vA11: who names no class gets the global default, and its name',
      {},
      [HIGH, DEFAULT],
      { priorityClassName: 'usual', priority: 1000, preemptionPolicy: PREEMPTS },
    ],
    ['vA12: without one it is 0', {}, [HIGH], { priority: 0, preemptionPolicy: PREEMPTS }],
    [
      'vA13: a class that is not there is refused',
      { priorityClassName: 'gone' },
      [HIGH, DEFAULT],
      'there is no PriorityClass gone',
    ],
    [
      'vA14: a priority that is the right one already is taken',
      { priorityClassName: 'high', priority: 1000 },
      [HIGH],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: PREEMPTS },
    ],
    [
      'vA15: a priority without a class that gives it is refused',
      { priority: 7 },
      [HIGH],
      'it states the priority 7, and without a PriorityClass it is 0',
    ],
    [
      'vA16: a policy other than that of the class is refused',
      { priorityClassName: 'high', preemptionPolicy: 'Never' },
      [HIGH],
      'it states the preemption policy Never, and by the PriorityClass high it is PreemptLowerPriority',
    ],
    [
      'the policy of the class is taken, also where it is stated',
      { priorityClassName: 'patient', preemptionPolicy: 'Never' },
      [PATIENT],
      { priorityClassName: 'patient', priority: 500, preemptionPolicy: 'Never' },
    ],
    [
      'vA17: a class of the system is as good as any, in every namespace',
      { priorityClassName: 'system-cluster-critical' },
      SYSTEM_CLASSES,
      { priorityClassName: 'system-cluster-critical', priority: 2_000_000_000, preemptionPolicy: PREEMPTS },
    ],
    [
      'vA18: the class of a group that is not there is refused like that of a pod',
      { priorityClassName: 'missing' },
      [],
      'there is no PriorityClass missing',
    ],
    ['vA19: a group without class and default is of 0', {}, [], { priority: 0, preemptionPolicy: PREEMPTS }],
    [
      'vA20: a group that states another priority is refused',
      { priorityClassName: 'high', priority: 9999 },
      [HIGH],
      'it states the priority 9999, and by the PriorityClass high it is 1000',
    ],
  ])('%s', (_, stated, classes, expected) => {
    expect(admitPriority(stated, classes)).toEqual(
      typeof expected === 'string' ? { ok: false, message: expected } : { ok: true, value: expected },
    );
  });
});

describe('priorities of an input', () => {
  const NEW = { called: () => 'pod team/web', isNew: true };
  const OLD = { called: () => 'pod team/web', isNew: false };

  it('what is new is admitted', () => {
    expect(resolvePriority({ priorityClassName: 'patient' }, NEW, [PATIENT])).toEqual({
      value: { priorityClassName: 'patient', priority: 500, preemptionPolicy: 'Never' },
      warnings: [],
    });
  });

  it('what is new and would be refused stays as it is, with a warning', () => {
    expect(resolvePriority({ priority: 7 }, NEW, [HIGH])).toEqual({
      value: { priority: 7 },
      warnings: [
        {
          code: 'priority-not-admitted',
          message:
            'pod team/web: the API would not admit it, for it states the priority 7, and without a PriorityClass it is 0; the plan goes by what it states',
          cgroup: null,
          pod: null,
        },
      ],
    });
  });

  it('what was admitted keeps its priority, whatever became of its class', () => {
    const stated = { priorityClassName: 'high', priority: 5 };
    expect(resolvePriority(stated, OLD, [HIGH])).toEqual({ value: stated, warnings: [] });
  });

  it('what was admitted without a class gets no global default', () => {
    expect(resolvePriority({}, OLD, [DEFAULT])).toEqual({ value: {}, warnings: [] });
  });

  it('a class that was never resolved is looked up, and a policy that is stated is kept', () => {
    expect(resolvePriority({ priorityClassName: 'high' }, OLD, [HIGH]).value).toEqual({
      priorityClassName: 'high',
      priority: 1000,
      preemptionPolicy: PREEMPTS,
    });
    const never: StatedPriority = { priorityClassName: 'high', preemptionPolicy: 'Never' };
    expect(resolvePriority(never, OLD, [HIGH]).value).toEqual({ ...never, priority: 1000 });
  });

  it.each([
    ['where it is not among the classes', OLD, [HIGH]],
    ['where no classes are known', OLD, []],
    ['where no classes are known, of something new', NEW, []],
  ])('a class that cannot be looked up makes a warning: %s', (_, holder, classes) => {
    expect(resolvePriority({ priorityClassName: 'gone' }, holder, classes)).toEqual({
      value: { priorityClassName: 'gone' },
      warnings: [
        {
          code: 'priority-not-resolved',
          message:
            'pod team/web: no priority is given for its priority class gone, so 0 is taken; add the PriorityClass objects to have it resolved',
          cgroup: null,
          pod: null,
        },
      ],
    });
  });

  it('the classes of the system are known where any is, once', () => {
    expect(knownClasses([])).toEqual([]);
    expect(knownClasses([HIGH])).toEqual([HIGH, ...SYSTEM_CLASSES]);
    expect(knownClasses([HIGH, ...SYSTEM_CLASSES])).toEqual([HIGH, ...SYSTEM_CLASSES]);
  });

  it('a pod without priority is of 0', () => {
    expect(priorityOf({})).toBe(0);
    expect(priorityOf({ priority: -3 })).toBe(-3);
  });
});
