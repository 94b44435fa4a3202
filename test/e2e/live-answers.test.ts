import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf } from './agent-on-node.ts';
import { BINARY, nodeqos } from './binary.ts';

const ESCAPES = '\u001b[31mred\u001b[0m';
const HOSTILE = `a"b\\c{d}\n<0>${ESCAPES}\nnodeqos_evil 1\n`.padEnd(253, 'x');

/** A node under a hard threshold that is always met, with one pod that may go and whose name is as bad as can be. */
const PODS = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: HOSTILE, uid: '11111111-0000-4000-8000-000000000001' },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
  status: { phase: 'Running' },
});
const KUBELET = [
  'apiVersion: kubelet.config.k8s.io/v1beta1',
  'kind: KubeletConfiguration',
  'featureGates: {MemoryQoS: false}',
  'evictionHard: {memory.available: 99%}',
  '',
].join('\n');

let folder: string;
let agent: ChildProcess;
let listen: string;
let stdout = '';
let stderr = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-live-'));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('pods.json'), PODS);
  writeFileSync(path('kubelet.yaml'), KUBELET);
  const made = nodeqos(['fake-tree', '--pods', path('pods.json'), '--dir', path('node')]);
  expect(made).toMatchObject({ status: 0 });
  listen = `unix:${path('agent.sock')}`;
  const args = ['run', '--dry-run', '--root', path('node'), '--pods', path('pods.json')];
  const more = ['--kubelet-config', path('kubelet.yaml'), '--listen', listen, '--interval', '100ms'];
  agent = spawn(process.execPath, [BINARY, ...args, ...more], { env: { PATH: process.env['PATH'] } });
  agent.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  agent.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  for (let waited = 0; waited < 30_000 && !stdout.includes('evict'); waited += 50) await sleep(50);
});

afterAll(async () => {
  if (agent.exitCode === null) {
    agent.kill('SIGTERM');
    await once(agent, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

async function get(path: string): Promise<string> {
  return (await answerOf({ socketPath: listen.slice('unix:'.length) }, path)).text;
}

const promtool = spawnSync('promtool', ['--version']).error === undefined;
if (!promtool) console.warn('promtool is not installed: what it says of the live metrics is not asked');

describe('an agent that runs', () => {
  it.skipIf(!promtool && process.env['CI'] !== 'true')(
    'gives metrics that promtool finds no fault with',
    async () => {
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: await get('/metrics'),
        encoding: 'utf8',
      });
      expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
    },
  );

  it('has no pod in its metrics', async () => {
    const metrics = await get('/metrics');
    expect(metrics).toContain('nodeqos_evictions_total{signal="memory.available",outcome="dry-run"} 1\n');
    expect(metrics).not.toContain('evil');
    expect(metrics).not.toContain('\u001b');
  });

  it('keeps the name of a pod text in its log', () => {
    expect(stderr).not.toContain('\u001b');
    expect(stdout).not.toContain('\u001b');
    const line = stdout.split('\n').find((one) => one.includes('would evict'));
    expect(line).toContain(
      'would evict shop/a"b\\c{d}\\u000a<0>\\u001b[31mred\\u001b[0m\\u000anodeqos_evil 1\\u000axxx',
    );
    expect(
      stdout.split('\n').filter((one) => one.startsWith('nodeqos_evil') || one.startsWith('<0>')),
    ).toEqual([]);
  });

  it('gives the name back as it was in its audit log, a record a line', () => {
    const file = join(folder, 'node/var/lib/nodeqos/audit.jsonl');
    expect(existsSync(file)).toBe(true);
    const records = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records[0]).toMatchObject({ kind: 'start', mode: 'dry-run', pid: agent.pid });
    expect(records.filter(({ kind }) => kind === 'eviction')).toEqual([
      expect.objectContaining({
        namespace: 'shop',
        name: HOSTILE,
        outcome: 'dry-run',
        gracePeriodSeconds: 1,
      }),
    ]);
  });

  it('is shown by status and top', () => {
    const root = ['--root', join(folder, 'node'), '--kubelet-config', join(folder, 'kubelet.yaml')];
    const ask = [...root, '--listen', listen];
    const known = { agent: { pid: agent.pid, mode: 'dry-run', configurationValid: true } };
    expect(JSON.parse(nodeqos(['status', ...ask, '-o', 'json']).stdout)).toMatchObject({
      ...known,
      conditions: ['MemoryPressure'],
    });
    expect(JSON.parse(nodeqos(['top', ...ask, '--count', '1']).stdout)).toMatchObject(known);
  });

  it('is healthy and ready', async () => {
    expect(await get('/healthz')).toBe('ok\n');
    expect(await get('/readyz')).toBe('ok\n');
    expect(JSON.parse(await get('/state'))).toMatchObject({ kind: 'AgentState', pods: { count: 1 } });
  });

  it('takes its socket with it when it ends', async () => {
    agent.kill('SIGTERM');
    await once(agent, 'exit');
    expect(agent.exitCode).toBe(0);
    expect(existsSync(listen.slice('unix:'.length))).toBe(false);
  });
});
