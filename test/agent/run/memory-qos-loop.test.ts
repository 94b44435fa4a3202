import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../agent/model/agent-event.ts';
import { MemoryQosScene, PODS, UNTOUCHED, want } from '../../fakes/memory-qos-scene.ts';

let scene = new MemoryQosScene();
beforeEach(() => {
  scene = new MemoryQosScene().with('pods', 7n, UNTOUCHED);
  scene.wanted = [want('pods', 'memory.min', 8192n), want('pods', 'memory.high', 'max')];
});

describe('a turn', () => {
  it('journals and writes what differs and nothing else, and says so', async () => {
    expect(await scene.loop.turn(PODS, 0)).toEqual({
      write: 1,
      keep: 1,
      missing: 0,
      leftAlone: 0,
      inFlight: 1,
    });
    await scene.loop.idle(0);
    expect(scene.files.calls).toEqual([
      'read pods/memory.min',
      'journal pods/memory.min',
      'write pods/memory.min "8192\\n"',
    ]);
    expect(scene.events).toEqual([
      {
        kind: 'write',
        pod: null,
        container: null,
        cgroup: 'pods',
        file: 'memory.min',
        from: '0',
        to: '8192',
        reason: 'memory.min of pods',
        outcome: 'written',
      },
      { kind: 'plan-applied', written: 1, failed: 0, wanted: 0 },
    ]);
    expect(scene.loop.tally).toMatchObject({ hasWritten: true, isHeldBack: false, failures: new Set() });
  });

  it('does nothing and says nothing when all reads as wanted', async () => {
    await scene.turn(0);
    scene.files.calls.length = 0;
    expect(await scene.turn(1000)).toEqual([]);
    expect(scene.files.calls).toEqual([]);
  });

  it('begins no more writes than it may in one tick', async () => {
    scene.with('more', 8n, UNTOUCHED);
    scene.wanted = [want('pods', 'memory.min', 8192n), want('more', 'memory.min', 8192n)];
    scene.use({ maxWritesPerTick: 1 });
    const first = await scene.turn(0);
    const second = await scene.turn(1000);
    expect([first, second].map((events) => events.filter(({ kind }) => kind === 'write').length)).toEqual([
      1, 1,
    ]);
    expect(scene.files.contents()).toMatchObject({
      'pods/memory.min': '8192\n',
      'more/memory.min': '8192\n',
    });
  });

  it('writes nothing while the lock or the journal cannot be had, and catches up when they can', async () => {
    scene.limits = undefined;
    expect(await scene.turn(0)).toEqual([]);
    expect(scene.files.calls).toEqual([]);
    expect(scene.loop.tally).toMatchObject({ hasWritten: false, isHeldBack: true, failures: new Set() });
    scene.limits = { files: scene.files, journal: scene.journal };
    expect((await scene.turn(1000)).map(({ kind }) => kind)).toEqual(['write', 'plan-applied']);
    expect(scene.loop.tally).toMatchObject({ hasWritten: true, isHeldBack: false, failures: new Set() });
  });

  it('is held back by nothing where nothing is to be written, nor in dry-run', async () => {
    scene.limits = undefined;
    scene.wanted = [want('pods', 'memory.high', 'max')];
    await scene.turn(0);
    expect(scene.loop.tally.isHeldBack).toBe(false);
    scene.wanted = [want('pods', 'memory.min', 8192n)];
    scene.use({ mode: 'dry-run' });
    await scene.turn(30_000);
    expect(scene.loop.tally.isHeldBack).toBe(false);
  });

  it('writes nothing that it could not journal, says why once, and tries again later', async () => {
    scene.journal.failure = { code: 'ENOSPC', message: 'no space left' };
    const told = [...(await scene.turn(0)), ...(await scene.turn(1000)), ...(await scene.turn(2000))];
    expect(told).toEqual([
      {
        kind: 'trouble',
        part: 'journal',
        sentence: 'nothing is written, since the old values cannot be kept: no space left',
        over: false,
      },
    ]);
    expect(scene.files.contents()['pods/memory.min']).toBe('0\n');
    expect(scene.loop.tally).toMatchObject({
      hasWritten: false,
      isHeldBack: false,
      failures: new Set(['ENOSPC']),
    });
    scene.journal.failure = undefined;
    const later = await scene.turn(60_000);
    expect(
      later.map((event) => (event.kind === 'trouble' ? `trouble over ${String(event.over)}` : event.kind)),
    ).toEqual(['trouble over true', 'write', 'plan-applied']);
  });

  it('says once that a file cannot be written, and does not try at every tick', async () => {
    const failure = { kind: 'failed', code: 'EINVAL', error: '/mount/pods/memory.min: no' } as const;
    scene.files.failures.set('pods/memory.min', failure);
    const first = await scene.turn(0);
    expect(first[0]).toMatchObject({ kind: 'write', outcome: 'failed', error: '/mount/pods/memory.min: no' });
    expect(scene.loop.tally.failures).toEqual(new Set(['EINVAL']));
    scene.files.calls.length = 0;
    expect(await scene.turn(1000)).toEqual([]);
    expect(scene.files.calls).toEqual([]);
  });
});

