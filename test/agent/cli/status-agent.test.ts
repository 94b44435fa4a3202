import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../agent/cli/program.ts';
import type { TickRecord } from '../../../agent/model/tick.ts';
import { type Server, startServer } from '../../../agent/report/answers/server.ts';
import { stateDocument } from '../../../agent/report/answers/state-document.ts';
import { type Lock, takeLock } from '../../../cgroup/disk/lock-file.ts';
import { lockPath } from '../../../cgroup/disk/lock-holder.ts';
import type { NodeFolder } from '../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../fakes/recording-io.ts';
import { MEMORY_HARD, tickRecord } from '../../fakes/tick-records.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
let node: NodeFolder;
let stateDir: string;
let locks: Lock[];
let servers: Server[];
let others: HttpServer[];

beforeEach(() => {
  node = nodeUnderPressure();
  stateDir = `${node.root}/var/lib/nodeqos`;
  locks = [];
  servers = [];
  others = [];
});

afterEach(async () => {
  for (const lock of locks) if (lock.kind === 'held') lock.release();
  for (const server of servers) if (server.kind === 'listening') await server.close();
  for (const other of others) {
    other.closeAllConnections();
    other.close();
  }
  node.remove();
});

function lock(command = 'run'): void {
  locks.push(takeLock(stateDir, command, NOW));
}

/** A tick of an agent with the PID of this process, which holds the lock. */
function ownRecord(): TickRecord {
  const record = tickRecord({ wallMs: Date.now() - 300 });
  const { evictionsBecause, ...agent } = record.agent;
  expect(evictionsBecause).toBe('a kubelet runs here');
  return { ...record, agent: { ...agent, pid: process.pid, evictions: 'on' } };
}

async function serve(record: TickRecord | undefined, dir = stateDir): Promise<string> {
  const server = await startServer('127.0.0.1:0', {
    metrics: () => Promise.resolve({ text: '', contentType: 'text/plain' }),
    state: () => record && stateDocument(record, { stateDir: dir }),
    health: () => ({ ok: true }),
    ready: () => ({ ok: true }),
  });
  servers.push(server);
  if (server.kind !== 'listening') throw new Error(server.kind);
  return server.address;
}

async function serveText(text: string | undefined): Promise<string> {
  const other = createServer((_request, response) => {
    if (text !== undefined) response.end(text);
  });
  others.push(other);
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  return `127.0.0.1:${(other.address() as AddressInfo).port}`;
}

interface Seen {
  readonly agent: unknown;
  readonly conditions: unknown;
  readonly thresholds: readonly { readonly metSinceMs?: number | null }[];
  readonly warnings: readonly { readonly message: string }[];
}

async function status(listen: string): Promise<Seen> {
  const io = new RecordingIo();
  expect(await runProgram(['status', '--root', node.root, '--listen', listen, '-o', 'json'], io)).toBe(0);
  return JSON.parse(io.stdout) as Seen;
}

async function table(listen: string): Promise<string> {
  const io = new RecordingIo();
  expect(await runProgram(['status', '--root', node.root, '--listen', listen], io)).toBe(0);
  return io.stdout;
}

const SINCE = '2026-01-02T03:04:05.000Z';

