import { describe, expect, it } from 'vitest';
import {
  emptyJournal,
  forgetPlaces,
  type Journal,
  type JournalRecord,
  parseJournal,
  placeKey,
  printJournal,
  printRecords,
  pruneJournal,
  recordWrites,
} from '../../cgroup/journal.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';

const BOOT = '7b0d1bd6-0c4e-4f0c-9f5f-5d6f8c7b1a01';

function record(cgroup: string, file: MemoryFile, inode: bigint, values: [string, string]): JournalRecord {
  return { cgroup, file, inode, before: values[0], written: values[1] };
}

const HIGH = record('kubepods/pod1', 'memory.high', 18446744073709551615n, ['max\n', '993210368']);
const MIN = record('kubepods/pod1', 'memory.min', 7n, ['0\n', '4096']);

function journalOf(...records: JournalRecord[]): Journal {
  return recordWrites(emptyJournal(BOOT), records);
}

const WHOLE = [
  `{"kind":"NodeQosJournal","version":1,"bootId":"${BOOT}"}`,
  '{"cgroup":"kubepods/pod1","file":"memory.high","inode":"18446744073709551615","before":"max\\n","written":"993210368"}',
  '{"cgroup":"kubepods/pod1","file":"memory.min","inode":"7","before":"0\\n","written":"4096"}',
  '',
].join('\n');

const REMEDY =
  'move it away to go on without it; `nodeqos reset --neutral` then gives the kubepods cgroups the kernel defaults';
const CANNOT = 'the journal of old values cannot be used';

