import { describe, expect, it } from 'vitest';
import { applyWrites } from '../../cgroup/apply.ts';
import {
  emptyJournal,
  type JournalRecord,
  parseJournal,
  printJournal,
  recordWrites,
} from '../../cgroup/journal.ts';
import type { KnownLimitPlace, LimitWay, LimitWriter, LimitWritten } from '../../cgroup/limit-port.ts';
import { FakeJournal, FakeLimitFiles } from '../fakes/limit-files.ts';

/** Files of which those below `k.slice` are written through systemd, and what they were asked to write, and how. */
class TwoWays extends FakeLimitFiles {
  readonly asked: (LimitWriter | undefined)[] = [];

  wayOf({ cgroup }: KnownLimitPlace): Promise<LimitWay> {
    return Promise.resolve(
      cgroup === 'k.slice' ? { writer: 'systemd' } : { writer: 'cgroupfs', because: 'no unit' },
    );
  }

  override async write(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    this.asked.push(place.writer);
    const done = await super.write(place, text);
    if (done.kind !== 'written') return done;
    return place.cgroup === 'k.slice' ? { ...done, writer: 'systemd' } : { ...done, writer: 'cgroupfs' };
  }
}

const DIRECT: JournalRecord = {
  cgroup: 'k.slice',
  file: 'memory.min',
  inode: 1n,
  before: '0\n',
  written: '4096',
};
const RECORD: JournalRecord = { ...DIRECT, writer: 'systemd' };

describe('through whom a limit is written', () => {
  it('is asked before, journalled where it is systemd, and told of what is written', async () => {
    const files = new TwoWays()
      .with('k.slice', 1n, { 'memory.min': '0\n' })
      .with('k', 2n, { 'memory.min': '0\n' });
    const journal = new FakeJournal(emptyJournal(null), files.calls);
    const writes = ['k.slice', 'k'].map((cgroup) => ({
      cgroup,
      file: 'memory.min' as const,
      desired: '4096',
    }));
    const [unit, other] = writes;
    expect(await applyWrites(writes, { files, journal, interrupted: () => false })).toEqual({
      kind: 'applied',
      results: [
        { write: unit, outcome: 'written', error: null, writer: 'systemd' },
        { write: other, outcome: 'written', error: null, writer: 'cgroupfs', because: 'no unit' },
      ],
    });
    // What the journal says went to the file must not end up in systemd after all.
    expect(files.asked).toEqual([undefined, 'cgroupfs']);
    expect([...journal.journal.records.values()]).toEqual([RECORD, { ...DIRECT, cgroup: 'k', inode: 2n }]);
  });

  it('stays in the journal once it was systemd, whatever comes after', () => {
    const later = recordWrites(emptyJournal(null), [
      RECORD,
      { ...DIRECT, before: '4096\n', written: '8192' },
    ]);
    const merged = { ...RECORD, written: '8192', previous: '4096\n' };
    expect([...later.records.values()]).toEqual([merged]);
    const now = { ...RECORD, before: '4096\n', written: '8192' };
    expect([...recordWrites(emptyJournal(null), [DIRECT, now]).records.values()]).toEqual([merged]);
  });

  it('is printed and read back; nothing but systemd can stand there', () => {
    const text = printJournal(recordWrites(emptyJournal(null), [RECORD]));
    expect(text.split('\n')[1]).toBe(
      '{"cgroup":"k.slice","file":"memory.min","inode":"1","before":"0\\n","written":"4096","writer":"systemd"}',
    );
    const reading = parseJournal({ file: 'J', text });
    expect(reading.ok && [...reading.value.journal.records.values()]).toEqual([RECORD]);
    for (const other of ['"cgroupfs"', 'null', '7']) {
      expect(parseJournal({ file: 'J', text: text.replace('"systemd"', other) }).ok).toBe(false);
    }
  });
});