describe('status of a node on which an agent runs', () => {
  it('has the agent, its conditions and since when thresholds are met', async () => {
    lock();
    const record = ownRecord();
    const seen = await status(await serve(record));
    expect(seen.agent).toEqual({
      pid: process.pid,
      version: '1.2.3',
      mode: 'enforce',
      evictions: 'on',
      startedAt: new Date(record.agent.startedAtMs).toISOString(),
      lastTickAt: new Date(record.wallMs).toISOString(),
      configurationValid: true,
      psiTrigger: true,
      troubles: ['pods: the list is old'],
    });
    expect(seen.conditions).toEqual(['DiskPressure', 'MemoryPressure']);
    expect(seen.thresholds[2]?.metSinceMs).toBe(record.wallMs - record.tookMs - 2500);
    expect(seen.thresholds[0]).not.toHaveProperty('metSinceMs');
    expect(seen.warnings).toEqual([]);
    expect(MEMORY_HARD.value).toEqual({ quantity: 104857600n });
  });

  it('says it in the table', async () => {
    lock();
    const text = await table(await serve(ownRecord()));
    expect(text).toMatch(/memory\.available +48Mi +2Gi +hard 100Mi +-52Mi +MET for [23]\.[0-9] s\n/);
    expect(text).toMatch(
      /\nAgent: enforce, PID [0-9]+, last tick [0-9]+ ms ago\nAgent: trouble with pods: the list is old\n/,
    );
    const record = ownRecord();
    const held = {
      ...record.agent,
      evictions: 'dry',
      evictionsBecause: 'a kubelet runs here',
      configurationValid: false,
      configurationError: 'nodeqos.yaml:1:1: no\u001b',
      troubles: ['audit: one\u001b', 'lock: two'],
    } as const;
    const other = await table(await serve({ ...record, agent: held }));
    expect(other).toMatch(/Agent: enforce, PID .* ago; evictions are dry: a kubelet runs here\n/);
    expect(other).toContain(
      'Agent: its configuration was refused and the last good one stays: nodeqos.yaml:1:1: no\\u001b\nAgent: trouble with audit: one\\u001b\nAgent: trouble with lock: two\n',
    );
  });

  it('is asked where nodeqos.yaml says', async () => {
    lock();
    const config = node.path('nodeqos.yaml');
    const address = await serve(ownRecord());
    writeFileSync(
      config,
      `apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nlisten: ${address}\n`,
    );
    const io = new RecordingIo();
    expect(await runProgram(['status', '--root', node.root, '--config', config, '-o', 'json'], io)).toBe(0);
    expect(JSON.parse(io.stdout)).toMatchObject({ agent: { pid: process.pid, mode: 'enforce' } });
  });

  it('says that nothing is wrong with an agent that has no trouble', async () => {
    lock();
    const record = ownRecord();
    const listen = await serve({ ...record, agent: { ...record.agent, troubles: [] } });
    expect(await status(listen)).toMatchObject({ agent: { troubles: [] } });
    expect(await table(listen)).not.toContain('trouble');
  });

  it.each([
    ['none holds the lock', () => undefined],
    [
      'apply holds it',
      () => {
        lock('apply');
      },
    ],
    [
      'it cannot be read',
      () => {
        lock();
        writeFileSync(lockPath(stateDir), 'torn');
      },
    ],
  ])('takes an agent at its word, and says so, where %s', async (_, prepare) => {
    prepare();
    const listen = await serve(ownRecord());
    const seen = await status(listen);
    expect(seen).toMatchObject({
      agent: { pid: process.pid, mode: 'enforce', troubles: ['pods: the list is old'] },
      conditions: ['DiskPressure', 'MemoryPressure'],
    });
    expect(seen.warnings.map(({ message }) => message)).toEqual([
      `the agent that answers at ${listen} (PID ${process.pid}) does not hold ${lockPath(stateDir)}; it writes no limit until it does`,
    ]);
    expect(await table(listen)).toContain(`Agent: enforce, PID ${process.pid}, last tick`);
  });

  it.each<[string, () => Promise<string>]>([
    ['nobody', () => Promise.resolve('none')],
    ['an agent of another state folder', () => serve(ownRecord(), '/var/lib/nodeqos')],
    ['something else', () => serveText('{"kind":"AgentState","agent":{}}')],
  ])('has no agent where none holds the lock and %s answers', async (_, answering) => {
    const seen = await status(await answering());
    expect(seen).toMatchObject({ agent: null, conditions: ['MemoryPressure'], warnings: [] });
  });

  it.each<[string, () => Promise<string>, string]>([
    [
      'whose answer has another PID',
      () => serve({ ...ownRecord(), agent: tickRecord().agent }),
      'another agent answers there',
    ],
    [
      'whose answer is of another state folder',
      () => serve(ownRecord(), '/var/lib/nodeqos'),
      'another agent answers there',
    ],
    [
      'that has not looked yet',
      () => serve(undefined),
      'what answers there is no agent, or has not looked yet',
    ],
    [
      'in whose place something else answers',
      () => serveText('{"kind":"AgentState","agent":{}}'),
      'what answers there is no agent, or has not looked yet',
    ],
    ['that takes too long', () => serveText(undefined), 'nothing came within 1000 ms'],
    ['that says too much', () => serveText('x'.repeat(5 << 20)), 'the answer is too long'],
    ['that answers nobody', () => Promise.resolve('none'), 'it was told to answer nobody'],
  ])('knows of an agent %s only that it runs', async (_, answering, why) => {
    lock();
    const listen = await answering();
    const seen = await status(listen);
    expect(seen.agent).toEqual({ pid: process.pid, startedAt: SINCE });
    expect(seen.conditions).toEqual(['MemoryPressure']);
    expect(seen.warnings.map(({ message }) => message)).toEqual([
      `the agent (PID ${process.pid}) does not answer at ${listen}: ${why}`,
    ]);
    expect(await table('none')).toContain(`Agent: PID ${process.pid}, which does not answer\n`);
  });

  it('has no agent where that cannot be known', async () => {
    lock();
    writeFileSync(lockPath(stateDir), 'torn');
    const seen = await status('none');
    expect(seen).not.toHaveProperty('agent');
    expect(seen.warnings.map(({ message }) => message)).toEqual([
      `whether an agent runs is not known: ${lockPath(stateDir)} cannot be read`,
    ]);
  });
});
