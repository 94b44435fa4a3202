import { describe, expect, it } from 'vitest';
import { LimitWrites, type OrderedWrite } from '../../../../agent/act/limits/limit-writes.ts';
import type { Outcome } from '../../../../cgroup/apply.ts';
import { emptyJournal } from '../../../../cgroup/journal.ts';
import type { LimitFiles } from '../../../../cgroup/limit-port.ts';
import type { MemoryFile } from '../../../../cgroup/memory-files.ts';
import { GatedFiles } from '../../../fakes/gated-files.ts';
import { FakeJournal, FakeLimitFiles } from '../../../fakes/limit-files.ts';

const PATIENCE_MS = 40;

function order(text: string): OrderedWrite {
  const [cgroup = '', word = '', desired = '4096'] = text.split(' ');
  const file = `memory.${word}` as MemoryFile;
  const inode = cgroup === 'k' ? 1n : 2n;
  return { pod: null, container: null, cgroup, file, desired, inode, from: '0', reason: 'because' };
}

const orders = (...texts: string[]): readonly OrderedWrite[] => texts.map(order);

function node(isGated: (key: string) => boolean = () => false) {
  const plain = new FakeLimitFiles();
  for (const [cgroup, inode] of [
    ['k', 1n],
    ['k/a', 2n],
    ['k/b', 2n],
    ['k/c', 2n],
  ] as const) {
    plain.with(cgroup, inode, { 'memory.min': '0\n', 'memory.low': '0\n', 'memory.high': 'max\n' });
  }
  const files = new GatedFiles(plain, isGated);
  const journal = new FakeJournal(emptyJournal(null), plain.calls);
  return { plain, files, journal, writes: new LimitWrites({ files, journal }, PATIENCE_MS) };
}

type Node = ReturnType<typeof node>;

