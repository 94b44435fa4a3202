import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type JournalFile,
  journalFile,
  journalPath,
  openJournalFile,
  readJournalFile,
} from '../../../cgroup/disk/journal-file.ts';
import {
  emptyJournal,
  type JournalRecord,
  printJournal,
  printRecords,
  recordWrites,
} from '../../../cgroup/journal.ts';

let top: string;
let state: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-journal-'));
  state = join(top, 'var', 'lib', 'nodeqos');
});

afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

const A: JournalRecord = { cgroup: 'k/a', file: 'memory.high', inode: 1n, before: 'max\n', written: '4096' };
const B: JournalRecord = { cgroup: 'k/b', file: 'memory.min', inode: 2n, before: '0\n', written: '8192' };
const INODES: Readonly<Record<string, bigint>> = { 'k/a': 1n, 'k/b': 2n };

function open(bootId: string | null = 'boot', inodes = INODES): JournalFile {
  const read = readJournalFile(state);
  if (read.kind === 'damaged' || read.kind === 'failed') {
    throw new Error(read.message);
  }
  return journalFile(
    state,
    read.kind === 'read' ? read.reading : undefined,
    bootId,
    (cgroup) => inodes[cgroup],
  );
}

function text(): string {
  return readFileSync(journalPath(state), 'utf8');
}

function printed(...records: JournalRecord[]): string {
  return printJournal(recordWrites(emptyJournal('boot'), records));
}

describe('the journal on disk', () => {
  it('is made with its folder, for its owner alone', async () => {
    expect(readJournalFile(state)).toEqual({ kind: 'missing' });
    expect(await open().record([A])).toBeUndefined();
    expect(text()).toBe(printed(A));
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(journalPath(state)).mode & 0o777).toBe(0o600);
    expect(readdirSync(state)).toEqual(['journal.jsonl']);
  });

  it('grows at its end as long as nothing in it is out of date', async () => {
    const journal = open();
    await journal.record([A]);
    const inode = statSync(journalPath(state)).ino;
    await journal.record([B]);
    const again = open();
    expect(again.stale).toBe(0);
    await again.record([{ ...A, before: '4096\n', written: '12288' }]);
    expect(statSync(journalPath(state)).ino).toBe(inode);
    expect(text()).toBe(
      `${printed(A, B)}{"cgroup":"k/a","file":"memory.high","inode":"1","before":"4096\\n","written":"12288"}\n`,
    );
    expect([...open().journal.records.values()]).toEqual([{ ...A, written: '12288', previous: '4096\n' }, B]);
  });

  it('drops the records of cgroups that are gone with the next change', async () => {
    await open().record([A, B]);
    const journal = open('boot', { 'k/b': 2n });
    expect(journal.stale).toBe(1);
    expect(text()).toBe(printed(A, B));
    await journal.record([{ ...B, written: '4096' }]);
    expect(text()).toBe(printed({ ...B, written: '4096' }));
  });

  it('starts anew after a boot', async () => {
    await open().record([A, B]);
    const journal = open('next');
    expect(journal.stale).toBe(2);
    expect(journal.journal).toEqual(emptyJournal('next'));
    await journal.record([A]);
    expect(text()).toBe(printed(A).replace('"boot"', '"next"'));
  });

  it('is written whole again after a crash cut its last line', async () => {
    await open().record([A]);
    appendFileSync(journalPath(state), '{"cgroup":"k/b"');
    await open().record([B]);
    expect(text()).toBe(printed(A, B));
  });

  it('forgets what it is told to, and what is out of date with it', async () => {
    await open().record([A, B]);
    const journal = open('boot', { 'k/a': 1n });
    expect(await journal.forget(new Set())).toBeUndefined();
    expect(text()).toBe(printed(A));
    expect(await journal.forget(new Set(['k/a/memory.high']))).toBeUndefined();
    expect(text()).toBe(printed());
    expect(journal.journal.records.size).toBe(0);
  });

  it('is written anew when it has grown by saying the same files over and over', async () => {
    const journal = open();
    await journal.record([A, B]);
    const written = (count: number): JournalRecord[] => Array.from({ length: count }, () => A);
    await journal.record(written(1002));
    expect(text().split('\n')).toHaveLength(1 + 2 + 1002 + 1);
    await open().record(written(1));
    expect(text()).toBe(printed(A, B));
    await open().record(written(1));
    expect(text()).toBe(printed(A, B) + printRecords([A]));
  });

  it('drops the records of cgroups that are gone when it has grown by new ones', async () => {
    const inodes: Record<string, bigint> = { 'k/a': 1n };
    const journal = open('boot', inodes);
    await journal.record([A]);
    const pods = (count: number, name: string): JournalRecord[] =>
      Array.from({ length: count }, (_, pod) => ({ ...B, cgroup: `k/${name}${pod}` }));
    await journal.record(pods(1001, 'x'));
    expect(text().split('\n')).toHaveLength(1 + 1 + 1001 + 1);
    await journal.record([B]);
    expect(text()).toBe(printed(A, B));
    expect([...journal.journal.records.values()]).toEqual([A, B]);
    await journal.record(pods(1002, 'y'));
    expect(text().split('\n')).toHaveLength(1 + 2 + 1002 + 1);
    await journal.record(pods(1, 'z'));
    expect(text()).toBe(printed(A, ...pods(1, 'z')));
  });

  it('makes changes that come at once one after the other', async () => {
    const journal = open();
    const again = { ...A, before: '4096\n', written: '8192' };
    const done = await Promise.all([
      journal.record([A]),
      journal.record([B]),
      journal.record([again]),
      journal.forget(new Set(['k/b/memory.min'])),
    ]);
    expect(done).toEqual([undefined, undefined, undefined, undefined]);
    expect(text()).toBe(printed(A, again));
  });

  it('goes on after a change that the disk refused', async () => {
    const journal = open();
    await journal.record([A]);
    rmSync(journalPath(state));
    mkdirSync(journalPath(state));
    expect(await journal.record([B])).toMatchObject({ code: 'EISDIR' });
    rmdirSync(journalPath(state));
    expect(await journal.record([B])).toBeUndefined();
    expect(text()).toBe(printed(A, B));
    expect(readdirSync(state)).toEqual(['journal.jsonl']);
  });

  it('is not touched when there is nothing to forget', async () => {
    await open().record([A]);
    const inode = statSync(journalPath(state)).ino;
    expect(await open().forget(new Set(['k/b/memory.min']))).toBeUndefined();
    expect(statSync(journalPath(state)).ino).toBe(inode);
    expect(text()).toBe(printed(A));
  });

  it('is not made only to forget', async () => {
    expect(await open().forget(new Set(['k/a/memory.high']))).toBeUndefined();
    expect(readJournalFile(state)).toEqual({ kind: 'missing' });
  });
});

