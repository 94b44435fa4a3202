import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readSummary } from '../../../../agent/observe/summary/summary.ts';
import type { PlainValue } from '../../../../config/text/plain-value.ts';
import { podOf } from '../../../fakes/pods.ts';

function doubts(summary: PlainValue, pods: readonly Pod[] = []): readonly string[] {
  const read = readSummary(summary, pods);
  if (!read.ok) throw new Error(read.message);
  return read.value.doubts;
}

describe('a summary with something of another type', () => {
  it.each<[string, PlainValue, string]>([
    ['a text for pods', { node: {}, pods: 'y' }, 'pods is a string and no list'],
    [
      'a text for a number',
      { node: { memory: { availableBytes: 'x', workingSetBytes: 1 } } },
      'node.memory.availableBytes is a string and no whole number',
    ],
    ['a fraction', { node: { rlimit: { maxpid: 1.5 } } }, 'node.rlimit.maxpid is a number that is not whole'],
    ['a list for a map', { node: { fs: [] } }, 'node.fs is a list and no map'],
    ['a number for a time', { node: { memory: { time: 7 } } }, 'node.memory.time is a number and no text'],
    ['a pod that is none', { node: {}, pods: [{}, 5] }, 'pods[1] is a number and no map'],
    [
      'a number of a container',
      { node: {}, pods: [{ containers: [{ rootfs: { usedBytes: true } }] }] },
      'pods[0].containers[0].rootfs.usedBytes is a boolean and no whole number',
    ],
  ])('%s is told', (_what, summary, sentence) => {
    expect(doubts(summary)).toEqual([
      `${sentence}, so it is taken for nothing; check who writes this summary`,
    ]);
  });

  it('is told once, with a count of what else there is', () => {
    expect(doubts({ node: { fs: 1, memory: 2 }, pods: 3 })).toEqual([
      'node.memory is a number and no map, so it is taken for nothing (and 2 more); check who writes this summary',
    ]);
  });

  it('is not one with nothing in a place, nor with numbers that wrapped', () => {
    expect(doubts({ node: { memory: null, fs: { inodes: null } }, pods: null })).toEqual([]);
    expect(doubts({ node: { memory: { availableBytes: 18446744073709551615n } } })).toEqual([]);
  });
});

describe('a summary without any pod', () => {
  const pod = (uid: string, phase: string): Pod =>
    podOf({ name: uid, metadata: { name: uid, uid }, status: { phase } });

  it('is told where pods are in the list', () => {
    const rest = 'nobody is measured; check that it is whole and of this node';
    expect(doubts({ node: {}, pods: [] }, [pod('a', 'Running')])).toEqual([
      `the summary has statistics of no pod, while 1 pod is in the list: ${rest}`,
    ]);
    expect(doubts({ node: {} }, [pod('a', 'Running'), pod('b', 'Running')])).toEqual([
      `the summary has statistics of no pod, while 2 pods are in the list: ${rest}`,
    ]);
  });

  it('is right where none runs, or one is measured', () => {
    expect(doubts({ node: {} }, [pod('a', 'Pending'), pod('b', 'Failed')])).toEqual([]);
    expect(doubts({ node: {}, pods: [{ podRef: { uid: 'a' } }] }, [pod('b', 'Running')])).toEqual([]);
  });
});