describe('printing and reading a journal', () => {
  it('prints a line that says what the file is, and a line for each record', () => {
    expect(printJournal(journalOf(HIGH, MIN))).toBe(WHOLE);
  });

  it('prints a journal without records as its first line alone, with a boot that is not known as null', () => {
    expect(printJournal(emptyJournal(null))).toBe('{"kind":"NodeQosJournal","version":1,"bootId":null}\n');
  });

  it('reads back what it prints, inodes beyond 2^53 exactly', () => {
    expect(parseJournal({ file: 'J', text: WHOLE })).toEqual({
      ok: true,
      value: { journal: journalOf(HIGH, MIN), torn: false, repeats: 0 },
    });
  });

  it('reads a journal without records', () => {
    expect(parseJournal({ file: 'J', text: printJournal(emptyJournal(null)) })).toEqual({
      ok: true,
      value: { journal: emptyJournal(null), torn: false, repeats: 0 },
    });
  });

  it('keeps the first old value and the last written one of several lines for one file', () => {
    const again = record('kubepods/pod1', 'memory.min', 7n, ['4096\n', '8192']);
    expect(parseJournal({ file: 'J', text: WHOLE + printRecords([again]) })).toEqual({
      ok: true,
      value: {
        journal: journalOf(HIGH, { ...MIN, written: '8192', previous: '4096\n' }),
        torn: false,
        repeats: 1,
      },
    });
  });

  it('says what a file read right before the last write where that is not what it read before the first', () => {
    const again = { ...MIN, written: '8192', previous: '4096\n' };
    const text = WHOLE.replace('"written":"4096"}', '"written":"8192","previous":"4096\\n"}');
    expect(printJournal(journalOf(HIGH, again))).toBe(text);
    expect(parseJournal({ file: 'J', text })).toEqual({
      ok: true,
      value: { journal: journalOf(HIGH, again), torn: false, repeats: 0 },
    });
  });

  it('leaves out half a line at the end, which a crash left', () => {
    const [first, second] = WHOLE.split('\n');
    expect(parseJournal({ file: 'J', text: `${first}\n${second}\n{"cgroup":"kubepods/p` })).toEqual({
      ok: true,
      value: { journal: journalOf(HIGH), torn: true, repeats: 0 },
    });
  });

  it('keeps a last line that lacks only its line break', () => {
    expect(parseJournal({ file: 'J', text: WHOLE.trimEnd() })).toEqual({
      ok: true,
      value: { journal: journalOf(HIGH, MIN), torn: true, repeats: 0 },
    });
  });

  const header = `${WHOLE.split('\n')[0]}\n`;
  const line = (changes: object): string =>
    `${JSON.stringify({ cgroup: 'a/b', file: 'memory.low', inode: '1', before: '0\n', written: '0', ...changes })}\n`;

  it('takes the record that the refusals below are made from', () => {
    expect(parseJournal({ file: 'J', text: header + line({}) })).toEqual({
      ok: true,
      value: { journal: journalOf(record('a/b', 'memory.low', 1n, ['0\n', '0'])), torn: false, repeats: 0 },
    });
  });

  it.each([
    ['an empty file', '', 1, `its first line is not whole; ${REMEDY}`],
    ['a first line without its line break', header.trimEnd(), 1, `its first line is not whole; ${REMEDY}`],
    ['text', 'hello\n', 1, `this is no journal of nodeqos; ${REMEDY}`],
    ['an empty first line', '\n', 1, `this is no journal of nodeqos; ${REMEDY}`],
    ['null', 'null\n', 1, `this is no journal of nodeqos; ${REMEDY}`],
    ['a number', '12\n', 1, `this is no journal of nodeqos; ${REMEDY}`],
    [
      'another kind',
      '{"kind":"Pod","version":1,"bootId":null}\n',
      1,
      `this is no journal of nodeqos; ${REMEDY}`,
    ],
    [
      'a newer version',
      '{"kind":"NodeQosJournal","version":2,"bootId":null}\n',
      1,
      'it has version 2 and this nodeqos knows version 1; use the nodeqos that wrote it',
    ],
    [
      'version 0',
      '{"kind":"NodeQosJournal","version":0,"bootId":null}\n',
      1,
      `its first line is damaged; ${REMEDY}`,
    ],
    [
      'a version as text',
      '{"kind":"NodeQosJournal","version":"1","bootId":null}\n',
      1,
      `its first line is damaged; ${REMEDY}`,
    ],
    ['no boot', '{"kind":"NodeQosJournal","version":1}\n', 1, `its first line is damaged; ${REMEDY}`],
    [
      'a boot that is a number',
      '{"kind":"NodeQosJournal","version":1,"bootId":3}\n',
      1,
      `its first line is damaged; ${REMEDY}`,
    ],
    ['half a line in the middle', `${header}{"cgroup":"a\n${line({})}`, 2, `this line is damaged; ${REMEDY}`],
    [
      'a damaged line after good ones',
      header + line({}) + line({ inode: '' }),
      3,
      `this line is damaged; ${REMEDY}`,
    ],
    ['an empty line', `${header}\n`, 2, `this line is damaged; ${REMEDY}`],
    ['null for a record', `${header}null\n`, 2, `this line is damaged; ${REMEDY}`],
    ['a cgroup that is a number', header + line({ cgroup: 1 }), 2, `this line is damaged; ${REMEDY}`],
    [
      'a cgroup that leads out',
      header + line({ cgroup: 'a/../../etc' }),
      2,
      `this line is damaged; ${REMEDY}`,
    ],
    ['an absolute cgroup', header + line({ cgroup: '/etc' }), 2, `this line is damaged; ${REMEDY}`],
    ['memory.max', header + line({ file: 'memory.max' }), 2, `this line is damaged; ${REMEDY}`],
    ['an inode as a number', header + line({ inode: 1 }), 2, `this line is damaged; ${REMEDY}`],
    ['a negative inode', header + line({ inode: '-1' }), 2, `this line is damaged; ${REMEDY}`],
    ['an inode with junk after it', header + line({ inode: '1x' }), 2, `this line is damaged; ${REMEDY}`],
    ['an inode of 21 digits', header + line({ inode: '1'.repeat(21) }), 2, `this line is damaged; ${REMEDY}`],
    ['an old value that is null', header + line({ before: null }), 2, `this line is damaged; ${REMEDY}`],
    [
      'a previous value that is null',
      header + line({ previous: null }),
      2,
      `this line is damaged; ${REMEDY}`,
    ],
    ['a written value that is a number', header + line({ written: 0 }), 2, `this line is damaged; ${REMEDY}`],
  ])('refuses %s', (_, text, place, message) => {
    expect(parseJournal({ file: '/s/journal.jsonl', text })).toEqual({
      ok: false,
      message: `/s/journal.jsonl:${place}: ${CANNOT}: ${message}`,
    });
  });
});