describe('drift', () => {
  it('is told once and repaired', async () => {
    await scene.turn(0);
    scene.with('pods', 7n, { ...UNTOUCHED, 'memory.min': '4096\n' });
    expect(await scene.turn(1000)).toEqual([
      {
        kind: 'drift',
        pod: null,
        container: null,
        cgroup: 'pods',
        file: 'memory.min',
        wrote: '8192',
        found: '4096',
      },
      {
        kind: 'write',
        pod: null,
        container: null,
        cgroup: 'pods',
        file: 'memory.min',
        from: '4096',
        to: '8192',
        reason: 'memory.min of pods',
        outcome: 'written',
      },
      { kind: 'plan-applied', written: 1, failed: 0, wanted: 0 },
    ]);
  });

  it('that comes back again and again is left alone for a while, and names who likely does it', async () => {
    await scene.turn(0);
    const told: AgentEvent[] = [];
    for (let second = 1; second <= 6; second += 1) {
      scene.with('pods', 7n, { ...UNTOUCHED, 'memory.min': '4096\n' });
      told.push(...(await scene.turn(second * 1000)));
    }
    const drifts = told.flatMap((event) => (event.kind === 'drift' ? [event.leftAlone] : []));
    expect(drifts).toEqual([undefined, undefined, undefined, { likelyWriter: 'somebody', forMs: 600_000 }]);
    expect(scene.files.contents()['pods/memory.min']).toBe('4096\n');
    expect(await scene.loop.turn(PODS, 7000)).toMatchObject({ write: 1, leftAlone: 1, inFlight: 0 });
  });

  it('is not seen in a cgroup that was made anew', async () => {
    await scene.turn(0);
    scene.with('pods', 9n, UNTOUCHED);
    expect((await scene.turn(1000)).map(({ kind }) => kind)).toEqual(['write', 'plan-applied']);
  });
});

describe('what is wanted', () => {
  it('is worked out once for a list of pods, and again for another one, for other rules, and after a while', async () => {
    await scene.turn(0);
    await scene.turn(29_999);
    expect(scene.asked).toBe(1);
    await scene.turn(29_999, [...PODS]);
    expect(scene.asked).toBe(2);
    scene.use({ maxWritesPerTick: 3 });
    await scene.turn(30_000);
    expect(scene.asked).toBe(3);
    await scene.turn(60_000);
    expect(scene.asked).toBe(4);
  });

  it('is worked out each time where it depends on what pods use', async () => {
    scene.use({ isStable: false });
    await scene.turn(0);
    await scene.turn(1);
    expect(scene.asked).toBe(2);
  });
});

describe('dry-run', () => {
  beforeEach(() => {
    scene.use({ mode: 'dry-run' });
  });

  it('tells what would be written, once, and opens nothing', async () => {
    expect(await scene.turn(0)).toEqual([
      {
        kind: 'write',
        pod: null,
        container: null,
        cgroup: 'pods',
        file: 'memory.min',
        from: '0',
        to: '8192',
        reason: 'memory.min of pods',
        outcome: 'wanted',
      },
      { kind: 'plan-applied', written: 0, failed: 0, wanted: 1 },
    ]);
    expect(await scene.turn(1000)).toEqual([]);
    expect(scene.files.calls).toEqual([]);
  });

  it('tells it again when something else is wanted or found', async () => {
    await scene.turn(0);
    scene.with('pods', 7n, { ...UNTOUCHED, 'memory.min': '4096\n' });
    expect((await scene.turn(1000))[0]).toMatchObject({ from: '4096', to: '8192', outcome: 'wanted' });
    scene.wanted = [want('pods', 'memory.min', 16_384n)];
    expect((await scene.turn(31_000))[0]).toMatchObject({ from: '4096', to: '16384', outcome: 'wanted' });
  });

  it('writes as soon as the mode is enforce', async () => {
    await scene.turn(0);
    scene.use({ mode: 'enforce' });
    expect((await scene.turn(1000))[0]).toMatchObject({ outcome: 'written' });
  });
});

it('names a file that cannot be read, and how many more there are', async () => {
  scene.with('more', 8n, UNTOUCHED);
  scene.wanted = [want('pods', 'memory.min', 8192n), want('more', 'memory.min', 8192n)];
  scene.with('pods', 7n, { 'memory.min': 'junk\n' }).with('more', 8n, { 'memory.min': '\n' });
  const [trouble] = await scene.turn(0);
  expect(trouble).toMatchObject({ kind: 'trouble', part: 'cgroups', over: false });
  const sentence = trouble?.kind === 'trouble' ? trouble.sentence : '';
  expect(sentence).toMatch(/^\/mount\/\S+\/memory\.min .*\(and 1 more\)$/);
});

describe('whether a turn began writes', () => {
  it('is so while there is something to write, and not when all is done', async () => {
    scene.with('more', 8n, UNTOUCHED);
    scene.wanted = [want('pods', 'memory.min', 8192n), want('more', 'memory.min', 8192n)];
    scene.use({ maxWritesPerTick: 1 });
    const begun: boolean[] = [];
    for (const atMs of [0, 1, 2, 3]) {
      await scene.turn(atMs);
      begun.push(scene.loop.hasBegun);
    }
    expect(begun).toEqual([true, true, false, false]);
  });

  it.each<[string, () => void]>([
    [
      'the old values cannot be kept',
      () => {
        scene.journal.failure = { code: 'ENOSPC', message: 'no space left' };
      },
    ],
    [
      'the file cannot be written',
      () => {
        scene.files.failures.set('pods/memory.min', { kind: 'failed', code: 'EACCES', error: 'no' });
      },
    ],
  ])('is not so any more once %s', async (_, spoil) => {
    spoil();
    await scene.turn(0);
    expect(scene.loop.hasBegun).toBe(true);
    await scene.turn(1);
    expect(scene.loop.hasBegun).toBe(false);
  });

  it('is not so in dry-run, nor without the journal', async () => {
    scene.use({ mode: 'dry-run' });
    await scene.turn(0);
    expect(scene.loop.hasBegun).toBe(false);
    scene.limits = undefined;
    scene.use({ mode: 'enforce' });
    await scene.turn(1);
    expect(scene.loop.hasBegun).toBe(false);
  });
});
