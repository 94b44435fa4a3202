import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitFiles, readLimit, writeLimit } from '../../../cgroup/disk/cgroup-writer.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { SYSTEM_CALLS, type SystemCalls } from '../../../cgroup/disk/system-calls.ts';
import type { KnownLimitPlace } from '../../../cgroup/limit-port.ts';
import type { MemoryFile } from '../../../cgroup/memory-files.ts';

let top: string;
let mountPath: string;
let mounts: Mount[];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-writer-'));
  mountPath = join(top, 'cgroup');
  mkdirSync(join(mountPath, 'kubepods', 'pod1'), { recursive: true });
  writeFileSync(join(mountPath, 'kubepods', 'memory.min'), '0\n');
  writeFileSync(join(mountPath, 'kubepods', 'pod1', 'memory.high'), 'max\n');
  mounts = [];
});

afterEach(() => {
  mounts.forEach(closeMount);
  rmSync(top, { recursive: true, force: true });
});

function mountWith(calls: Partial<SystemCalls> = {}): Mount {
  const mount = openMount(mountPath, true, { ...SYSTEM_CALLS, ...calls });
  if (!mount.ok) {
    throw new Error(mount.message);
  }
  mounts.push(mount.value);
  return mount.value;
}

function place(cgroup: string, file: MemoryFile = 'memory.high'): KnownLimitPlace {
  return { cgroup, file, inode: statSync(join(mountPath, cgroup), { bigint: true }).ino };
}

