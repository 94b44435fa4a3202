import { describe, expect, it } from 'vitest';
import { applyWrites, type LimitWrite, writeInOrder } from '../../cgroup/apply.ts';
import { emptyJournal } from '../../cgroup/journal.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import { FakeJournal, FakeLimitFiles } from '../fakes/limit-files.ts';

function write(cgroup: string, file: MemoryFile, desired: string, inode?: bigint): LimitWrite {
  return { cgroup, file, desired, ...(inode === undefined ? {} : { inode }) };
}

function node() {
  const files = new FakeLimitFiles()
    .with('k', 1n, { 'memory.min': '0\n', 'memory.low': '', 'memory.high': 'max\n' })
    .with('k/p', 2n, { 'memory.min': '8192\n', 'memory.high': 'max\n' });
  const journal = new FakeJournal(emptyJournal(null), files.calls);
  return { files, journal, interrupted: () => false };
}

describe('applying a plan', () => {
  it('journals every old value before the first write, then writes in the order given', async () => {
    const ports = node();
    const raise = write('k', 'memory.min', '4096', 1n);
    const throttle = write('k/p', 'memory.high', '16384');
    expect(await applyWrites([raise, throttle], ports)).toEqual({
      kind: 'applied',
      results: [
        { write: raise, outcome: 'written', error: null },
        { write: throttle, outcome: 'written', error: null },
      ],
    });
    expect(ports.files.calls).toEqual([
      'read k/memory.min',
      'read k/p/memory.high',
      'journal k/memory.min k/p/memory.high',
      'write k/memory.min "4096\\n"',
      'write k/p/memory.high "16384\\n"',
    ]);
    expect([...ports.journal.journal.records.values()]).toEqual([
      { cgroup: 'k', file: 'memory.min', inode: 1n, before: '0\n', written: '4096' },
      { cgroup: 'k/p', file: 'memory.high', inode: 2n, before: 'max\n', written: '16384' },
    ]);
  });

  it('writes nothing when the old values could not be kept', async () => {
    const ports = node();
    ports.journal.failure = { code: 'ENOSPC', message: 'no space left' };
    expect(await applyWrites([write('k', 'memory.min', '4096')], ports)).toEqual({
      kind: 'not-journalled',
      code: 'ENOSPC',
      message: 'no space left',
    });
    expect(ports.files.calls).toEqual(['read k/memory.min', 'journal k/memory.min']);
  });

  it('leaves the journal alone when there is nothing to write', async () => {
    const ports = node();
    expect(await applyWrites([], ports)).toEqual({ kind: 'applied', results: [] });
    const gone = write('k/gone', 'memory.min', '4096');
    await applyWrites([gone], ports);
    expect(ports.files.calls).toEqual(['read k/gone/memory.min']);
  });

  it('keeps the content of an empty file as it is', async () => {
    const ports = node();
    await applyWrites([write('k', 'memory.low', '4096')], ports);
    expect(ports.journal.journal.records.get('k/memory.low')?.before).toBe('');
  });

  it('reports a cgroup that is gone, or was made anew since the plan, and writes the rest', async () => {
    const ports = node();
    const gone = write('k/gone', 'memory.min', '4096');
    const anew = write('k/p', 'memory.min', '4096', 77n);
    const fine = write('k', 'memory.min', '4096');
    expect(await applyWrites([gone, anew, fine], ports)).toEqual({
      kind: 'applied',
      results: [
        { write: gone, outcome: 'vanished', error: 'k/gone/memory.min is gone' },
        { write: anew, outcome: 'vanished', error: 'k/p/memory.min is gone' },
        { write: fine, outcome: 'written', error: null },
      ],
    });
    expect([...ports.journal.journal.records.keys()]).toEqual(['k/memory.min']);
  });

  it('writes to the very cgroup whose old value was journalled', async () => {
    const ports = node();
    const record = ports.journal.record.bind(ports.journal);
    ports.journal.record = async (records) => {
      ports.files.with('k/p', 3n, { 'memory.high': 'max\n' });
      return await record(records);
    };
    const throttle = write('k/p', 'memory.high', '16384');
    expect(await applyWrites([throttle], ports)).toEqual({
      kind: 'applied',
      results: [{ write: throttle, outcome: 'vanished', error: 'k/p/memory.high is gone' }],
    });
    expect(ports.files.contents()['k/p/memory.high']).toBe('max\n');
  });

  it('does not write what it could not read, and goes on after a write that failed', async () => {
    const ports = node();
    ports.files.unreadable.set('k/memory.min', { kind: 'failed', code: 'EACCES', error: 'no reading' });
    ports.files.failures.set('k/memory.high', { kind: 'failed', code: 'EBUSY', error: 'busy' });
    ports.files.failures.set('k/memory.low', { kind: 'vanished', error: 'went away' });
    const writes = [
      write('k', 'memory.min', '4096'),
      write('k', 'memory.high', '4096'),
      write('k', 'memory.low', '4096'),
      write('k/p', 'memory.min', '4096'),
    ] as const;
    expect(await applyWrites(writes, ports)).toEqual({
      kind: 'applied',
      results: [
        { write: writes[0], outcome: 'failed', error: 'no reading', code: 'EACCES' },
        { write: writes[1], outcome: 'failed', error: 'busy', code: 'EBUSY' },
        { write: writes[2], outcome: 'vanished', error: 'went away' },
        { write: writes[3], outcome: 'written', error: null },
      ],
    });
  });

  it('stops writing when it is told to, and says what was not written', async () => {
    const ports = node();
    const writes = [write('k', 'memory.min', '4096'), write('k/p', 'memory.min', '4096')] as const;
    const stopAfterFirst = () => ports.files.calls.some((call) => call.startsWith('write'));
    expect(await applyWrites(writes, { ...ports, interrupted: stopAfterFirst })).toEqual({
      kind: 'applied',
      results: [
        { write: writes[0], outcome: 'written', error: null },
        {
          write: writes[1],
          outcome: 'failed',
          error: 'not written: nodeqos was told to stop',
          code: 'EINTR',
        },
      ],
    });
  });
});

describe('writing what is prepared', () => {
  it('writes the text byte for byte and passes on what was over before', async () => {
    const ports = node();
    const result = { write: 'a', outcome: 'failed', error: 'no' } as const;
    const place = { cgroup: 'k', file: 'memory.low', inode: 1n } as const;
    const results = await writeInOrder(
      [
        { kind: 'over', result },
        { kind: 'ready', write: 'b', place, text: '' },
      ],
      ports,
    );
    expect(results).toEqual([result, { write: 'b', outcome: 'written', error: null }]);
    expect(ports.files.calls).toEqual(['write k/memory.low ""']);
  });
});