describe('what a journal holds', () => {
  it('never replaces the value before the first write while the cgroup is the same', () => {
    const again = record('kubepods/pod1', 'memory.min', 7n, ['4096\n', '8192']);
    expect([...recordWrites(journalOf(MIN), [again]).records.values()]).toEqual([
      { ...MIN, before: '0\n', written: '8192', previous: '4096\n' },
    ]);
  });

  it('remembers what the file read right before the last write', () => {
    const first = record('k', 'memory.min', 7n, ['0\n', '4096']);
    const second = record('k', 'memory.min', 7n, ['4096\n', '8192']);
    const back = record('k', 'memory.min', 7n, ['0\n', '4096']);
    const written = (...writes: JournalRecord[]): JournalRecord | undefined =>
      journalOf(...writes).records.get('k/memory.min');
    expect(written(first, second)).toEqual({ ...second, before: '0\n', previous: '4096\n' });
    expect(written(first, second, back)).toEqual(back);
    expect(written(first, { ...second, before: '0\n', previous: '12288\n' })).toEqual({
      ...second,
      before: '0\n',
      previous: '12288\n',
    });
  });

  it('starts anew for a cgroup that was made anew under its name', () => {
    const anew = record('kubepods/pod1', 'memory.min', 8n, ['12288\n', '8192']);
    expect([...recordWrites(journalOf(MIN), [anew]).records.values()]).toEqual([anew]);
  });

  it('does not change the journal that it adds to', () => {
    const journal = journalOf(MIN);
    recordWrites(journal, [HIGH]);
    expect([...journal.records.values()]).toEqual([MIN]);
  });

  it('keeps the files of a cgroup apart', () => {
    expect(placeKey(HIGH)).toBe('kubepods/pod1/memory.high');
    expect([...journalOf(HIGH, MIN).records.keys()]).toEqual([
      'kubepods/pod1/memory.high',
      'kubepods/pod1/memory.min',
    ]);
  });

  it('forgets the places that it is told to, and the boot stays', () => {
    const left = forgetPlaces(
      journalOf(HIGH, MIN),
      new Set(['kubepods/pod1/memory.high', 'other/memory.min']),
    );
    expect(left).toEqual(journalOf(MIN));
  });

  it('keeps what is of this boot and of cgroups that are still the same', () => {
    const gone = record('kubepods/gone', 'memory.low', 9n, ['0\n', '4096']);
    const anew = record('kubepods/anew', 'memory.low', 10n, ['0\n', '4096']);
    const inodes: Readonly<Record<string, bigint>> = { 'kubepods/pod1': 7n, 'kubepods/anew': 11n };
    expect(pruneJournal(journalOf(MIN, gone, anew), BOOT, (cgroup) => inodes[cgroup])).toEqual(
      journalOf(MIN),
    );
  });

  it.each([
    ['another boot', 'other'],
    ['a boot that is not known', null],
  ])('drops everything at %s', (_, bootId) => {
    expect(pruneJournal(journalOf(MIN), bootId, () => 7n)).toEqual(emptyJournal(bootId));
  });

  it('takes two boots that are not known for the same one', () => {
    const journal = recordWrites(emptyJournal(null), [MIN]);
    expect(pruneJournal(journal, null, () => 7n)).toEqual(journal);
  });
});
