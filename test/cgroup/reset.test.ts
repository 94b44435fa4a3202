import { describe, expect, it } from 'vitest';
import type { DirectoryRead, FileTree } from '../../cgroup/file-tree.ts';
import { emptyJournal, type JournalRecord, recordWrites } from '../../cgroup/journal.ts';
import type { LimitRead } from '../../cgroup/limit-port.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import { cgroupsAtAndBelow, neutralWrites, restorations } from '../../cgroup/reset.ts';
import { resetEntry } from '../../cgroup/reset-entry.ts';

const REASON = "the value before nodeqos' first write";
const NEUTRAL = "the kernel's value for a new cgroup";

function record(cgroup: string, file: MemoryFile, before: string, written: string): JournalRecord {
  return { cgroup, file, inode: 1n, before, written };
}

function read(text: string, inode = 1n): LimitRead {
  return { kind: 'read', text, inode };
}

function restored(records: readonly JournalRecord[], looks: Readonly<Record<string, LimitRead>>) {
  return restorations(recordWrites(emptyJournal(null), records), new Map(Object.entries(looks)));
}

describe('what reset puts back', () => {
  it('puts back the value before the first write, byte for byte, where the file reads what nodeqos wrote', () => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    const { inode, cgroup, file } = high;
    expect(restored([high], { 'k/p/memory.high': read('4096\n') })).toEqual({
      writes: [
        {
          kind: 'ready',
          write: { cgroup, file, inode, current: '4096', desired: 'max', reason: REASON },
          place: { ...high, writer: 'cgroupfs' },
          text: 'max\n',
        },
      ],
      done: [],
      unchanged: 0,
      changedByOthers: [],
    });
  });

  it('puts it back where somebody else wrote since, and says so', () => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    const found = restored([high], { 'k/p/memory.high': read('8192\n') });
    expect(found.writes.map((write) => write.kind)).toEqual(['ready']);
    expect(found.changedByOthers).toEqual([high]);
  });

  it('writes nothing where the file reads as before: the write never happened, or was undone', () => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    expect(restored([high], { 'k/p/memory.high': read('max\n') })).toEqual({
      writes: [],
      done: [high],
      unchanged: 1,
      changedByOthers: [],
    });
  });

  it('puts a value back through systemd where systemd may keep it, also where the file reads as before', () => {
    const high: JournalRecord = { ...record('k/p', 'memory.high', 'max\n', '4096'), writer: 'systemd' };
    const { inode, cgroup, file } = high;
    const write = { inode, cgroup, file, desired: 'max', reason: REASON };
    for (const current of ['4096', 'max']) {
      expect(restored([high], { 'k/p/memory.high': read(`${current}\n`) })).toEqual({
        writes: [{ kind: 'ready', write: { ...write, current }, place: high, text: 'max\n' }],
        done: [],
        unchanged: 0,
        changedByOthers: [],
      });
    }
  });

  it.each([
    ['is gone', { kind: 'vanished', error: 'gone' } as const],
    ['was made anew', read('4096\n', 2n)],
  ])('drops the record of a cgroup that %s', (_, look) => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    expect(restored([high], { 'k/p/memory.high': look })).toEqual({
      writes: [],
      done: [high],
      unchanged: 0,
      changedByOthers: [],
    });
  });

  it('drops a record that nobody looked for', () => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    expect(restored([high], {}).done).toEqual([high]);
  });

  it('reports a file that cannot be read as failed and keeps its record', () => {
    const high = record('k/p', 'memory.high', 'max\n', '4096');
    const look = { kind: 'failed', code: 'EACCES', error: 'denied' } as const;
    const { inode, cgroup, file } = high;
    expect(restored([high], { 'k/p/memory.high': look })).toEqual({
      writes: [
        {
          kind: 'over',
          result: {
            write: { cgroup, file, inode, current: null, desired: 'max', reason: REASON },
            outcome: 'failed',
            error: 'denied',
            code: 'EACCES',
          },
        },
      ],
      done: [],
      unchanged: 0,
      changedByOthers: [],
    });
  });

  it('restores a file that was empty or held no limit to the very bytes', () => {
    const empty = record('k', 'memory.low', '', '4096');
    const odd = record('k', 'memory.min', 'none \n', '4096');
    const found = restored([empty, odd], { 'k/memory.low': read('4096\n'), 'k/memory.min': read('odd\n') });
    expect(found.writes).toEqual([
      {
        kind: 'ready',
        write: { cgroup: 'k', file: 'memory.min', inode: 1n, current: null, desired: 'none', reason: REASON },
        place: { ...odd, writer: 'cgroupfs' },
        text: 'none \n',
      },
      {
        kind: 'ready',
        write: { cgroup: 'k', file: 'memory.low', inode: 1n, current: '4096', desired: '', reason: REASON },
        place: { ...empty, writer: 'cgroupfs' },
        text: '',
      },
    ]);
  });

  it('is ordered so that parents cover their children at every moment', () => {
    const records = [
      record('k', 'memory.min', '0\n', '8192'),
      record('k/p', 'memory.min', '0\n', '8192'),
      record('k', 'memory.high', 'max\n', '8192'),
      record('k/p', 'memory.low', '4096\n', '0'),
      record('k', 'memory.low', '4096\n', '0'),
      record('j', 'memory.min', '4096\n', '0'),
    ];
    const looks = Object.fromEntries(
      records.map((one) => [`${one.cgroup}/${one.file}`, read(`${one.written}\n`)]),
    );
    looks['j/memory.min'] = { kind: 'failed', code: 'EIO', error: 'broken' };
    const places = restored(records, looks).writes.map((one) => {
      const { cgroup, file } = one.kind === 'ready' ? one.write : one.result.write;
      return `${cgroup}/${file}`;
    });
    expect(places).toEqual([
      'j/memory.min',
      'k/memory.low',
      'k/p/memory.low',
      'k/memory.high',
      'k/p/memory.min',
      'k/memory.min',
    ]);
  });
});

