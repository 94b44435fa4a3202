import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nodeUnderPressure } from '../fakes/node-under-pressure.ts';
import { BINARY } from './binary.ts';

const node = nodeUnderPressure();
let folder = '';
let child: ChildProcess | undefined;
const opened: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-stalled-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  for (const fd of opened.splice(0)) closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
  node.remove();
});

/** The writing end of a pipe that is full and that nobody reads. */
function fullPipe(): number {
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const filling = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  opened.push(filling);
  try {
    for (;;) writeSync(filling, 'x'.repeat(4096));
  } catch {
    // EAGAIN: it is full.
  }
  const writing = openSync(pipe, constants.O_WRONLY);
  opened.push(writing);
  return writing;
}

it('goes on deciding when nobody reads its lines, and ends when it is told to', async () => {
  const audit = join(folder, 'audit.jsonl');
  const pipe = fullPipe();
  const args = ['run', '--root', node.root, '--pods', node.path('pods.json'), '--node-name', 'n1'];
  child = spawn(process.execPath, [BINARY, ...args, '--listen', 'none', '--audit-log', audit], {
    stdio: ['ignore', pipe, pipe],
  });
  const ended = new Promise<number | null>((resolve) => child?.on('exit', resolve));
  await expect.poll(() => recorded(audit), { timeout: 20_000 }).toContain('"kind":"condition"');
  await sleep(300);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(recorded(audit)).toContain('"kind":"stop"');
}, 40_000);

function recorded(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
