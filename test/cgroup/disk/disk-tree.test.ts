import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskTree } from '../../../cgroup/disk/disk-tree.ts';
import { subtree } from '../../../cgroup/file-tree.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'disk-tree-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string | Buffer): void {
  writeFileSync(join(folder, path), text);
}

describe('diskTree reading files', () => {
  it.each([
    ['an empty file', ''],
    ['one line', '4096\n'],
    ['the default of memory.min', '0\n'],
    ['the default of memory.high', 'max\n'],
    ['as long as a default and something else', '1\n'],
    ['a default without its line feed', '00'],
    ['as long as max and something else', 'mix\n'],
    ['characters of several bytes', 'zażółć – 🐧\n'],
    ['just below what one read is taken for', 'x'.repeat(1023)],
    ['just what makes a second read', 'x'.repeat(1024)],
    ['as large as the buffer', 'y'.repeat(65536)],
    ['larger than the buffer, a character across its end', `${'z'.repeat(65535)}🐧${'z'.repeat(70000)}`],
  ])('%s', (_name, text) => {
    write('file', text);
    expect(diskTree(folder).readFile('file')).toEqual({ kind: 'read', text });
  });

  it('reads after another read of a larger file', () => {
    write('large', 'a'.repeat(200_000));
    write('small', 'b');
    const tree = diskTree(folder);
    expect(tree.readFile('large')).toEqual({ kind: 'read', text: 'a'.repeat(200_000) });
    expect(tree.readFile('small')).toEqual({ kind: 'read', text: 'b' });
  });

  it('reads kernel files whose size is 0', () => {
    const read = diskTree('/proc').readFile('self/status');
    expect(read.kind === 'read' && read.text.startsWith('Name:')).toBe(true);
  });

  it('missing is missing, below a file as well', () => {
    write('file', 'x');
    expect(diskTree(folder).readFile('none')).toEqual({ kind: 'missing' });
    expect(diskTree(folder).readFile('file/below')).toEqual({ kind: 'missing' });
  });

  it('a folder, a loop of symlinks and a NUL are failures with their code', () => {
    mkdirSync(join(folder, 'dir'));
    symlinkSync('b', join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    const tree = diskTree(folder);
    expect(tree.readFile('dir')).toEqual({ kind: 'failed', code: 'EISDIR' });
    expect(tree.readFile('a')).toEqual({ kind: 'failed', code: 'ELOOP' });
    expect(tree.readFile('x\0y')).toEqual({ kind: 'failed', code: 'ERR_INVALID_ARG_VALUE' });
  });

  it('a named pipe does not hold the reader', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(diskTree(folder).readFile('pipe')).toEqual({ kind: 'read', text: '' });
  });

  it('a symlink to a file is followed', () => {
    write('file', 'x');
    symlinkSync('file', join(folder, 'link'));
    expect(diskTree(folder).readFile('link')).toEqual({ kind: 'read', text: 'x' });
  });

  it('a path with a parent step is refused, names with two dots are not', () => {
    write('a..b', 'x');
    const tree = diskTree(folder);
    const outside = { kind: 'failed', code: 'EINVAL' };
    expect(tree.readFile('../x')).toEqual(outside);
    expect(tree.readFile('a/../../x')).toEqual(outside);
    expect(tree.readDirectory('..')).toEqual(outside);
    expect(tree.inodeOf('..')).toBeUndefined();
    expect(tree.isLeaf?.('..')).toBe(false);
    expect(tree.readFile('a..b')).toEqual({ kind: 'read', text: 'x' });
  });

  it('the folder itself may be named with a parent step', () => {
    mkdirSync(join(folder, 'inner'));
    write('file', 'x');
    expect(diskTree(`${folder}/inner/..`).readFile('file')).toEqual({ kind: 'read', text: 'x' });
  });

  it.skipIf(process.getuid?.() === 0)('a file without permission is a failure (root may read it all)', () => {
    write('secret', 'x');
    chmodSync(join(folder, 'secret'), 0);
    expect(diskTree(folder).readFile('secret')).toEqual({ kind: 'failed', code: 'EACCES' });
  });
});