/** Lets everything that can go on go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    await Promise.resolve();
  }
}

function ended({ writes }: Node): readonly [string, Outcome][] {
  return writes.take().results.map(({ write, outcome }) => [`${write.cgroup} ${write.file}`, outcome]);
}

function begun({ plain }: Node): readonly string[] {
  return plain.calls.filter((call) => !call.startsWith('read')).map((call) => call.replace(/ "(.*)"$/, ''));
}

describe('writing in the background', () => {
  it('journals the batch, then writes it in order, and gives each result once', async () => {
    const fake = node();
    expect(fake.writes.start(orders('k min', 'k/a low', 'k/a high', 'k/b low'))).toBe(true);
    expect([...fake.writes.inFlight()]).toEqual([
      'k/memory.min',
      'k/a/memory.low',
      'k/a/memory.high',
      'k/b/memory.low',
    ]);
    await fake.writes.idle();
    expect(begun(fake)).toEqual([
      'journal k/memory.min k/a/memory.low k/a/memory.high k/b/memory.low',
      'write k/memory.min',
      'write k/a/memory.low',
      'write k/a/memory.high',
      'write k/b/memory.low',
    ]);
    expect(fake.writes.inFlight().size).toBe(4);
    expect(fake.writes.take()).toEqual({
      results: orders('k min', 'k/a low', 'k/a high', 'k/b low').map((write) => ({
        write,
        outcome: 'written',
        error: null,
      })),
      notBegun: [],
      journal: 'kept',
    });
    expect(fake.writes.inFlight().size).toBe(0);
    expect(fake.writes.take()).toEqual({ results: [], notBegun: [], journal: undefined });
  });

  it('takes nothing more while a batch is on its way, and keeps nothing of what it does not take', async () => {
    const fake = node((key) => key === 'k/memory.min');
    fake.writes.start(orders('k min', 'k/a min'));
    expect(fake.writes.start(orders('k/b min'))).toBe(false);
    await settle();
    expect(fake.writes.start(orders('k/b min'))).toBe(false);
    expect([...fake.writes.inFlight()]).toEqual(['k/memory.min', 'k/a/memory.min']);
    fake.files.open('k/memory.min');
    await fake.writes.idle();
    expect(ended(fake).map(([place]) => place)).toEqual(['k memory.min', 'k/a memory.min']);
    expect(fake.writes.start(orders('k/b min'))).toBe(true);
    await fake.writes.idle();
    expect(ended(fake)).toEqual([['k/b memory.min', 'written']]);
  });

  it('takes an empty batch for nothing', async () => {
    const fake = node();
    expect(fake.writes.start([])).toBe(true);
    expect(fake.writes.start([])).toBe(true);
    await fake.writes.idle();
    expect(fake.plain.calls).toEqual([]);
  });

  it('tells of a cgroup that is gone, and of a file that cannot be read, and goes on', async () => {
    const fake = node();
    fake.plain.unreadable.set('k/memory.min', { kind: 'failed', code: 'EIO', error: 'no reading' });
    fake.writes.start(orders('k min', 'gone high', 'k/a min'));
    await fake.writes.idle();
    expect(ended(fake)).toEqual([
      ['k memory.min', 'failed'],
      ['gone memory.high', 'vanished'],
      ['k/a memory.min', 'written'],
    ]);
  });

  it('keeps nothing in the journal where there is nothing to keep', async () => {
    const fake = node();
    fake.writes.start(orders('gone min'));
    await fake.writes.idle();
    expect(fake.writes.take().journal).toBeUndefined();
  });

  it('writes nothing that could not be journalled, and says why', async () => {
    const fake = node();
    fake.journal.failure = { code: 'ENOSPC', message: 'no space left' };
    fake.writes.start(orders('k min', 'k/a high'));
    await fake.writes.idle();
    expect(begun(fake)).toEqual(['journal k/memory.min k/a/memory.high']);
    expect(fake.writes.take()).toEqual({
      results: [],
      notBegun: orders('k min', 'k/a high'),
      journal: { code: 'ENOSPC', message: 'no space left' },
    });
    fake.journal.failure = undefined;
    expect(fake.writes.start(orders('k min'))).toBe(true);
    await fake.writes.idle();
    expect(ended(fake)).toEqual([['k memory.min', 'written']]);
  });
});

describe('writes that block', () => {
  const HIGHS = orders('k high', 'k/a high', 'k/b high', 'k/c high');
  const isHigh = (key: string): boolean => key.endsWith('memory.high');

  it('are two at a time, in order', async () => {
    const fake = node(isHigh);
    fake.writes.start(HIGHS);
    await settle();
    expect([...fake.files.writing]).toEqual(['k/memory.high', 'k/a/memory.high']);
    fake.files.open('k/a/memory.high');
    await settle();
    expect([...fake.files.writing]).toEqual(['k/memory.high', 'k/b/memory.high']);
    fake.files.open('k/memory.high');
    fake.files.open('k/b/memory.high');
    await settle();
    fake.files.open('k/c/memory.high');
    await fake.writes.idle();
    expect(fake.files.mostHighs).toBe(2);
    expect(ended(fake).map(([place]) => place)).toEqual([
      'k/a memory.high',
      'k memory.high',
      'k/b memory.high',
      'k/c memory.high',
    ]);
  });

  it('hold up no batch that comes after, whose own memory.high waits its turn', async () => {
    const fake = node(isHigh);
    fake.writes.start(HIGHS.slice(0, 3));
    await settle();
    expect(fake.writes.start(orders('k/c min', 'k/c high'))).toBe(true);
    await settle();
    expect(fake.plain.contents()['k/c/memory.min']).toBe('4096\n');
    expect([...fake.files.writing]).toEqual(['k/memory.high', 'k/a/memory.high']);
    expect([...fake.writes.inFlight()].sort()).toEqual([
      'k/a/memory.high',
      'k/b/memory.high',
      'k/c/memory.high',
      'k/c/memory.min',
      'k/memory.high',
    ]);
    expect(ended(fake)).toEqual([['k/c memory.min', 'written']]);
    expect(fake.files.mostHighs).toBe(2);
  });

  it('are waited for by the lowerings behind them, but not for long', async () => {
    const fake = node((key) => key === 'k/a/memory.high');
    fake.writes.start(orders('k/a high', 'k/b high', 'k/c low 0'));
    await settle();
    expect(begun(fake).slice(1)).toEqual(['write k/b/memory.high']);
    expect(fake.writes.start([])).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 3 * PATIENCE_MS));
    expect(begun(fake).slice(1)).toEqual(['write k/b/memory.high', 'write k/c/memory.low']);
    expect(fake.writes.start([])).toBe(true);
  });

  it('are over before the lowerings behind them begin where they are quick', async () => {
    const fake = node(isHigh);
    fake.writes.start(orders('k/a high', 'k/c low 0'));
    await settle();
    fake.files.open('k/a/memory.high');
    await fake.writes.idle();
    expect(begun(fake).slice(1)).toEqual(['write k/a/memory.high', 'write k/c/memory.low']);
  });
});

describe('a batch that ends early', () => {
  it.each(['EROFS', 'EACCES', 'EPERM'])('does so when the system refuses a write with %s', async (code) => {
    const fake = node();
    fake.plain.failures.set('k/a/memory.min', { kind: 'failed', code, error: 'no writing' });
    fake.writes.start(orders('k min', 'k/a min', 'k/b min', 'k/b high'));
    await fake.writes.idle();
    const { results, notBegun } = fake.writes.take();
    expect(results.map(({ outcome }) => outcome)).toEqual(['written', 'failed']);
    expect(notBegun).toEqual(orders('k/b min', 'k/b high'));
    expect(fake.writes.inFlight().size).toBe(0);
  });

  it('does not when a value was refused', async () => {
    const fake = node();
    fake.plain.failures.set('k/memory.min', { kind: 'failed', code: 'EINVAL', error: 'no such value' });
    fake.writes.start(orders('k min', 'k/a min'));
    await fake.writes.idle();
    expect(ended(fake).map(([, outcome]) => outcome)).toEqual(['failed', 'written']);
  });

  it('does so for a memory.high that is refused when its batch has long been done', async () => {
    const fake = node((key) => key.endsWith('memory.high'));
    fake.plain.failures.set('k/memory.high', { kind: 'failed', code: 'EROFS', error: 'no writing' });
    fake.writes.start(orders('k high', 'k/a high', 'k/b high'));
    await settle();
    fake.files.open('k/memory.high');
    await settle();
    expect([...fake.files.writing]).toEqual(['k/a/memory.high']);
    expect(fake.writes.take()).toMatchObject({
      results: [{ outcome: 'failed', code: 'EROFS' }],
      notBegun: orders('k/b high'),
    });
    expect([...fake.writes.inFlight()]).toEqual(['k/a/memory.high']);
  });

  it('does so when it is stopped: what has begun goes on, and the rest is given back', async () => {
    const fake = node((key) => key === 'k/memory.min' || key.endsWith('memory.high'));
    fake.writes.start(orders('k min', 'k/b min'));
    await settle();
    fake.writes.stop();
    fake.files.open('k/memory.min');
    await fake.writes.idle();
    expect(fake.writes.take()).toMatchObject({
      results: [{ write: order('k min'), outcome: 'written' }],
      notBegun: orders('k/b min'),
    });
    fake.writes.start(orders('k/a high', 'k/b high', 'k/c high', 'k high'));
    await settle();
    fake.writes.stop();
    fake.files.open('k/a/memory.high');
    fake.files.open('k/b/memory.high');
    await fake.writes.idle();
    expect(fake.writes.take()).toMatchObject({
      results: [{ write: order('k/a high') }, { write: order('k/b high') }],
      notBegun: orders('k/c high', 'k high'),
    });
    expect(begun(fake)).toHaveLength(2 + 3);
  });

  it('writes nothing when it is stopped while it is being journalled', async () => {
    const fake = node();
    fake.writes.start(orders('k min'));
    fake.writes.stop();
    await fake.writes.idle();
    expect(fake.writes.take()).toEqual({ results: [], notBegun: orders('k min'), journal: 'kept' });
    expect(begun(fake)).toEqual(['journal k/memory.min']);
    expect(fake.writes.start(orders('k min'))).toBe(true);
    await fake.writes.idle();
    expect(ended(fake)).toEqual([['k memory.min', 'written']]);
  });
});

describe('a bug in the files', () => {
  it.each(['min', 'high'])('comes out where the results are asked for: a write of %s', async (word) => {
    const fake = node();
    const broken: LimitFiles = {
      read: (place) => fake.plain.read(place),
      write: () => Promise.reject(new Error('a bug')),
    };
    const writes = new LimitWrites({ files: broken, journal: fake.journal });
    writes.start(orders(`k ${word}`));
    await writes.idle();
    expect(() => writes.take()).toThrow('a bug');
  });
});

/** Files and a journal of a process that dies before, or right after, its nth call that changes something. */
function mortal(fake: Node, diesAt: number, isAfter: boolean) {
  let calls = 0;
  const never = new Promise<never>(() => undefined);
  const step = async <T>(act: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls > diesAt || (calls === diesAt && !isAfter)) return await never;
    const done = await act();
    return calls === diesAt ? await never : done;
  };
  const files: LimitFiles = {
    read: (place) => fake.files.read(place),
    write: (place, text) => step(() => fake.files.write(place, text)),
  };
  return new LimitWrites({
    files,
    journal: { record: (records) => step(() => fake.journal.record(records)) },
  });
}

describe('a process that is killed', () => {
  const batch = orders('k min 8192', 'k/a min', 'k/a high', 'k/b high', 'k/c low');

  it.each([1, 2, 3, 4, 5, 6].flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]))(
    'at change %i (%s it) leaves in the journal every value that it changed, as it was',
    async (at, when) => {
      const fake = node();
      const before = fake.plain.contents();
      mortal(fake, at, when === 'after').start(batch);
      await settle();
      const { records } = fake.journal.journal;
      const changed = Object.entries(fake.plain.contents()).filter(([key, text]) => before[key] !== text);
      for (const [key, text] of changed) {
        expect(records.get(key)?.before).toBe(before[key]);
        expect(`${records.get(key)?.written}\n`).toBe(text);
      }
      const writes = when === 'after' ? at - 1 : at - 2;
      expect(changed).toHaveLength(Math.min(Math.max(writes, 0), 5));
    },
  );
});
