import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { wrongVersion } from '../../systemd/deb/version.ts';

describe('a version for a package', () => {
  it.each(['0', '0.1.0', '1.3.0~rc1', '1.2+git20260102', '1.2a'])('is taken: %s', (version) => {
    expect(wrongVersion(version)).toBeUndefined();
  });

  it.each([
    '',
    'a b',
    '1 2',
    '../../x',
    '1/../x',
    '1.0\n',
    '1.0\nDepends: x',
    '1:2.0',
    '1.2.3-1',
    '1.0-',
    'v1.0',
    '-1',
    '1_0',
    '1.0é',
  ])('is refused: %j', (version) => {
    expect(wrongVersion(version)).toBe(
      `--version ${JSON.stringify(version)}: give a Debian version without epoch and revision, such as 1.2.3 or 1.3.0~rc1: a digit, then letters, digits and . + ~`,
    );
  });
});

describe('the builder of packages', () => {
  it.each<[string, readonly string[], number, string]>([
    [
      'a version that is none',
      ['--version', 'a b'],
      64,
      '--version "a b": give a Debian version without epoch and revision, such as 1.2.3 or 1.3.0~rc1: a digit, then letters, digits and . + ~; see npm run package -- --help\n',
    ],
    [
      'a folder where the system takes none',
      ['--out', '/proc/nope'],
      74,
      '--out /proc/nope: there is no such file or folder; give --out another folder\n',
    ],
    [
      'a file for a folder',
      ['--out', 'package.json'],
      74,
      '--out package.json: something else is in its place; move it away; give --out another folder\n',
    ],
  ])('refuses %s in a sentence, before it builds', (_, args, code, sentence) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['build-tool.js', 'systemd/deb/main.ts', ...args],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    expect([status, stdout, stderr]).toEqual([code, '', sentence]);
  });
});
