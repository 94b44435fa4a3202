import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lock, takeLock } from '../../../cgroup/disk/lock-file.ts';
import { lockHolder, lockPath } from '../../../cgroup/disk/lock-holder.ts';
import { ownIdentity } from '../../../cgroup/disk/process-identity.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const SINCE = '2026-01-02T03:04:05.000Z';

let top: string;
let state: string;
let children: ChildProcess[];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'nodeqos-lock-'));
  state = join(top, 'state');
  children = [];
});

afterEach(() => {
  children.forEach((child) => child.kill('SIGKILL'));
  rmSync(top, { recursive: true, force: true });
});

function held(lock: Lock): Lock & { kind: 'held' } {
  if (lock.kind !== 'held') {
    throw new Error(lock.message);
  }
  return lock;
}

function lockedBy(changes: object): void {
  mkdirSync(state, { recursive: true });
  const holder = { ...ownIdentity(), command: 'run', since: SINCE, token: 'other', ...changes };
  writeFileSync(lockPath(state), JSON.stringify(holder));
}

async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

function holder(): Record<string, unknown> {
  return JSON.parse(readFileSync(lockPath(state), 'utf8')) as Record<string, unknown>;
}

describe('the lock', () => {
  it('is ours until somebody removes the folder, or takes what is then free', () => {
    const lock = held(takeLock(state, 'run', NOW));
    expect(lock.isOurs()).toBe(true);
    rmSync(state, { recursive: true });
    expect(lock.isOurs()).toBe(false);
    const other = held(takeLock(state, 'run', NOW));
    expect([lock.isOurs(), other.isOurs()]).toEqual([false, true]);
    lock.release();
    expect(other.isOurs()).toBe(true);
  });

  it('is a file that names its holder, and is gone after the release', () => {
    const lock = held(takeLock(state, 'apply', NOW));
    expect(holder()).toEqual({
      ...ownIdentity(),
      command: 'apply',
      since: SINCE,
      token: expect.any(String) as string,
    });
    expect(holder()['pid']).toBe(process.pid);
    expect(readdirSync(state)).toEqual(['lock']);
    lock.release();
    expect(readdirSync(state)).toEqual([]);
    held(takeLock(state, 'reset', NOW)).release();
  });

  it('keeps a second one out, with a sentence that names the holder', () => {
    held(takeLock(state, 'apply', NOW));
    expect(takeLock(state, 'reset', NOW + 1)).toEqual({
      kind: 'busy',
      message: `${lockPath(state)}: nodeqos apply (PID ${process.pid}) has written here since ${SINCE}; only one may write, try again when it has ended`,
    });
    expect(readdirSync(state)).toEqual(['lock']);
    expect(holder()['command']).toBe('apply');
  });

  it('is taken over from a process that is gone', async () => {
    lockedBy({ pid: await deadPid(), startTime: '1' });
    held(takeLock(state, 'apply', NOW));
    expect(holder()['pid']).toBe(process.pid);
    expect(readdirSync(state)).toEqual(['lock']);
  });

  it('is taken over where the PID is by now of a process that started at another time', () => {
    lockedBy({ startTime: `${ownIdentity().startTime}1` });
    held(takeLock(state, 'apply', NOW));
    expect(holder()['token']).not.toBe('other');
  });

  it('is taken over after a boot', () => {
    lockedBy({ bootId: 'earlier' });
    held(takeLock(state, 'apply', NOW));
  });

  it('is not taken over from a process of a PID namespace that is not seen from here', () => {
    lockedBy({ pidNamespace: 'pid:[1]', pid: 7 });
    expect(takeLock(state, 'apply', NOW)).toEqual({
      kind: 'busy',
      message: `${lockPath(state)}: nodeqos run (PID 7) has written here since ${SINCE}, in a PID namespace that is not seen from here; remove ${lockPath(state)} if it is gone; only one may write, try again when it has ended`,
    });
  });

  it('is kept by a process that still runs, whoever started it', async () => {
    const child = spawn('sleep', ['60']);
    children.push(child);
    await once(child, 'spawn');
    const stat = readFileSync(`/proc/${child.pid ?? 0}/stat`, 'utf8');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    lockedBy({ pid: child.pid, startTime });
    expect(takeLock(state, 'apply', NOW)).toMatchObject({ kind: 'busy' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    held(takeLock(state, 'apply', NOW));
  });

  it('is taken over from a process that is dead and only waited for', async () => {
    // The shell becomes sleep, which never waits for the child that it inherited.
    const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(parent);
    const [first] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(first.toString());
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8');
    while (!stat().includes(') Z ')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const startTime = stat()
      .slice(stat().lastIndexOf(')') + 2)
      .split(' ')[19];
    lockedBy({ pid, startTime });
    held(takeLock(state, 'apply', NOW));
  });

  it.each(['', 'junk', '{}', 'null', '{"pid":0}', '{"pid":"1"}', '{"pid":1.5}'])(
    'that cannot be read keeps everybody out, with a remedy: %j',
    (text) => {
      mkdirSync(state);
      writeFileSync(lockPath(state), text);
      expect(takeLock(state, 'apply', NOW)).toEqual({
        kind: 'busy',
        message: `${lockPath(state)}: this lock cannot be read; remove it if no nodeqos runs`,
      });
    },
  );

  it('leaves the lock of another one alone at the release', () => {
    const lock = held(takeLock(state, 'apply', NOW));
    lockedBy({});
    lock.release();
    expect(holder()['token']).toBe('other');
    rmSync(lockPath(state));
    lock.release();
    expect(readdirSync(state)).toEqual([]);
  });

  it('says why it could not be taken', () => {
    writeFileSync(state, '');
    expect(takeLock(state, 'apply', NOW)).toEqual({
      kind: 'failed',
      code: 'EEXIST',
      message: `${state}: something else is in its place; move it away`,
    });
  });
});

describe('taking over', () => {
  it('waits for another one that is taking over', async () => {
    lockedBy({ pid: await deadPid(), startTime: '1' });
    const taker = { ...ownIdentity(), command: 'reset', since: SINCE, token: 'taker' };
    writeFileSync(`${lockPath(state)}.takeover`, JSON.stringify(taker));
    expect(takeLock(state, 'apply', NOW)).toEqual({
      kind: 'busy',
      message: `${lockPath(state)}.takeover: nodeqos reset (PID ${process.pid}) has written here since ${SINCE}; only one may write, try again when it has ended`,
    });
    expect(holder()['token']).toBe('other');
  });

  it('goes on where another one died taking over', async () => {
    const pid = await deadPid();
    lockedBy({ pid, startTime: '1' });
    const taker = { ...ownIdentity(), pid, startTime: '1', command: 'reset', since: SINCE, token: 'taker' };
    writeFileSync(`${lockPath(state)}.takeover`, JSON.stringify(taker));
    held(takeLock(state, 'apply', NOW));
    expect(holder()['pid']).toBe(process.pid);
    expect(readdirSync(state)).toEqual(['lock']);
  });

  it('clears away what takers left that died while they took it, and nothing of anybody else', async () => {
    lockedBy({ pid: await deadPid() });
    const dead = JSON.stringify(holder());
    const alive = JSON.stringify({ ...holder(), ...ownIdentity() });
    const id = '01234567-89ab-cdef-0123-456789abcde';
    const files = {
      [`lock.${id}0`]: dead,
      [`lock.${id}1.over`]: dead,
      [`lock.${id}2`]: alive,
      [`lock.${id}3`]: '{"pid":',
      'lock.old': dead,
      'journal.jsonl': dead,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(state, name), text);
    const lock = held(takeLock(state, 'apply', NOW));
    const left = ['journal.jsonl', 'lock', `lock.${id}2`, `lock.${id}3`, 'lock.old'];
    expect(readdirSync(state).toSorted()).toEqual(left);
    lock.release();
    expect(readdirSync(state).toSorted()).toEqual(left.filter((name) => name !== 'lock'));
  });

  it('ends somewhere where takers died over and over', async () => {
    const pid = await deadPid();
    lockedBy({ pid, startTime: '1' });
    for (let path = lockPath(state), depth = 0; depth < 6; depth += 1, path += '.takeover') {
      writeFileSync(
        path,
        JSON.stringify({ ...ownIdentity(), pid, startTime: '1', command: 'c', since: SINCE, token: 't' }),
      );
    }
    expect(takeLock(state, 'apply', NOW)).toMatchObject({ kind: 'busy' });
  });

  it('lets one of many processes in, never two at a time', async () => {
    lockedBy({ pid: await deadPid(), startTime: '1' });
    const log = join(top, 'log');
    writeFileSync(log, '');
    const entry = fileURLToPath(new URL('./lock-contender.ts', import.meta.url));
    const { build } = await import('esbuild');
    const bundle = join(top, 'contender.mjs');
    await build({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const ends = Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, [bundle, state, log], { stdio: ['ignore', 'ignore', 'inherit'] });
      children.push(child);
      const [code] = (await once(child, 'exit')) as [number];
      return code;
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0]);
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(4);
    for (let index = 0; index < lines.length; index += 2) {
      expect(lines[index + 1]).toBe(lines[index]?.replace('in', 'out'));
    }
  });
});

describe('looking who holds a lock', () => {
  it('names the holder and takes nothing', () => {
    const lock = held(takeLock(state, 'run', NOW));
    expect(lockHolder(state)).toEqual({ kind: 'held', pid: process.pid, command: 'run', since: SINCE });
    lock.release();
    expect(lockHolder(state)).toEqual({ kind: 'free' });
  });
  it('takes one whose holder is gone for free', () => {
    lockedBy({ startTime: '1' });
    expect(lockHolder(state)).toEqual({ kind: 'free' });
  });
  it('counts a holder that cannot be seen from here', () => {
    lockedBy({ pid: 7, pidNamespace: 'pid:[1]' });
    expect(lockHolder(state)).toEqual({ kind: 'held', pid: 7, command: 'run', since: SINCE });
  });
  it('knows nothing of one that cannot be read', () => {
    mkdirSync(state);
    writeFileSync(lockPath(state), 'torn');
    expect(lockHolder(state)).toEqual({ kind: 'unknown' });
    rmSync(lockPath(state));
    mkdirSync(lockPath(state));
    expect(lockHolder(state)).toEqual({ kind: 'unknown' });
  });
});
