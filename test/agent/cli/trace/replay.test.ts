import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-replay-'));
  write('low.yaml', kubelet('100Mi'));
  write('high.yaml', kubelet('200Mi'));
  write('disk.yaml', kubelet('100Mi', 'nodefs.available: 10%'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function kubelet(memory: string, more = ''): string {
  return [
    'apiVersion: kubelet.config.k8s.io/v1beta1',
    'kind: KubeletConfiguration',
    'featureGates: {MemoryQoS: false}',
    'mergeDefaultEvictionSettings: true',
    `evictionHard: {memory.available: ${memory}${more === '' ? '' : `, ${more}`}}`,
    '',
  ].join('\n');
}

const MI = 1024 * 1024;
const PODS = ['web', 'db'].map((name, index) => ({
  metadata: { namespace: 'shop', name, uid: `u${index}` },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
}));
const USAGE = { u0: { memoryWorkingSetBytes: 900 * MI }, u1: { memoryWorkingSetBytes: 5 * MI } };

function line(second: number, availableMi: number, more: object = {}): object {
  const atMs = second * 1000;
  const memory = { available: availableMi * MI, capacity: 4096 * MI, atMs };
  return { atMs, signals: { 'memory.available': memory }, ...more };
}

/** Memory falls below 200Mi, below 100Mi, and comes back. */
const FALL = [
  line(10, 1000, { pods: PODS, usage: USAGE }),
  line(11, 150),
  line(12, 50),
  line(13, 50),
  line(14, 1000, { pods: [PODS[1]] }),
];

function trace(lines: readonly object[] = FALL): string {
  return write('trace.jsonl', lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

interface Run {
  readonly status: number;
  readonly io: RecordingIo;
}

async function replay(file: string, ...args: readonly string[]): Promise<Run> {
  const io = new RecordingIo();
  const config = args.includes('--kubelet-config') ? [] : ['--kubelet-config', join(folder, 'low.yaml')];
  const status = await runProgram(['replay', file, ...config, ...args], io);
  return { status, io };
}

function linesOf({ io }: Run): readonly unknown[] {
  return io.stdout
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as unknown);
}

const met = (quantityMi: number): object => ({
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: quantityMi * MI },
});
const WEB = {
  namespace: 'shop',
  name: 'web',
  uid: 'u0',
  signal: 'memory.available',
  type: 'hard',
  gracePeriodSeconds: 1,
};

describe('replay -o jsonl', () => {
  it('has a line for every observation', async () => {
    const run = await replay(trace(), '-o', 'jsonl');
    expect([run.status, run.io.warnings, run.io.stderr]).toEqual([0, [], '']);
    const pressure = { conditions: ['MemoryPressure'], thresholdsMet: [met(100)], evict: null };
    expect(linesOf(run)).toEqual([
      { atMs: 10_000, conditions: [], thresholdsMet: [], evict: null },
      { atMs: 11_000, conditions: [], thresholdsMet: [], evict: null },
      { ...pressure, atMs: 12_000, evict: WEB },
      { ...pressure, atMs: 13_000 },
      { ...pressure, atMs: 14_000, thresholdsMet: [] },
    ]);
  });

  it('has the fields in the order of the contract', async () => {
    const { io } = await replay(trace(), '-o', 'jsonl');
    expect(io.stdout.split('\n')[2]).toBe(
      '{"atMs":12000,"conditions":["MemoryPressure"],"thresholdsMet":[{"signal":"memory.available","type":"hard","value":{"quantity":104857600}}],"evict":{"namespace":"shop","name":"web","uid":"u0","signal":"memory.available","type":"hard","gracePeriodSeconds":1}}',
    );
  });

  it('evicts again under the rules of the kubelet', async () => {
    const run = await replay(trace(), '-o', 'jsonl', '--compat', 'kubelet');
    expect(linesOf(run)).toMatchObject([
      { evict: null },
      { evict: null },
      { evict: WEB },
      { evict: WEB },
      { evict: null },
    ]);
  });

  it('compares two configurations where they part, and sums up', async () => {
    const run = await replay(trace(), '-o', 'jsonl', '--compare', join(folder, 'high.yaml'));
    const side = (atMs: number, thresholdsMet: readonly object[], evict: object | null): object => ({
      atMs,
      conditions: thresholdsMet.length === 0 ? [] : ['MemoryPressure'],
      thresholdsMet,
      evict,
    });
    expect(linesOf(run)).toEqual([
      { a: side(11_000, [], null), b: side(11_000, [met(200)], WEB) },
      { a: side(12_000, [met(100)], WEB), b: side(12_000, [met(200)], null) },
      { a: side(13_000, [met(100)], null), b: side(13_000, [met(200)], null) },
      { summary: { observations: 5, differing: 3, evictionsA: 1, evictionsB: 1 } },
    ]);
  });

  it('has the sum alone where nothing parts', async () => {
    const run = await replay(trace(), '-o', 'jsonl', '--compare', join(folder, 'low.yaml'));
    expect(linesOf(run)).toEqual([
      { summary: { observations: 5, differing: 0, evictionsA: 1, evictionsB: 1 } },
    ]);
  });
});

describe('replay', () => {
  it('warns that thresholds of nodeqos hide what is compared', async () => {
    const config = write(
      'nodeqos.yaml',
      'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\neviction: {thresholds: {hard: {memory.available: 1Gi}}}\n',
    );
    const high = join(folder, 'high.yaml');
    const { io } = await replay(trace(), '--config', config, '--compare', high);
    expect(io.warnings).toContain(
      `${config}: its eviction.thresholds win over those of both KubeletConfigurations`,
    );
    expect((await replay(trace(), '--config', config)).io.warnings).toEqual([]);
  });

  it('says that nodeqos collects no garbage where a disk is short', async () => {
    const disk = { 'nodefs.available': { available: 5, capacity: 100 } };
    const lines = [line(1, 1000, { signals: disk }), line(2, 1000, { signals: disk })];
    const { io } = await replay(trace(lines), '--kubelet-config', join(folder, 'disk.yaml'));
    expect(new Set(io.warnings)).toEqual(
      new Set([
        'nodeqos collects no garbage: a kubelet under the same disk threshold first removes dead containers and unused images, and may then evict nobody',
      ]),
    );
  });

  it('passes over empty lines, and a last line that was not written to its end', async () => {
    const whole = `${JSON.stringify(line(1, 1000))}\n`;
    const file = write('torn.jsonl', `\n${whole}\r\n${whole}{"atMs":2`);
    const run = await replay(file, '-o', 'jsonl');
    expect([run.status, linesOf(run).length]).toEqual([0, 2]);
    expect(run.io.warnings).toEqual([`${file}:5: the last line was not written to its end and is left out`]);
  });

  it('reads a last line without line break that is whole', async () => {
    const run = await replay(write('whole.jsonl', JSON.stringify(line(1, 1000))), '-o', 'jsonl');
    expect([linesOf(run).length, run.io.warnings]).toEqual([1, []]);
  });

  it('stops where nobody reads any more', async () => {
    const io = Object.assign(new RecordingIo(), { readerGone: AbortSignal.abort() });
    expect(await runProgram(['replay', trace(), '-o', 'jsonl'], io)).toBe(0);
  });

  it('takes the pods of the node that is named', async () => {
    const other = { ...PODS[0], spec: { nodeName: 'n2' }, metadata: { name: 'x', uid: 'u9' } };
    const file = trace([line(1, 50, { pods: [...PODS, other], usage: USAGE })]);
    expect(linesOf(await replay(file, '-o', 'jsonl', '--node-name', 'n1'))).toMatchObject([{ evict: WEB }]);
    expect((await replay(file)).status).toBe(65);
  });

  it.each<[string, () => string, number, string]>([
    ['nothing', () => '', 65, ': holds no observation; nodeqos record writes a trace'],
    ['empty lines', () => '\n\n', 65, ': holds no observation; nodeqos record writes a trace'],
    [
      'a step back',
      () => `${JSON.stringify(line(2, 1))}\n${JSON.stringify(line(1, 1))}\n`,
      65,
      ':2:2: atMs: time steps back from 2000 to 1000; a trace is of one boot of one machine, in order',
    ],
    [
      'a line that is no JSON, before the last',
      () => `{"atMs":1\n${JSON.stringify(line(1, 1))}`,
      65,
      ':1: is no JSON; a trace has one observation a line, as nodeqos record writes it',
    ],
    [
      'a last line that is no observation',
      () => '{}',
      65,
      ':1: atMs: the time of the observation is missing',
    ],
  ])('refuses a trace of %s', async (_, text, status, message) => {
    const file = write('bad.jsonl', text());
    const run = await replay(file);
    expect([run.status, run.io.stderr, run.io.stdout]).toEqual([status, `nodeqos: ${file}${message}\n`, '']);
  });

  it('refuses a trace that is missing, and a configuration that check refuses', async () => {
    const missing = join(folder, 'none');
    expect((await replay(missing)).io.stderr).toBe(
      `nodeqos: ${missing}: there is no such file; check the path\n`,
    );
    const bad = write('bad.yaml', kubelet('-1'));
    expect((await replay(trace(), '--kubelet-config', bad)).status).toBe(65);
    expect((await replay(trace(), '--compare', bad)).status).toBe(65);
  });
});
