import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../cgroup/disk/make-folders.ts';

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-folders-'));
});

afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('making folders', () => {
  it('makes all that are lacking, with the mode that was asked for, and gives the topmost', () => {
    const folder = join(top, 'a', 'b', 'c');
    expect(makeFolders(folder, 0o700)).toBe(join(top, 'a'));
    expect(['a', 'a/b', 'a/b/c'].map((name) => modeOf(join(top, name)))).toEqual([0o700, 0o700, 0o700]);
  });

  it('gives the only one that was lacking', () => {
    expect(makeFolders(join(top, 'a'))).toBe(join(top, 'a'));
  });

  it('leaves what is there as it is, and gives nothing', () => {
    mkdirSync(join(top, 'a'), { mode: 0o750 });
    expect(makeFolders(join(top, 'a'), 0o700)).toBeUndefined();
    expect(modeOf(join(top, 'a'))).toBe(0o750);
    expect(makeFolders('/')).toBeUndefined();
    expect(makeFolders('.')).toBeUndefined();
  });

  it('goes through a symbolic link to a folder', () => {
    mkdirSync(join(top, 'real'));
    symlinkSync('real', join(top, 'link'));
    expect(makeFolders(join(top, 'link', 'a'))).toBe(join(top, 'link', 'a'));
    expect(readdirSync(join(top, 'real'))).toEqual(['a']);
  });

  it.each([
    ['a file in its place', 'file', 'EEXIST'],
    ['a file above it', 'file/a/b', 'ENOTDIR'],
    ['a link above it that leads nowhere', 'nowhere/a', 'EEXIST'],
  ])('throws for %s', (_, name, code) => {
    writeFileSync(join(top, 'file'), '');
    symlinkSync('none', join(top, 'nowhere'));
    expect(() => makeFolders(join(top, name))).toThrow(expect.objectContaining({ code }) as Error);
  });

  it.each(['/proc/nope', '/proc/nope/x', '/proc/nope/x/y/z', '/proc/self/nope/x'])(
    'is refused at once where the system takes no folder: %s',
    (folder) => {
      expect(() => makeFolders(folder)).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
    },
  );
});
