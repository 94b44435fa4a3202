import { describe, expect, it } from 'vitest';
import { firstProcess } from '../../../agent/act/evict/first-process.ts';
import { thawLeftBehind } from '../../../agent/act/evict/freeze.ts';
import type { Processes, ProcessFacts } from '../../../agent/act/evict/processes.ts';
import { waitUntil } from '../../../agent/act/evict/wait.ts';
import { FakeKernel } from '../../fakes/fake-kernel.ts';

const NEVER = new AbortController().signal;

describe('waiting for something', () => {
  it('is over at once when it is so already, without a pause', async () => {
    const clock = new FakeKernel();
    expect(await waitUntil(clock, () => true, 0, NEVER)).toBe('met');
    expect(clock.nowMs()).toBe(0);
  });

  it('looks often at first, and every tenth of a second later', async () => {
    const clock = new FakeKernel();
    const looks: number[] = [];
    expect(
      await waitUntil(
        clock,
        () => {
          looks.push(Math.round(clock.nowMs()));
          return false;
        },
        500,
        NEVER,
      ),
    ).toBe('timed-out');
    expect(looks).toEqual([0, 5, 13, 24, 41, 66, 104, 161, 246, 346, 446, 500]);
  });

  it('sees at the very end what has come about in the last pause', async () => {
    const clock = new FakeKernel();
    expect(await waitUntil(clock, () => clock.nowMs() >= 500, 500, NEVER)).toBe('met');
  });

  it('ends with the agent', async () => {
    const clock = new FakeKernel();
    const end = new AbortController();
    clock.at(30, () => {
      end.abort();
    });
    expect(await waitUntil(clock, () => false, 500, end.signal)).toBe('aborted');
    expect(clock.nowMs()).toBe(30);
  });
});

describe('the first process of a container', () => {
  it.each<[string, Record<number, [parent: number, start: number]>, number | undefined]>([
    ['is the only one', { 40: [7, 900] }, 40],
    ['is nobody where none is seen', {}, undefined],
    ['is the parent of the others, whatever their PIDs', { 40: [41, 900], 41: [7, 800] }, 41],
    [
      'is the earlier of two with parents outside: the later was put into it',
      { 40: [7, 900], 41: [7, 800] },
      41,
    ],
    ['is not a child, though the clock says that both started at once', { 40: [41, 800], 41: [7, 800] }, 41],
    ['is not a child, though it seems to be older', { 40: [41, 700], 41: [7, 800] }, 41],
    ['is the one with the lower PID, all else being equal', { 41: [7, 800], 40: [7, 800] }, 40],
    ['is the eldest where they are in a ring', { 40: [41, 900], 41: [40, 800] }, 41],
  ])('%s', (_, facts, expected) => {
    const pids = [...Object.keys(facts).map(Number), 99];
    expect(firstProcess(pids, seeing(facts))).toBe(expected);
    expect(firstProcess(pids.toReversed(), seeing(facts))).toBe(expected);
  });

  function seeing(facts: Record<number, [number, number]>): Processes {
    return {
      ownPid: 1,
      hold: () => undefined,
      facts: (pid): ProcessFacts | undefined => {
        const known = facts[pid];
        return known && { parentPid: known[0], startTicks: BigInt(known[1]) };
      },
    };
  }
});

describe('a pod that an agent left frozen', () => {
  it('runs again', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup('pod');
    kernel.freeze('pod');
    expect(await thawLeftBehind(kernel.control, { cgroup: 'pod', inode })).toBeUndefined();
    expect(kernel.log).toEqual(['0 thaw pod']);
    expect(kernel.held).toBe(0);
  });

  it.each([
    ['is not touched where it is another one by now', new FakeKernel(), 1n],
    ['is not touched on a fake tree', new FakeKernel({ isCgroup2: false }), 0n],
  ])('%s', async (_, kernel, otherBy) => {
    const inode = kernel.cgroup('pod');
    kernel.freeze('pod');
    expect(await thawLeftBehind(kernel.control, { cgroup: 'pod', inode: inode + otherBy })).toBeUndefined();
    expect(kernel.log).toEqual([]);
  });

  it('is left alone where it runs', async () => {
    const kernel = new FakeKernel();
    const inode = kernel.cgroup('pod');
    expect(await thawLeftBehind(kernel.control, { cgroup: 'pod', inode })).toBeUndefined();
    expect(kernel.log).toEqual([]);
  });

  it('is told of where it cannot be thawed', async () => {
    const kernel = new FakeKernel({ writes: 'pod/cgroup.freeze: permission denied' });
    const inode = kernel.cgroup('pod');
    kernel.freeze('pod');
    expect(await thawLeftBehind(kernel.control, { cgroup: 'pod', inode })).toBe(
      'pod/cgroup.freeze: permission denied',
    );
    expect(kernel.held).toBe(0);
  });
});
