import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAmongCgroups } from '../../../cgroup/disk/among-cgroups.ts';

let top: string;
let mount: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-among-'));
  mount = join(top, 'cgroup');
  mkdirSync(join(mount, 'there'), { recursive: true });
  mkdirSync(join(top, 'lib'));
});
afterEach(() => {
  rmSync(top, { recursive: true, force: true });
});

const among = (path: string, at = mount): boolean => isAmongCgroups(path, at);

describe('whether a place is among cgroups', () => {
  it.each<[string, string, boolean]>([
    ['the mount itself', 'cgroup', true],
    ['the mount with a slash at its end', 'cgroup/', true],
    ['a cgroup', 'cgroup/there', true],
    ['what is not there yet', 'cgroup/new/nodeqos', true],
    ['a folder beside it', 'lib/nodeqos', false],
    ['a folder whose name begins alike', 'cgroup-of-mine/nodeqos', false],
    ['the folder above it', '.', false],
    ['a way into it and out again', 'cgroup/there/../../lib', false],
    ['a way out of a folder that is not there and in again', 'lib/../cgroup/x', true],
    ['empty components and dots', './/lib/.././cgroup//x', true],
  ])('%s', (_, path, is) => {
    expect(among(`${top}/${path}`)).toBe(is);
  });

  it('a path that is not absolute', () => {
    expect(among(relative('.', join(mount, 'x')))).toBe(true);
    expect(among(relative('.', join(top, 'lib/x')))).toBe(false);
  });

  it('symbolic links lead there, also to what is not there yet, and by a relative name', () => {
    symlinkSync(mount, join(top, 'lib/absolute'));
    symlinkSync('../cgroup/new', join(top, 'lib/dangling'));
    symlinkSync('absolute/there', join(top, 'lib/of-two'));
    for (const name of ['absolute', 'dangling', 'of-two', 'of-two/new', 'dangling/new']) {
      expect(among(join(top, 'lib', name)), name).toBe(true);
    }
    expect(among(`${top}/lib/of-two/../../lib`)).toBe(false);
    // Not the folder that the link lies in: what it leads to has a parent of its own.
    expect(among(`${top}/lib/of-two/..`)).toBe(true);
  });

  it('symbolic links lead out', () => {
    symlinkSync(join(top, 'lib'), join(mount, 'out'));
    expect(among(join(mount, 'out/nodeqos'))).toBe(false);
  });

  it('a loop of links is no place, and ends', () => {
    symlinkSync('loop', join(top, 'lib/loop'));
    expect(among(join(top, 'lib/loop/x'))).toBe(false);
  });

  it('the mount may be named by a link as well', () => {
    symlinkSync(mount, join(top, 'link'));
    expect(among(join(mount, 'x'), join(top, 'link'))).toBe(true);
  });

  it('everything is, where the mount is the root of all', () => {
    expect(among(join(top, 'lib'), '/')).toBe(true);
  });

  it('makes nothing', () => {
    among(join(mount, 'new/nodeqos'));
    expect(readdirSync(mount)).toEqual(['there']);
  });
});

function isCgroupFilesystem(path: string): boolean {
  try {
    return [0x63677270, 0x0027e0eb].includes(statfsSync(path).type);
  } catch {
    return false;
  }
}

const CGROUPS = ['/sys/fs/cgroup', '/sys/fs/cgroup/memory', '/sys/fs/cgroup/unified'].filter(
  isCgroupFilesystem,
);
if (CGROUPS.length === 0) console.warn('skipped: a cgroup filesystem that is not the mount (there is none)');

it.skipIf(CGROUPS.length === 0)('another cgroup filesystem than the mount is as bad', () => {
  for (const path of CGROUPS) expect(among(`${path}/nodeqos-never-made/state`), path).toBe(true);
});