describe('what a neutral reset writes', () => {
  it('is min and low 0 and high max wherever a file is there and reads anything else, in write order', () => {
    const looks = new Map<string, LimitRead>([
      ['k/memory.min', read('8192\n', 5n)],
      ['k/memory.low', read('0\n', 5n)],
      ['k/memory.high', read('max\n', 5n)],
      ['k/p/memory.min', read('4096\n', 6n)],
      ['k/p/memory.low', { kind: 'failed', code: 'EACCES', error: 'denied' }],
      ['k/p/memory.high', read('', 6n)],
      ['k/q/memory.min', { kind: 'vanished', error: 'gone' }],
    ]);
    expect(neutralWrites(['k', 'k/p', 'k/q'], looks)).toEqual([
      { cgroup: 'k/p', file: 'memory.low', current: null, desired: '0', reason: NEUTRAL },
      { cgroup: 'k/p', file: 'memory.high', inode: 6n, current: null, desired: 'max', reason: NEUTRAL },
      { cgroup: 'k/p', file: 'memory.min', inode: 6n, current: '4096', desired: '0', reason: NEUTRAL },
      { cgroup: 'k', file: 'memory.min', inode: 5n, current: '8192', desired: '0', reason: NEUTRAL },
    ]);
  });
});

describe('the cgroups at and below one', () => {
  function tree(folders: Readonly<Record<string, DirectoryRead>>): FileTree {
    return {
      readFile: () => ({ kind: 'missing' }),
      readDirectory: (path) => folders[path] ?? { kind: 'missing' },
      inodeOf: () => undefined,
      nameOf: (path) => path,
    };
  }
  const listed = (...directories: string[]): DirectoryRead => ({ kind: 'read', directories, files: ['x'] });

  it('are found to any depth, in bytewise order, and nothing beside them', () => {
    const folders = {
      '': listed('k', 'system.slice'),
      'system.slice': listed(),
      k: listed('b', 'a'),
      'k/a': listed('inner'),
      'k/a/inner': listed('sandbox'),
      'k/a/inner/sandbox': listed(),
      'k/b': listed(),
    };
    expect(cgroupsAtAndBelow(tree(folders), 'k')).toEqual({
      cgroups: ['k', 'k/a', 'k/a/inner', 'k/a/inner/sandbox', 'k/b'],
      unlisted: [],
    });
  });

  it('are none where there is no such cgroup', () => {
    expect(cgroupsAtAndBelow(tree({}), 'k')).toEqual({ cgroups: [], unlisted: [] });
  });

  it('name those that cannot be listed, and leave out those that went away meanwhile', () => {
    const folders: Record<string, DirectoryRead> = {
      k: listed('a', 'b', 'c', 'd'),
      'k/a': { kind: 'failed', code: 'EACCES' },
      'k/b': { kind: 'failed', code: 'ENODEV' },
      'k/d': { kind: 'failed', code: 'EIO' },
    };
    expect(cgroupsAtAndBelow(tree(folders), 'k')).toEqual({
      cgroups: ['k', 'k/a', 'k/d'],
      unlisted: ['k/a', 'k/d'],
    });
  });
});

describe('a write of reset as an entry of a plan', () => {
  const uid = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
  const slice = `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice`;

  it('has all fields of one, with what is not known as null', () => {
    const write = {
      cgroup: 'kubepods',
      file: 'memory.min',
      current: '0',
      desired: '4096',
      reason: 'r',
    } as const;
    expect(resetEntry({ ...write, inode: 3n })).toEqual({
      level: 'node',
      namespace: null,
      pod: null,
      uid: null,
      container: null,
      qosClass: null,
      cgroup: 'kubepods',
      file: 'memory.min',
      current: '0',
      desired: '4096',
      action: 'write',
      reason: 'r',
    });
  });

  it.each([
    ['kubepods', 'node', null],
    ['kubepods.slice', 'node', null],
    ['system.slice', 'node', null],
    ['kubepods/burstable', 'qos', 'Burstable'],
    ['kubepods/besteffort', 'qos', 'BestEffort'],
    ['kubepods.slice/kubepods-burstable.slice', 'qos', 'Burstable'],
    ['kubepods.slice/kubepods-besteffort.slice', 'qos', 'BestEffort'],
    [`kubepods/pod${uid}`, 'pod', 'Guaranteed'],
    [`kubepods/besteffort/pod${uid}`, 'pod', 'BestEffort'],
    [slice, 'pod', 'Burstable'],
    [`${slice}/cri-containerd-1.scope`, 'container', 'Burstable'],
    [`kubepods/besteffort/pod${uid}/c/inner`, 'container', 'BestEffort'],
  ])('knows the level and class of %s', (cgroup, level, qosClass) => {
    const write = { cgroup, file: 'memory.min', current: null, desired: '0', reason: 'r' } as const;
    expect(resetEntry(write)).toMatchObject({ level, qosClass });
  });
});