describe('diskTree listing folders', () => {
  it('a symlink in a cgroup tree is not followed: it would lead into files of others', () => {
    writeFileSync(join(folder, 'secret'), 'theirs');
    symlinkSync('secret', join(folder, 'memory.low'));
    const tree = diskTree(folder, 'cgroups');
    expect(tree.readFile('memory.low')).toEqual({ kind: 'failed', code: 'ELOOP' });
    expect(tree.readFile('secret')).toEqual({ kind: 'read', text: 'theirs' });
  });

  it('sorts bytewise and never lists a symlink as a directory', () => {
    for (const name of ['b', 'a', 'B', '\u{10000}', '\ue000']) {
      mkdirSync(join(folder, name));
    }
    write('z', '');
    write('Z', '');
    symlinkSync('a', join(folder, 'link'));
    symlinkSync('/', join(folder, 'away'));
    expect(diskTree(folder).readDirectory('')).toEqual({
      kind: 'read',
      directories: ['B', 'a', 'b', '\ue000', '\u{10000}'],
      files: ['Z', 'away', 'link', 'z'],
    });
  });

  it('missing folders and files are missing', () => {
    write('file', '');
    expect(diskTree(folder).readDirectory('none')).toEqual({ kind: 'missing' });
    expect(diskTree(folder).readDirectory('file')).toEqual({ kind: 'missing' });
    expect(diskTree(join(folder, 'none')).readDirectory('')).toEqual({ kind: 'missing' });
  });

  it('knows a folder without folders in it', () => {
    mkdirSync(join(folder, 'outer/inner'), { recursive: true });
    write('outer/inner/file', '');
    const tree = diskTree(folder);
    // Some filesystems count links otherwise; then nothing is claimed.
    const counts = statSync(join(folder, 'outer/inner')).nlink === 2;
    expect(tree.isLeaf?.('outer/inner')).toBe(counts);
    expect(tree.isLeaf?.('outer')).toBe(false);
    expect(tree.isLeaf?.('none')).toBe(false);
    expect(tree.isLeaf?.('x\0')).toBe(false);
  });
});

describe('diskTree naming', () => {
  it('tells the inode of what is there', () => {
    write('file', '');
    const tree = diskTree(folder);
    expect(tree.inodeOf('file')).toBe(statSync(join(folder, 'file'), { bigint: true }).ino);
    expect(tree.inodeOf('')).toBe(statSync(folder, { bigint: true }).ino);
    expect(tree.inodeOf('none')).toBeUndefined();
    expect(tree.inodeOf('x\0')).toBeUndefined();
  });

  it.each([
    ['/sys/fs/cgroup', 'a/b', '/sys/fs/cgroup/a/b'],
    ['/sys/fs/cgroup//', 'a', '/sys/fs/cgroup/a'],
    ['/sys', '', '/sys'],
    ['/', 'a', '/a'],
    ['/', '', '/'],
    ['here', 'a', 'here/a'],
  ])('in %s, %j is %s', (base, path, name) => {
    expect(diskTree(base).nameOf(path)).toBe(name);
  });
});

describe('subtree', () => {
  it('is the part below a folder, in every question', () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    write('a/file', 'x');
    const tree = subtree(diskTree(folder), 'a');
    expect(tree.readFile('file')).toEqual({ kind: 'read', text: 'x' });
    expect(tree.readDirectory('')).toEqual({ kind: 'read', directories: ['b'], files: ['file'] });
    expect(tree.inodeOf('b')).toBe(statSync(join(folder, 'a/b'), { bigint: true }).ino);
    expect(tree.isLeaf?.('b')).toBe(diskTree(folder).isLeaf?.('a/b'));
    expect(tree.nameOf('file')).toBe(`${folder}/a/file`);
    expect(tree.nameOf('')).toBe(`${folder}/a`);
  });
});