describe('opening the journal of a state folder', () => {
  const opened = () => openJournalFile(state, 'boot', (cgroup) => INODES[cgroup]);

  it('gives an empty one where there is none, and what is restorable where there is', async () => {
    expect(opened()).toMatchObject({ kind: 'open', journal: { stale: 0, journal: emptyJournal('boot') } });
    await open().record([A, { ...B, inode: 9n }]);
    const opening = opened();
    expect(opening.kind === 'open' && [...opening.journal.journal.records.values()]).toEqual([A]);
    expect(opening).toMatchObject({ journal: { stale: 1 } });
  });

  it('gives the reason where it is damaged or cannot be read', () => {
    mkdirSync(state, { recursive: true });
    writeFileSync(journalPath(state), 'junk\n');
    expect(opened()).toEqual(readJournalFile(state));
    rmSync(journalPath(state));
    mkdirSync(journalPath(state));
    expect(opened()).toEqual(readJournalFile(state));
  });
});

describe('a journal that does not work', () => {
  it('is refused when it is damaged, and stays as it is', () => {
    mkdirSync(state, { recursive: true });
    writeFileSync(journalPath(state), 'junk\n');
    expect(readJournalFile(state)).toEqual({
      kind: 'damaged',
      message: expect.stringContaining(
        `${journalPath(state)}:1: the journal of old values cannot be used`,
      ) as string,
    });
    expect(text()).toBe('junk\n');
  });

  it('is as good as damaged when it is a folder, with the same remedy', () => {
    mkdirSync(journalPath(state), { recursive: true });
    expect(readJournalFile(state)).toEqual({
      kind: 'damaged',
      message: `${journalPath(state)}: the journal of old values cannot be used: it is a folder; move it away to go on without it; \`nodeqos reset --neutral\` then gives the kubepods cgroups the kernel defaults`,
    });
  });

  it('says why it was not kept when its folder cannot be made', async () => {
    mkdirSync(join(top, 'var'));
    writeFileSync(join(top, 'var', 'lib'), '');
    const journal = journalFile(state, undefined, 'boot', () => 1n);
    expect(await journal.record([A])).toEqual({
      code: 'ENOTDIR',
      message: `${state}: a part of the path is a symbolic link or not a folder; nodeqos does not follow it`,
    });
    expect(journal.journal.records.size).toBe(0);
  });

  it('says what is in the way of a new file, even where that cannot be removed', async () => {
    mkdirSync(`${journalPath(state)}.new`, { recursive: true });
    expect(await open().record([A])).toEqual({
      code: 'EISDIR',
      message: `${journalPath(state)}: it is a folder; move it away`,
    });
  });

  it('does not write through a link that somebody put in its place', async () => {
    await open().record([A]);
    const journal = open();
    const outside = join(top, 'outside');
    writeFileSync(outside, 'mine\n');
    rmSync(journalPath(state));
    symlinkSync(outside, journalPath(state));
    expect(await journal.record([B])).toMatchObject({ code: 'ELOOP' });
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
  });

  it.skipIf(process.getuid?.() === 0)(
    'says so without permission (skipped for root, who may everything)',
    async () => {
      mkdirSync(state, { recursive: true });
      chmodSync(state, 0o500);
      expect(await open().record([A])).toMatchObject({ code: 'EACCES' });
    },
  );
});
