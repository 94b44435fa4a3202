import { describe, expect, it } from 'vitest';
import { deletionGraceSeconds } from '../../agent/decide/eviction/grace.ts';
import { admitPriority, resolvePriority } from '../../agent/decide/priority.ts';
import {
  globalDefaultRefusal,
  policyOf,
  priorityClassRefusal,
  SYSTEM_CLASSES,
} from '../../agent/decide/priority-class.ts';
import type { PriorityClass } from '../../agent/model/cluster.ts';
import { readSnapshotTexts } from '../../agent/observe/snapshot/read-snapshot.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { nodeNamed, planFor, podNamed, snapshotOf } from '../fakes/cluster.ts';
import { podOf } from '../fakes/pods.ts';
import { memoryPod, namesOf, rankOf } from '../fakes/ranking.ts';

const classOf = (parts: Partial<PriorityClass> = {}): PriorityClass => ({
  name: 'a',
  value: 5,
  globalDefault: false,
  ...parts,
});
const admitted = (classes: readonly PriorityClass[], stated: Parameters<typeof admitPriority>[0] = {}) => {
  const answer = admitPriority(stated, classes);
  return answer.ok ? answer.value.priority : answer.message;
};

/**
 * What is commonly said of priority classes, by the number of the statement. P1 to P3, P8 and P18 are about what people do, P15,
 * P27, P33 and T16 about how a cluster goes on in time (back-off, gaps, events): nodeqos answers for one moment.
 */
describe('priority classes', () => {
  it('P4: there are two of the system, which count without being listed beside others', () => {
    expect(SYSTEM_CLASSES.map(({ name, value }) => [name, value])).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ]);
    const pending: PlainRecord = {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { priorityClassName: 'system-node-critical', containers: [] },
    };
    const other = { kind: 'PriorityClass', metadata: { name: 'other' }, value: 1 };
    expect(snapshotOf(pending, other).pods[0]?.priority).toBe(2_000_001_000);
  });

  it('P5: a class needs a value', () => {
    const text = JSON.stringify({ kind: 'PriorityClass', metadata: { name: 'a' } });
    expect(() => readSnapshotTexts([{ file: 'a.json', text }])).toThrow('value');
  });

  it('P6: its name is a DNS subdomain that does not begin with system-', () => {
    const field = (name: string) => priorityClassRefusal(classOf({ name }))?.field;
    expect(['a.b-c', 'A', 'system-a'].map(field)).toEqual([undefined, 'metadata.name', 'metadata.name']);
  });

  it('P7: its value is one of 32 bits, of at most a billion', () => {
    const field = (value: number) => priorityClassRefusal(classOf({ value }))?.field;
    expect([-2_147_483_648, 1_000_000_000, 1_000_000_001].map(field)).toEqual([
      undefined,
      undefined,
      'value',
    ]);
  });

  it('P9: one is the global default, and of two that a race made the smaller value counts', () => {
    const usual = classOf({ name: 'usual', value: 10, globalDefault: true });
    const second = classOf({ name: 'second', value: 4, globalDefault: true });
    expect(globalDefaultRefusal(second, [usual])?.reason).toBe('Forbidden');
    expect([admitted([classOf()]), admitted([classOf(), usual]), admitted([usual, second])]).toEqual([
      0, 10, 4,
    ]);
  });

  it('P11, P12: pods that are there keep their priority, whatever becomes of the classes', () => {
    const usual = classOf({ name: 'usual', value: 10, globalDefault: true });
    const holder = { priority: 3, priorityClassName: 'gone' };
    const called = () => 'pod a';
    expect(resolvePriority(holder, { called, isNew: false }, [usual]).value.priority).toBe(3);
    const { value, warnings } = resolvePriority({}, { called, isNew: false }, [usual]);
    expect([value, warnings]).toEqual([{}, []]);
  });

  it('P12, P20: a new pod of a class that is not there is refused', () => {
    expect(admitted([classOf()], { priorityClassName: 'gone' })).toBe('there is no PriorityClass gone');
  });

  it('P13, P19, P20: the classes of the examples are good, and their pods have their values', () => {
    const high = classOf({ name: 'high-priority', value: 1_000_000 });
    const patient = classOf({
      name: 'high-priority-nonpreempting',
      value: 1_000_000,
      preemptionPolicy: 'Never',
    });
    expect([high, patient].map(priorityClassRefusal)).toEqual([undefined, undefined]);
    const priorities = [high, patient].map(({ name }) =>
      admitted([high, patient], { priorityClassName: name }),
    );
    expect(priorities).toEqual([1_000_000, 1_000_000]);
  });

  it('P14: a pod of a class that never preempts waits', () => {
    const pending: PlainRecord = {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        priorityClassName: 'patient',
        containers: [{ name: 'c', resources: { requests: { cpu: '300m' } } }],
      },
    };
    const patient = {
      kind: 'PriorityClass',
      metadata: { name: 'patient' },
      value: 9,
      preemptionPolicy: 'Never',
    };
    const plan = planFor(
      snapshotOf(pending, patient, nodeNamed('n'), podNamed('a', { requests: 'L', node: 'n' })),
    );
    expect([plan.outcome, plan.reason]).toEqual(['not-eligible', 'its preemption policy is Never']);
  });

  it('P17: a class without a policy preempts', () => {
    expect(policyOf(classOf())).toBe('PreemptLowerPriority');
  });
});

/** What is said of pods that go. */
describe('the end of a pod', () => {
  it('P35: takes 30 s where the pod states no grace', () => {
    expect(deletionGraceSeconds(podOf())).toBe(30);
  });

  it('P40: under pressure goes by usage above the request, then priority, then by how far above', () => {
    const pods = [
      memoryPod('within', 90, { memory: '100Mi', priority: -1 }),
      memoryPod('high-over', 900, { memory: '100Mi', priority: 9 }),
      memoryPod('low-little-over', 110, { memory: '100Mi', priority: 0 }),
      memoryPod('low-far-over', 500, { memory: '100Mi', priority: 0 }),
    ];
    const order = ['low-far-over', 'low-little-over', 'high-over', 'within'];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(order);
  });

  it('P41: comes last to pods within their requests, and comes', () => {
    const ranking = rankOf([memoryPod('within', 90, { memory: '100Mi' })], 'memory.available');
    expect(ranking.map(({ exceedsRequest, evictable }) => [exceedsRequest, evictable])).toEqual([
      [false, true],
    ]);
  });
});