function text(cgroup: string, file = 'memory.high'): string {
  return readFileSync(join(mountPath, cgroup, file), 'utf8');
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function throwing(code: string): () => never {
  return () => {
    throw systemError(code);
  };
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('writing a limit', () => {
  it('makes the file read the text, and nothing of what was there before', async () => {
    const mount = mountWith();
    const at = place('kubepods/pod1');
    expect(await writeLimit(mount, at, '993210368\n')).toEqual({ kind: 'written' });
    expect(text('kubepods/pod1')).toBe('993210368\n');
    expect(await writeLimit(mount, at, 'max\n')).toEqual({ kind: 'written' });
    expect(text('kubepods/pod1')).toBe('max\n');
    expect(await writeLimit(mount, at, '')).toEqual({ kind: 'written' });
    expect(text('kubepods/pod1')).toBe('');
  });

  it('gives bytes back as they were, whatever they are', async () => {
    const odd = Buffer.from([0x6d, 0xff, 0x00, 0xc3, 0x0a]);
    writeFileSync(join(mountPath, 'kubepods', 'memory.min'), odd);
    const files = limitFiles(mountWith());
    const at = place('kubepods', 'memory.min');
    const before = await files.read(at);
    expect(before).toMatchObject({ kind: 'read', inode: at.inode });
    await files.write(at, '4096\n');
    await files.write(at, before.kind === 'read' ? before.text : '');
    expect(readFileSync(join(mountPath, 'kubepods', 'memory.min'))).toEqual(odd);
  });

  it('counts a value as written that reads back the same but for its line break', async () => {
    const read = (_: number, buffer: Uint8Array): number =>
      Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length).write('4096');
    expect(await writeLimit(mountWith({ read }), place('kubepods/pod1'), '4096\n')).toEqual({
      kind: 'written',
    });
  });

  it.each([
    ['8192\n', '"8192"'],
    ['max\n', '"max"'],
    ['\n', '""'],
    ['9'.repeat(5000), 'something else'],
  ])('fails when another value is read back: %j', async (found, shown) => {
    const read = (_: number, buffer: Uint8Array): number =>
      Buffer.from(buffer.buffer, buffer.byteOffset, buffer.length).write(found);
    const mount = mountWith({ read });
    expect(await writeLimit(mount, place('kubepods/pod1'), '4096\n')).toEqual({
      kind: 'failed',
      code: 'EREADBACK',
      error: `${mountPath}/kubepods/pod1/memory.high: found ${shown} after writing "4096": another writer, or another page size than planned`,
    });
  });

  it('lets go of every descriptor, whatever happens', async () => {
    const mount = mountWith();
    const before = openDescriptors();
    await writeLimit(mount, place('kubepods/pod1'), '4096\n');
    await writeLimit(mount, { ...place('kubepods/pod1'), inode: 1n }, '4096\n');
    await writeLimit(mount, { ...place('kubepods/pod1'), file: 'memory.low' }, '4096\n');
    await writeLimit(mount, { cgroup: 'kubepods/gone/x', file: 'memory.low', inode: 1n }, '4096\n');
    await readLimit(mount, place('kubepods/pod1'));
    for (const name of ['read', 'write', 'truncate'] as const) {
      const failing: Mount = { ...mount, calls: { ...SYSTEM_CALLS, [name]: throwing('EIO') } };
      await writeLimit(failing, place('kubepods/pod1'), '4096\n');
    }
    expect(openDescriptors()).toBe(before);
  });
});

describe('writing to a kernel', () => {
  /** Takes the plain files for the kernel's, which are never cut: what is longer than the new text stays. */
  const asKernel = (): Mount => ({ ...mountWith(), isCgroup2: true });

  it.each(['max\n', 'max', '0\n', '4096\n', '9999999999999999999\n'])('hands over %j', async (limit) => {
    writeFileSync(join(mountPath, 'kubepods', 'memory.min'), '');
    expect(await writeLimit(asKernel(), place('kubepods', 'memory.min'), limit)).toEqual({ kind: 'written' });
    expect(text('kubepods', 'memory.min')).toBe(limit);
  });

  it('does not cut the file', async () => {
    writeFileSync(join(mountPath, 'kubepods', 'memory.min'), '4096\nrest');
    await writeLimit(asKernel(), place('kubepods', 'memory.min'), '8192\n');
    expect(text('kubepods', 'memory.min')).toBe('8192\nrest');
  });

  it.each([
    '',
    '\n',
    '010000\n',
    '-1\n',
    '+1\n',
    '4096\n\n',
    '4k\n',
    ' 4096\n',
    'MAX\n',
    '10000000000000000000\n',
  ])('keeps back %j, which a kernel refuses or takes for something else', async (limit) => {
    expect(await writeLimit(asKernel(), place('kubepods/pod1'), limit)).toEqual({
      kind: 'failed',
      code: 'EINVAL',
      error: `${mountPath}/kubepods/pod1/memory.high: ${JSON.stringify(limit.trimEnd())} is no limit; nothing was written`,
    });
    expect(text('kubepods/pod1')).toBe('max\n');
  });
});

describe('what has vanished', () => {
  it('is a cgroup that is not there, or lacks the file', async () => {
    const mount = mountWith();
    expect(await readLimit(mount, { cgroup: 'kubepods/gone', file: 'memory.low' })).toEqual({
      kind: 'vanished',
      error: `${mountPath}/kubepods/gone/memory.low is gone`,
    });
    expect(await writeLimit(mount, place('kubepods/pod1', 'memory.low'), '0\n')).toEqual({
      kind: 'vanished',
      error: `${mountPath}/kubepods/pod1/memory.low is gone`,
    });
    expect(readdirSync(join(mountPath, 'kubepods', 'pod1'))).toEqual(['memory.high']);
  });

  it('is a cgroup that was made anew under its name', async () => {
    const mount = mountWith();
    const old = place('kubepods/pod1');
    renameSync(join(mountPath, 'kubepods', 'pod1'), join(mountPath, 'aside'));
    mkdirSync(join(mountPath, 'kubepods', 'pod1'));
    writeFileSync(join(mountPath, 'kubepods', 'pod1', 'memory.high'), 'max\n');
    const gone = {
      kind: 'vanished',
      error: `${mountPath}/kubepods/pod1 was removed and made anew meanwhile`,
    };
    expect(await readLimit(mount, old)).toEqual(gone);
    expect(await writeLimit(mount, old, '4096\n')).toEqual(gone);
    expect(text('kubepods/pod1')).toBe('max\n');
  });

  it.each(['read', 'write'] as const)('is a cgroup whose open file says ENODEV at the %s', async (name) => {
    const mount = mountWith({ [name]: throwing('ENODEV') });
    expect(await writeLimit(mount, place('kubepods/pod1'), '4096\n')).toEqual({
      kind: 'vanished',
      error: `${mountPath}/kubepods/pod1/memory.high is gone`,
    });
  });
});

it('a cgroup that is removed while its file is open has vanished, although a plain file takes what is written', async () => {
  const removing = <T>(act: T): T => {
    rmSync(join(mountPath, 'kubepods', 'pod1'), { recursive: true });
    return act;
  };
  const mount = mountWith({
    write: (fd, bytes) => removing(SYSTEM_CALLS).write(fd, bytes),
  });
  const gone = { kind: 'vanished', error: `${mountPath}/kubepods/pod1/memory.high is gone` };
  expect(await writeLimit(mount, place('kubepods/pod1'), '4096\n')).toEqual(gone);
  const reading = mountWith({ read: (fd, buffer) => removing(SYSTEM_CALLS).read(fd, buffer) });
  mkdirSync(join(mountPath, 'kubepods', 'pod1'));
  writeFileSync(join(mountPath, 'kubepods', 'pod1', 'memory.high'), 'max\n');
  expect(await readLimit(reading, place('kubepods/pod1'))).toEqual(gone);
});

describe('what is left alone', () => {
  const left = 'this is not a plain file of the mount; it is left alone';

  it('is everything but the three files, also where the types were told otherwise', async () => {
    writeFileSync(join(mountPath, 'kubepods', 'memory.max'), 'max\n');
    const at = { ...place('kubepods'), file: 'memory.max' as MemoryFile };
    expect(await writeLimit(mountWith(), at, '4096\n')).toEqual({
      kind: 'failed',
      code: 'EXDEV',
      error: `${mountPath}/kubepods/memory.max is not memory.min, memory.low or memory.high of a cgroup: it is left alone`,
    });
    expect(text('kubepods', 'memory.max')).toBe('max\n');
  });

  it.each(['..', '../outside', 'kubepods/../../outside', '/etc', '', 'kubepods//pod1', './kubepods', 'a\0b'])(
    'is a path that is no cgroup below the mount: %j',
    async (cgroup) => {
      mkdirSync(join(top, 'outside'));
      writeFileSync(join(top, 'outside', 'memory.high'), 'max\n');
      const found = await writeLimit(mountWith(), { cgroup, file: 'memory.high', inode: 1n }, '4096\n');
      expect(found).toMatchObject({ kind: 'failed', code: 'EXDEV' });
      expect(readFileSync(join(top, 'outside', 'memory.high'), 'utf8')).toBe('max\n');
    },
  );

  it('is a folder behind a symbolic link', async () => {
    mkdirSync(join(top, 'outside'));
    writeFileSync(join(top, 'outside', 'memory.high'), 'max\n');
    symlinkSync(join(top, 'outside'), join(mountPath, 'kubepods', 'link'));
    expect(await writeLimit(mountWith(), place('kubepods/link'), '4096\n')).toEqual({
      kind: 'failed',
      code: 'ENOTDIR',
      error: `${mountPath}/kubepods/link/memory.high: a part of the path is a symbolic link or not a folder; nodeqos does not follow it`,
    });
    expect(readFileSync(join(top, 'outside', 'memory.high'), 'utf8')).toBe('max\n');
  });

  it.each([
    [
      'a symbolic link',
      (at: string, outside: string) => {
        symlinkSync(outside, at);
      },
    ],
    [
      'a file with a second name',
      (at: string, outside: string) => {
        linkSync(outside, at);
      },
    ],
    [
      'a folder',
      (at: string) => {
        mkdirSync(at);
      },
    ],
    [
      'a named pipe',
      (at: string) => {
        execFileSync('sh', ['-c', 'mkfifo "$0"', at]);
      },
    ],
  ])('is %s in the place of a limit file', async (_, make) => {
    const outside = join(top, 'passwd');
    writeFileSync(outside, 'root\n');
    make(join(mountPath, 'kubepods', 'pod1', 'memory.low'), outside);
    const mount = mountWith();
    const at = place('kubepods/pod1', 'memory.low');
    const failed = {
      kind: 'failed',
      code: 'EXDEV',
      error: `${mountPath}/kubepods/pod1/memory.low: ${left}`,
    };
    expect(await readLimit(mount, at)).toEqual(failed);
    expect(await writeLimit(mount, at, '4096\n')).toEqual(failed);
    expect(readFileSync(outside, 'utf8')).toBe('root\n');
  });

  it.each([
    [1, 'the cgroup leads to another filesystem; it is left alone'],
    [2, 'the cgroup leads to another filesystem; it is left alone'],
    [3, left],
  ])('is what lies on another filesystem (component %i)', async (which, why) => {
    let seen = -1;
    const stat: SystemCalls['stat'] = (fd) => {
      seen += 1;
      const found = SYSTEM_CALLS.stat(fd);
      return seen === which ? { ...found, device: found.device + 1n } : found;
    };
    const before = openDescriptors();
    expect(await writeLimit(mountWith({ stat }), place('kubepods/pod1'), '4096\n')).toEqual({
      kind: 'failed',
      code: 'EXDEV',
      error: `${mountPath}/kubepods/pod1/memory.high: ${why}`,
    });
    expect(openDescriptors()).toBe(before + 1);
    expect(text('kubepods/pod1')).toBe('max\n');
  });

  it('is a file that is too long for a limit', async () => {
    writeFileSync(join(mountPath, 'kubepods', 'memory.min'), '1'.repeat(1024));
    expect(await readLimit(mountWith(), place('kubepods', 'memory.min'))).toMatchObject({ kind: 'read' });
    writeFileSync(join(mountPath, 'kubepods', 'memory.min'), '1'.repeat(1025));
    expect(await readLimit(mountWith(), place('kubepods', 'memory.min'))).toEqual({
      kind: 'failed',
      code: 'EFBIG',
      error: `${mountPath}/kubepods/memory.min: this is too long for a limit file; it is left alone`,
    });
  });
});

describe('what the system refuses', () => {
  it.each([
    ['EACCES', 'permission denied; run nodeqos as root, or as the owner of the file'],
    ['EPERM', 'permission denied; run nodeqos as root, or as the owner of the file'],
    ['EROFS', 'the filesystem is read-only'],
    ['ENOSPC', 'no space left; free some and run again'],
    ['EDQUOT', 'no space left; free some and run again'],
    ['EBUSY', 'the kernel says that it is busy (EBUSY)'],
    ['EINVAL', 'the kernel refused the value (EINVAL)'],
    ['EIO', 'EIO'],
  ])('is a failure with a sentence: %s', async (code, why) => {
    const mount = mountWith({ write: () => Promise.reject(systemError(code)) });
    expect(await writeLimit(mount, place('kubepods/pod1'), '4096\n')).toEqual({
      kind: 'failed',
      code,
      error: `${mountPath}/kubepods/pod1/memory.high: ${why}`,
    });
  });

  it('is not an error without a code: that is a fault of the program and goes on', async () => {
    const mount = mountWith({ write: () => Promise.reject(new TypeError('bug')) });
    await expect(writeLimit(mount, place('kubepods/pod1'), '4096\n')).rejects.toThrow('bug');
  });
});

describe('opening a mount', () => {
  it('refuses a filesystem that is not cgroup2, unless the tree is a fake', () => {
    const before = openDescriptors();
    expect(openMount(mountPath, false)).toEqual({
      ok: false,
      message: `${mountPath} is not a cgroup2 filesystem: nothing is written there`,
    });
    expect(openDescriptors()).toBe(before);
    expect(mountWith().isCgroup2).toBe(false);
  });

  it('says what is wrong with a path', () => {
    expect(openMount(join(top, 'gone'), true)).toEqual({
      ok: false,
      message: `${join(top, 'gone')}: there is no such file or folder`,
    });
  });

  const isCgroup2 = statfsSync('/sys/fs/cgroup').type === 0x63677270;
  it.skipIf(!isCgroup2)('takes a real cgroup2 mount (skipped where /sys/fs/cgroup is none)', () => {
    const mount = openMount('/sys/fs/cgroup', false);
    expect(mount).toMatchObject({ ok: true, value: { isCgroup2: true } });
    if (mount.ok) {
      mounts.push(mount.value);
    }
  });

  it('holds on to the folder that it opened, whatever its path leads to later', async () => {
    const mount = mountWith();
    const at = place('kubepods/pod1');
    renameSync(mountPath, `${mountPath}.moved`);
    mkdirSync(join(mountPath, 'kubepods', 'pod1'), { recursive: true });
    writeFileSync(join(mountPath, 'kubepods', 'pod1', 'memory.high'), 'max\n');
    expect(await writeLimit(mount, at, '4096\n')).toEqual({ kind: 'written' });
    expect(text('kubepods/pod1')).toBe('max\n');
  });
});
