import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPackage, SOURCES, VERSION } from './built.ts';
import { lackingPackage } from './tools.ts';

const LONGEST_MS = 10 * 60_000;
const CACHE = 'node_modules/.cache/nodeqos-package';

/** The folders of all that the program and its build take from node_modules. */
function librariesOfTheBuild(): readonly string[] {
  const listed = execFileSync('npm', ['ls', '--all', '--omit=dev', '--parseable'], { encoding: 'utf8' });
  const folders = listed.split('\n').map((path) => relative('.', path));
  const tools = ['node_modules/esbuild', 'node_modules/@esbuild'];
  return [...folders, ...tools].filter((path) => path.startsWith('node_modules/'));
}

/** The sources and what they are built with in another folder: files alone, with the times and modes of that copy. */
function copyOfTheProject(to: string): void {
  for (const path of [...SOURCES, ...librariesOfTheBuild()])
    if (existsSync(path)) cpSync(path, join(to, path), { recursive: true });
  mkdirSync(join(to, CACHE), { recursive: true });
  for (const name of readdirSync(CACHE).filter((entry) => entry.endsWith('.tgz')))
    cpSync(join(CACHE, name), join(to, CACHE, name));
}

const sumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe.skipIf(lackingPackage('building the package twice'))('the package', () => {
  let elsewhere = '';
  beforeAll(() => {
    elsewhere = mkdtempSync(join(tmpdir(), 'nodeqos-elsewhere-'));
  });
  afterAll(() => {
    rmSync(elsewhere, { recursive: true, force: true });
  });

  it(
    'is the same, byte for byte, built in another folder with another umask, time zone, language and time of sources',
    () => {
      const here = builtPackage();
      copyOfTheProject(elsewhere);
      const env = {
        ...process.env,
        TZ: 'Asia/Kathmandu',
        LC_ALL: 'C.UTF-8',
        LANG: 'tr_TR.UTF-8',
        HOME: elsewhere,
        SOURCE_DATE_EPOCH: '1',
        DEB_BUILD_OPTIONS: 'parallel=7',
      };
      const command = 'umask 077; exec "$0" build-tool.js systemd/deb/main.ts --compression gzip --out built';
      execFileSync('sh', ['-c', command, process.execPath], { cwd: elsewhere, env, stdio: 'ignore' });
      const name = `nodeqos_${VERSION}_amd64.deb`;
      expect(sumOf(resolve(elsewhere, 'built', name))).toBe(sumOf(here));
    },
    LONGEST_MS,
  );
});
