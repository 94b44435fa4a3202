import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendLines } from '../../../../agent/report/audit/append-lines.ts';
import { type AuditTrouble, openAuditFile } from '../../../../agent/report/audit/audit-file.ts';
import { tickRecord, WALL_MS } from '../../../fakes/tick-records.ts';

const isRoot = process.getuid?.() === 0;
if (isRoot)
  console.warn('run as root, which may write anywhere: missing permission for the audit log is skipped');

let folder: string;
let file: string;
let troubles: AuditTrouble[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-audit-'));
  file = join(folder, 'state', 'audit.jsonl');
  troubles = [];
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Limits {
  readonly maxBytes?: bigint;
  readonly keep?: number;
}

function open({ maxBytes = 1n << 20n, keep = 2 }: Limits = {}): ReturnType<typeof openAuditFile> {
  return openAuditFile({ file, maxBytes, keep }, (trouble) => {
    troubles.push(trouble);
  });
}

function stop(reason: string): Parameters<ReturnType<typeof openAuditFile>['event']>[0] {
  return { event: { kind: 'stop', reason }, wallMs: WALL_MS, mode: 'dry-run' };
}

function line(reason: string): string {
  return `{"time":"2026-03-04T05:06:07.500Z","kind":"stop","mode":"dry-run","reason":"${reason}"}\n`;
}

function read(name = ''): string {
  return readFileSync(`${file}${name}`, 'utf8');
}

describe('the audit file', () => {
  it('has a record when event() resolves, and is for its owner alone', async () => {
    const audit = open();
    await audit.event(stop('a'));
    expect(read()).toBe(line('a'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    expect(audit.name).toBe('audit');
    expect(troubles).toEqual([]);
  });

  it('keeps the order of records that come at once, and has them all when it is closed', async () => {
    const audit = open();
    const reasons = Array.from({ length: 50 }, (_, index) => String(index));
    for (const reason of reasons) void audit.event(stop(reason));
    await audit.close();
    expect(read()).toBe(reasons.map(line).join(''));
  });

  it('goes on after what an earlier run has written', async () => {
    await open().event(stop('a'));
    await open().event(stop('b'));
    expect(read()).toBe(line('a') + line('b'));
  });

  it('is put aside before it would be too large, and the oldest go', async () => {
    const size = BigInt(line('a').length);
    const audit = open({ maxBytes: size * 2n });
    for (const reason of 'abcdefg') await audit.event(stop(reason));
    expect(read()).toBe(line('g'));
    expect(read('.1')).toBe(line('e') + line('f'));
    expect(read('.2')).toBe(line('c') + line('d'));
    expect(existsSync(`${file}.3`)).toBe(false);
  });

  it('is put aside at one byte too much, not before', async () => {
    const size = BigInt(line('a').length);
    await open({ maxBytes: size * 2n - 1n }).event(stop('a'));
    await open({ maxBytes: size * 2n }).event(stop('b'));
    expect(existsSync(`${file}.1`)).toBe(false);
    await open({ maxBytes: size * 3n - 1n }).event(stop('c'));
    expect(read('.1')).toBe(line('a') + line('b'));
    expect(read()).toBe(line('c'));
  });

  it('is begun anew where none is to be kept, and lets go of more than are to be kept', async () => {
    mkdirSync(join(folder, 'state'));
    for (const name of ['.1', '.2', '.3']) writeFileSync(`${file}${name}`, 'old\n');
    const audit = open({ maxBytes: 1n, keep: 0 });
    await audit.event(stop('a'));
    await audit.event(stop('b'));
    expect(readdirSync(join(folder, 'state'))).toEqual(['audit.jsonl']);
    expect(read()).toBe(line('b'));
  });

  it('takes one record that is longer than a file may be', async () => {
    const audit = open({ maxBytes: 1n });
    await audit.event(stop('a'));
    await audit.event(stop('b'));
    expect(read('.1')).toBe(line('a'));
    expect(read()).toBe(line('b'));
  });

  it('follows its name when it was moved away or deleted', async () => {
    const audit = open();
    await audit.event(stop('a'));
    renameSync(file, `${file}.old`);
    await audit.event(stop('b'));
    expect(read()).toBe(line('b'));
    rmSync(join(folder, 'state'), { recursive: true });
    await audit.event(stop('c'));
    expect(read()).toBe(line('c'));
  });

  it.each([
    ['cuts off a record that a power cut tore', '{"time":"2026', ''],
    ['begins a new line after text that is not its own', 'somebody wrote this', 'somebody wrote this\n'],
  ])('%s', async (_, tail, left) => {
    await open().event(stop('a'));
    appendFileSync(file, tail);
    await open().event(stop('b'));
    expect(read()).toBe(line('a') + left + line('b'));
  });

  it('says what is wrong once, keeps records that cannot be written, and writes them when it can', async () => {
    mkdirSync(file, { recursive: true });
    const audit = open();
    await audit.event(stop('a'));
    await audit.event(stop('b'));
    const sentence = `${file} cannot be written (it is a folder); records wait`;
    expect(troubles).toEqual([{ sentence, over: false }]);
    rmSync(file, { recursive: true });
    audit.tick?.(tickRecord());
    await audit.close();
    expect(read()).toBe(line('a') + line('b'));
    expect(troubles).toEqual([
      { sentence, over: false },
      { sentence, over: true },
    ]);
  });

  it.each([
    [
      'a folder where the system takes none',
      () => '/proc/nope/x/a.jsonl',
      'its folder is not there and cannot be made',
    ],
    ['a file above it', () => join(folder, 'file', 'a.jsonl'), 'a part of its path is no folder'],
    ['a file for its folder', () => join(folder, 'file', 'x', 'a.jsonl'), 'a part of its path is no folder'],
  ])('says in words why it cannot be written: %s', async (_, place, why) => {
    writeFileSync(join(folder, 'file'), '');
    file = place();
    await open().event(stop('a'));
    expect(troubles).toEqual([{ sentence: `${file} cannot be written (${why}); records wait`, over: false }]);
  });

  it('counts what it could not keep in a record at the place of the gap', async () => {
    mkdirSync(file, { recursive: true });
    const audit = open({ maxBytes: 1n << 40n });
    for (let index = 0; index < 4100; index += 1) void audit.event(stop(String(index)));
    await audit.close();
    rmSync(file, { recursive: true });
    await audit.event(stop('last'));
    const records = read().trimEnd().split('\n');
    expect(records).toHaveLength(4097);
    expect(JSON.parse(records.at(-2) ?? '')).toMatchObject({ kind: 'stop', reason: '4095' });
    expect(JSON.parse(records.at(-1) ?? '')).toMatchObject({ kind: 'lost', records: 5 });
    await audit.event(stop('after'));
    expect(JSON.parse(read().trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ reason: 'after' });
  });

  it('grows on where it cannot be put aside, and says so', async () => {
    const size = BigInt(line('a').length);
    const audit = open({ maxBytes: size, keep: 1 });
    await audit.event(stop('a'));
    mkdirSync(`${file}.1/in-the-way`, { recursive: true });
    await audit.event(stop('b'));
    expect(read()).toBe(line('a') + line('b'));
    expect(troubles).toHaveLength(1);
    expect(troubles[0]?.sentence).toMatch(/audit\.jsonl cannot be put aside \(.+\) and grows on$/);
  });

  it('can be a pipe that somebody reads or a device, and does not wait for a reader', async () => {
    file = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [file]).status).toBe(0);
    await open().event(stop('a'));
    expect(troubles).toEqual([
      { sentence: `${file} cannot be written (nobody reads it); records wait`, over: false },
    ]);
    file = '/dev/null';
    expect(await appendLines({ file, maxBytes: 1n, keep: 1 }, ['a\n', 'b\n'])).toEqual({ written: 2 });
    file = '/dev/full';
    expect(await appendLines({ file, maxBytes: 1n, keep: 1 }, ['a\n'])).toEqual({
      written: 0,
      failed: 'ENOSPC',
    });
  });

  it.skipIf(isRoot)('names missing permission', async () => {
    mkdirSync(join(folder, 'state'), { mode: 0o500 });
    await open().event(stop('a'));
    expect(troubles[0]?.sentence).toContain('(permission denied)');
    chmodSync(join(folder, 'state'), 0o700);
  });
});

/** Fills a disk of 64 KiB, adds lines of 1000 bytes to a file on it, makes room, and adds the others. */
const ON_A_SMALL_DISK = `
  import { readFileSync, rmSync, writeFileSync } from 'node:fs';
  import { appendLines } from './agent/report/audit/append-lines.ts';
  const [folder] = process.argv.slice(2);
  const target = { file: folder + '/audit.jsonl', maxBytes: 1n << 20n, keep: 1 };
  const lines = Array.from({ length: 50 }, (_, index) => '{"time":"' + String(index).padStart(990, '0') + '\\n');
  writeFileSync(folder + '/filler', 'x'.repeat(40960));
  const results = [];
  for (let left = lines; left.length > 0; ) {
    const { written, failed = null } = await appendLines(target, left.slice(0, 10));
    const content = readFileSync(target.file, 'utf8');
    left = left.slice(written);
    results.push({ written, failed, isWhole: content === lines.slice(0, lines.length - left.length).join('') });
    if (failed !== null) rmSync(folder + '/filler', { force: true });
  }
  console.log(JSON.stringify(results));
`;

const canMount =
  spawnSync('unshare', ['--mount', '--map-root-user', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
if (!canMount) console.warn('no mount namespaces here: the audit log on a full disk is skipped');

describe.skipIf(!canMount)('the audit file on a full disk', () => {
  it('holds whole records only, and goes on when there is room', () => {
    const script = join(folder, 'script.mjs');
    buildSync({
      stdin: { contents: ON_A_SMALL_DISK, resolveDir: process.cwd(), loader: 'ts' },
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const command = 'mount -t tmpfs -o size=64k tmpfs "$2" && exec "$0" "$1" "$2"';
    const args = ['--mount', '--map-root-user', 'sh', '-c', command, process.execPath, script, disk];
    const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const results = JSON.parse(stdout) as { written: number; failed: string | null; isWhole: boolean }[];
    expect(results.every(({ isWhole }) => isWhole)).toBe(true);
    expect(results.filter(({ failed }) => failed !== null)).toEqual([
      { written: 0, failed: 'ENOSPC', isWhole: true },
    ]);
    expect(results.reduce((sum, { written }) => sum + written, 0)).toBe(50);
  });
});
