import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { Observation } from '../../../../agent/model/observation.ts';
import { TraceReader } from '../../../../agent/observe/trace/trace-reader.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

let node: NodeFolder;
let out: string;

beforeEach(() => {
  node = nodeUnderPressure();
  out = node.path('trace.jsonl');
});

afterEach(() => {
  node.remove();
});

interface Run {
  readonly status: number;
  readonly io: RecordingIo;
}

async function record(...args: readonly string[]): Promise<Run> {
  const io = new RecordingIo();
  const pods = args.includes('--pods') ? [] : ['--pods', node.path('pods.json')];
  const status = await runProgram(['record', '--root', node.root, ...pods, '--out', out, ...args], io);
  return { status, io };
}

function observations(): readonly Observation[] {
  const reader = new TraceReader(out, { warn: () => undefined });
  return readFileSync(out, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const reading = reader.read(line, index + 1);
      if (!reading.ok) throw new Error(reading.message);
      return reading.value;
    });
}

const MI = 1024n * 1024n;

describe('record', () => {
  it('looks once where it is given no time, and says how often', async () => {
    const { status, io } = await record('--duration', '0');
    expect([status, io.stdout, io.stderr]).toEqual([0, '', `${out}: 1 observation\n`]);
    const [seen, ...others] = observations();
    expect(others).toEqual([]);
    expect(seen?.readings.get('memory.available')).toEqual({
      available: 48n * MI,
      capacity: 2048n * MI,
      atMs: seen?.atMs,
      source: 'the trace',
    });
    expect(seen?.pods.map(({ name }) => name)).toEqual(['api', 'cache', 'new', 'vital']);
    expect(seen?.usage).toEqual(
      new Map([
        ['uid-api', { memoryWorkingSetBytes: 500n * MI, processCount: 7n }],
        ['uid-cache', { memoryWorkingSetBytes: 60n * MI, processCount: 2n }],
        ['uid-vital', { memoryWorkingSetBytes: 350n * MI }],
      ]),
    );
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('looks at every interval until its time is over, on a clock that never steps back', async () => {
    const { io } = await record('--interval', '20ms', '--duration', '90ms');
    const times = observations().map(({ atMs }) => atMs);
    expect(io.stderr).toBe(`${out}: ${times.length} observations\n`);
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(5);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    // Pods and usage did not change, so the first line alone has them.
    const [first, ...others] = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(first).toContain('"pods"');
    expect(others.every((line) => !line.includes('"pods"') && !line.includes('"usage"'))).toBe(true);
  });

  it('ends well where it is interrupted', async () => {
    const io = new RecordingIo();
    const args = ['record', '--root', node.root, '--pods', node.path('pods.json'), '--out', out];
    const running = runProgram([...args, '--interval', '10ms'], io);
    await expect
      .poll(() => existsSync(out) && readFileSync(out, 'utf8').split('\n').length)
      .toBeGreaterThan(2);
    io.stop.abort();
    expect(await running).toBe(0);
    expect(io.stderr).toBe(`${out}: ${observations().length} observations\n`);
  });

  it('sees pods that come, and goes on with those that it knew where their file is broken', async () => {
    const io = new RecordingIo();
    const pods = node.path('pods.json');
    const list = JSON.parse(readFileSync(pods, 'utf8')) as { items: object[] };
    const running = runProgram(
      ['record', '--root', node.root, '--pods', pods, '--out', out, '--interval', '10ms'],
      io,
    );
    await expect.poll(() => existsSync(out) && statSync(out).size).toBeGreaterThan(0);
    writeFileSync(pods, JSON.stringify({ ...list, items: list.items.slice(0, 1) }));
    await expect.poll(() => observations().at(-1)?.pods.length).toBe(1);
    rmSync(pods);
    await expect.poll(() => io.warnings.join('\n')).toContain('the pods that were read before are recorded');
    io.stop.abort();
    expect(await running).toBe(0);
    expect(
      observations()
        .at(-1)
        ?.pods.map(({ name }) => name),
    ).toEqual(['api']);
  });

  it('takes a saved summary, and leaves a gap where it cannot be read', async () => {
    const io = new RecordingIo();
    const summary = node.path('summary.json');
    const text = JSON.stringify({ node: { rlimit: { maxpid: 100, curproc: 30 } }, pods: [] });
    writeFileSync(summary, text);
    const args = ['record', '--root', node.root, '--pods', node.path('pods.json'), '--out', out];
    const running = runProgram([...args, '--stats', `summary:${summary}`, '--interval', '10ms'], io);
    await expect.poll(() => existsSync(out) && statSync(out).size).toBeGreaterThan(0);
    rmSync(summary);
    await expect
      .poll(() => io.warnings)
      .toContain(
        `${summary}: there is no such file; check the path; nothing is recorded until it can be read`,
      );
    io.stop.abort();
    expect(await running).toBe(0);
    expect(observations()[0]).toMatchObject({
      readings: new Map([['pid.available', { available: 70n, capacity: 100n, source: 'the trace' }]]),
      usage: new Map(),
    });
  });
});

describe('record refuses', () => {
  const unwritable = 'the folder to write it in is not there; make it first';

  it('to replace a trace, unless it is told to', async () => {
    writeFileSync(out, 'x');
    expect(await record('--duration', '0')).toMatchObject({
      status: 64,
      io: { stderr: `nodeqos: ${out} is already there; --force replaces it\n` },
    });
    expect(readFileSync(out, 'utf8')).toBe('x');
    expect((await record('--duration', '0', '--force')).status).toBe(0);
    expect(observations()).toHaveLength(1);
  });

  it('no file that is empty', async () => {
    writeFileSync(out, '');
    expect((await record('--duration', '0')).status).toBe(0);
  });

  it.each<[string, readonly string[], number, string]>([
    ['an interval that is too short', ['--interval', '9ms'], 64, '--interval 9ms: give 10ms or more'],
    [
      'an interval that is none',
      ['--interval', '1 second'],
      64,
      '--interval: "1 second" is not a duration: " second" is not one of the units h, m, s, ms, us and ns',
    ],
    ['a duration below 0', ['--duration=-1s'], 64, '--duration -1s: give a time that is not negative'],
    [
      'an unknown source',
      ['--stats', 'x'],
      64,
      '--stats x: give cgroup, summary:PATH (a saved kubelet /stats/summary) or kubelet:URL',
    ],
  ])('%s', async (_, args, status, message) => {
    const run = await record(...args);
    expect(run.status).toBe(status);
    expect(run.io.stderr).toBe(`nodeqos: ${message}\n`);
    expect(existsSync(out)).toBe(false);
  });

  it('a place where no file can be', async () => {
    out = node.path('none/trace');
    expect((await record('--duration', '0')).io.stderr).toBe(`nodeqos: ${out}: ${unwritable}\n`);
    out = node.path('folder');
    mkdirSync(out);
    expect(await record('--duration', '0')).toMatchObject({
      status: 64,
      io: { stderr: `nodeqos: ${out} is a folder; name a file such as node.trace\n` },
    });
    out = '/dev/full';
    expect(await record('--duration', '0')).toMatchObject({
      status: 74,
      io: { stderr: 'nodeqos: /dev/full cannot be written (ENOSPC)\n' },
    });
  });

  it('a node whose pods are not known', async () => {
    const io = new RecordingIo();
    const args = ['record', '--root', node.root, '--out', out, '--duration', '0'];
    rmSync(node.path('pods.json'));
    expect(await runProgram(args, io)).toBe(64);
    expect(existsSync(out)).toBe(false);
  });
});
