import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldCgroup } from '../../../cgroup/control-port.ts';
import { controlFiles } from '../../../cgroup/disk/control-files.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { SYSTEM_CALLS, type SystemCalls } from '../../../cgroup/disk/system-calls.ts';

const POD = 'kubepods/pod1';

let top: string;
let mountPath: string;
let mounts: Mount[];
let inode: bigint;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-control-'));
  mountPath = join(top, 'cgroup');
  inode = makePod(POD);
  mounts = [];
});

afterEach(() => {
  mounts.forEach(closeMount);
  rmSync(top, { recursive: true, force: true });
});

function makePod(cgroup: string): bigint {
  const folder = join(mountPath, cgroup);
  mkdirSync(join(folder, 'app'), { recursive: true });
  mkdirSync(join(folder, 'Sandbox'), { recursive: true });
  for (const [file, text] of [
    ['cgroup.events', 'populated 1\nfrozen 0\n'],
    ['cgroup.freeze', '0\n'],
    ['cgroup.kill', ''],
    ['cgroup.procs', '12\n'],
  ] as const) {
    writeFileSync(join(folder, file), text);
  }
  return statSync(folder, { bigint: true }).ino;
}

function mountWith(calls: Partial<SystemCalls> = {}): Mount {
  const mount = openMount(mountPath, true, { ...SYSTEM_CALLS, ...calls });
  if (!mount.ok) throw new Error(mount.message);
  mounts.push(mount.value);
  return mount.value;
}

function hold(mount: Mount = mountWith()): HeldCgroup {
  const opened = controlFiles(mount).hold(POD, inode);
  if (opened.kind !== 'held') throw new Error(opened.error);
  return opened.held;
}

function throwing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

function name(path: string): string {
  return join(mountPath, path);
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('a held cgroup', () => {
  it('is the one with its inode, and tells what it is', () => {
    const mount = mountWith();
    const held = hold(mount);
    expect([held.cgroup, held.inode]).toEqual([POD, inode]);
    expect(controlFiles(mount).isCgroup2).toBe(false);
    held.release();
  });

  it('has its files read and its folders listed, bytewise', () => {
    const held = hold();
    expect(held.read('cgroup.events')).toEqual({ kind: 'read', text: 'populated 1\nfrozen 0\n' });
    expect(held.children()).toEqual({ kind: 'read', names: ['Sandbox', 'app'] });
    held.release();
  });

  it('has a file read to its end, however much the kernel hands out at a time', () => {
    const pids = Array.from({ length: 40_000 }, (_, index) => `${index + 1}\n`).join('');
    writeFileSync(name(`${POD}/cgroup.procs`), pids);
    const pages = mountWith({ readOn: (fd, buffer) => SYSTEM_CALLS.readOn(fd, buffer.subarray(0, 4096)) });
    for (const held of [hold(), hold(pages)]) {
      expect(held.read('cgroup.procs')).toEqual({ kind: 'read', text: pids });
      held.release();
    }
  });

  it('has values written, and nothing of what was there before', async () => {
    const held = hold();
    writeFileSync(name(`${POD}/cgroup.kill`), '1\nolder\n');
    expect(await held.write('cgroup.kill', '1')).toEqual({ kind: 'written' });
    expect(await held.write('cgroup.freeze', '1')).toEqual({ kind: 'written' });
    expect(readFileSync(name(`${POD}/cgroup.kill`), 'utf8')).toBe('1\n');
    expect(readFileSync(name(`${POD}/cgroup.freeze`), 'utf8')).toBe('1\n');
    held.release();
  });

  it('opens those inside it, which are held by themselves', async () => {
    const held = hold();
    const child = held.child('app');
    if (child.kind !== 'held') throw new Error(child.error);
    held.release();
    writeFileSync(name(`${POD}/app/cgroup.kill`), '');
    expect(child.held.cgroup).toBe(`${POD}/app`);
    expect(child.held.inode).toBe(statSync(name(`${POD}/app`), { bigint: true }).ino);
    expect(await child.held.write('cgroup.kill', '1')).toEqual({ kind: 'written' });
    expect(readFileSync(name(`${POD}/app/cgroup.kill`), 'utf8')).toBe('1\n');
    child.held.release();
  });

  it('tells a file that is missing from a cgroup that is gone', async () => {
    const held = hold();
    rmSync(name(`${POD}/cgroup.kill`));
    expect(await held.write('cgroup.kill', '1')).toEqual({ kind: 'missing' });
    rmSync(name(POD), { recursive: true });
    expect(await held.write('cgroup.kill', '1')).toEqual({
      kind: 'vanished',
      error: `${name(`${POD}/cgroup.kill`)} is gone`,
    });
    expect(held.read('cgroup.events')).toEqual({
      kind: 'vanished',
      error: `${name(`${POD}/cgroup.events`)} is gone`,
    });
    held.release();
  });

  it('is not another one that takes its place', async () => {
    const held = hold();
    renameSync(name(POD), join(top, 'moved'));
    makePod(POD);
    await held.write('cgroup.freeze', '1');
    expect(readFileSync(name(`${POD}/cgroup.freeze`), 'utf8')).toBe('0\n');
    expect(readFileSync(join(top, 'moved', 'cgroup.freeze'), 'utf8')).toBe('1\n');
    held.release();
  });

  it('leaves nothing open, whatever happens', async () => {
    const mount = mountWith();
    const before = openDescriptors();
    const held = hold(mount);
    held.read('cgroup.events');
    await held.write('cgroup.freeze', '1');
    held.children();
    held.child('nobody');
    rmSync(name(`${POD}/cgroup.kill`));
    await held.write('cgroup.kill', '1');
    held.release();
    controlFiles(mount).hold(POD, inode + 1n);
    controlFiles(mount).hold('nowhere', inode);
    expect(openDescriptors()).toBe(before);
  });
});

describe('a cgroup is not held', () => {
  it.each<[string, () => [cgroup: string, inode: bigint], object]>([
    [
      'when there is none',
      () => ['kubepods/pod2', 1n],
      { kind: 'vanished', remade: false, error: 'MOUNT/kubepods/pod2 is gone' },
    ],
    [
      'when it is another one by now',
      () => [POD, inode + 1n],
      { kind: 'vanished', remade: true, error: `MOUNT/${POD} was removed and made anew meanwhile` },
    ],
    ...['../cgroup/kubepods/pod1', 'kubepods//pod1', '', 'kubepods/./pod1'].map(
      (cgroup): [string, () => [string, bigint], object] => [
        `by the path ${JSON.stringify(cgroup)}`,
        () => [cgroup, inode],
        {
          kind: 'failed',
          code: 'EXDEV',
          error: `MOUNT/${cgroup} is not a cgroup below the mount: it is left alone`,
        },
      ],
    ),
    [
      'through a symbolic link',
      () => {
        symlinkSync(name(POD), name('link'));
        return ['link', inode];
      },
      {
        kind: 'failed',
        code: 'ENOTDIR',
        error:
          'MOUNT/link: a part of the path is a symbolic link or not a folder; nodeqos does not follow it',
      },
    ],
  ])('%s', (_, at, expected) => {
    const [cgroup, wanted] = at();
    const found = controlFiles(mountWith()).hold(cgroup, wanted);
    expect(JSON.parse(JSON.stringify(found).replaceAll(mountPath, 'MOUNT'))).toEqual(expected);
  });

  it.each(['..', 'a/b', '.', ''])('inside another by the name %j', (inside) => {
    const held = hold();
    expect(held.child(inside)).toMatchObject({ kind: 'failed', code: 'EXDEV' });
    held.release();
  });

  it('inside another where there is none', () => {
    const held = hold();
    expect(held.child('nobody')).toEqual({
      kind: 'vanished',
      remade: false,
      error: `${name(`${POD}/nobody`)} is gone`,
    });
    held.release();
  });
});

describe('a control file is left alone', () => {
  it('when it is a link, by either kind', async () => {
    writeFileSync(join(top, 'precious'), '0\n');
    rmSync(name(`${POD}/cgroup.kill`));
    symlinkSync(join(top, 'precious'), name(`${POD}/cgroup.kill`));
    rmSync(name(`${POD}/cgroup.freeze`));
    linkSync(join(top, 'precious'), name(`${POD}/cgroup.freeze`));
    const held = hold();
    for (const file of ['cgroup.kill', 'cgroup.freeze'] as const) {
      expect(await held.write(file, '1')).toEqual({
        kind: 'failed',
        code: 'EXDEV',
        error: `${name(`${POD}/${file}`)}: this is not a plain file of the mount; it is left alone`,
      });
    }
    expect(readFileSync(join(top, 'precious'), 'utf8')).toBe('0\n');
    held.release();
  });

  it('when the system does not let it be read, written, or listed', async () => {
    const failing = mountWith({
      readOn: throwing('EIO'),
      write: throwing('EACCES'),
      folders: throwing('EACCES'),
    });
    const held = hold(failing);
    expect(held.read('cgroup.procs')).toEqual({
      kind: 'failed',
      code: 'EIO',
      error: `${name(`${POD}/cgroup.procs`)}: EIO`,
    });
    expect(await held.write('cgroup.kill', '1')).toEqual({
      kind: 'failed',
      code: 'EACCES',
      error: `${name(`${POD}/cgroup.kill`)}: permission denied; run nodeqos as root, or as the owner of the file`,
    });
    expect(held.children()).toEqual({
      kind: 'failed',
      code: 'EACCES',
      error: `${name(POD)}: permission denied; run nodeqos as root, or as the owner of the file`,
    });
    held.release();
  });

  it('when it has no end', () => {
    const held = hold(mountWith({ readOn: (_, buffer) => buffer.length }));
    expect(held.read('cgroup.procs')).toEqual({
      kind: 'failed',
      code: 'EFBIG',
      error: `${name(`${POD}/cgroup.procs`)}: this is too long for a control file; it is left alone`,
    });
    held.release();
  });

  it('when the cgroup went away under it', () => {
    const held = hold(
      mountWith({ readOn: throwing('ENODEV'), stat: (fd) => ({ ...SYSTEM_CALLS.stat(fd), links: 0n }) }),
    );
    expect(held.read('cgroup.procs')).toEqual({
      kind: 'vanished',
      error: `${name(`${POD}/cgroup.procs`)} is gone`,
    });
    held.release();
  });
});
