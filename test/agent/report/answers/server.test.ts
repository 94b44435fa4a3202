import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answers, type Server, startServer } from '../../../../agent/report/answers/server.ts';

const ANSWERS: Answers = {
  metrics: () => Promise.resolve({ text: 'a 1\n', contentType: 'text/plain; version=0.0.4' }),
  state: () => ({ kind: 'AgentState', bytes: 18446744073709551615n, name: '\u001b[31m' }),
  health: () => ({ ok: true }),
  ready: () => ({ ok: false, why: 'blind:\nno pods' }),
};

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

let folder: string;
let open: Server[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-server-'));
  open = [];
});

afterEach(async () => {
  for (const server of open) if (server.kind === 'listening') await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(listen: string, answers = ANSWERS): Promise<Server> {
  const server = await startServer(listen, answers);
  open.push(server);
  return server;
}

async function startAt(listen: string, answers = ANSWERS): Promise<string> {
  const server = await start(listen, answers);
  if (server.kind !== 'listening') throw new Error(JSON.stringify(server));
  return server.address;
}

function targetOf(address: string): { socketPath: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { socketPath: address.slice(5) };
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

function ask(address: string, path: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, body } = asked;
  return new Promise((resolve, reject) => {
    const asking = request({ ...targetOf(address), path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
      });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

describe('the server', () => {
  it.each([
    ['/metrics', 200, 'a 1\n', 'text/plain; version=0.0.4'],
    ['/healthz', 200, 'ok\n', 'text/plain; charset=utf-8'],
    ['/readyz', 503, 'blind:\\u000ano pods\n', 'text/plain; charset=utf-8'],
    [
      '/state',
      200,
      '{"kind":"AgentState","bytes":18446744073709551615,"name":"\\u001b[31m"}\n',
      'application/json',
    ],
    ['/state?x=1', 200, undefined, 'application/json'],
    ['/', 200, 'nodeqos: /metrics /healthz /readyz /state\n', 'text/plain; charset=utf-8'],
    ['/metrics/', 404, 'there is /metrics, /healthz, /readyz and /state\n', 'text/plain; charset=utf-8'],
    ['/../etc/passwd', 404, undefined, 'text/plain; charset=utf-8'],
  ])('answers %s', async (path, status, text, contentType) => {
    const reply = await ask(await startAt('127.0.0.1:0'), path);
    expect(reply).toMatchObject({ status, headers: { 'content-type': contentType } });
    if (text !== undefined) expect(reply.text).toBe(text);
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('gives HEAD the same head and no body', async () => {
    const reply = await ask(await startAt('127.0.0.1:0'), '/metrics', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-length': '4' } });
  });

  it.each([
    ['POST', 'x'],
    ['PUT', 'x'],
    ['PATCH', 'x'],
    ['DELETE', ''],
    ['OPTIONS', ''],
  ])('refuses %s', async (method, body) => {
    const reply = await ask(await startAt('127.0.0.1:0'), '/metrics', { method, body });
    expect(reply).toMatchObject({
      status: 405,
      text: 'only GET and HEAD are answered here\n',
      headers: { allow: 'GET, HEAD' },
    });
  });

  it('has no state before the first tick', async () => {
    const address = await startAt('127.0.0.1:0', { ...ANSWERS, state: () => undefined });
    expect(await ask(address, '/state')).toMatchObject({ status: 503, text: 'no tick has finished yet\n' });
  });

  it('says nothing of what went wrong inside', async () => {
    const metrics = (): Promise<never> => Promise.reject(new Error('secret'));
    const reply = await ask(await startAt('127.0.0.1:0', { ...ANSWERS, metrics }), '/metrics');
    expect(reply).toMatchObject({ status: 500, text: 'nodeqos could not answer this\n' });
  });

  it.each([
    ['localhost', 200],
    ['LOCALHOST:9477', 200],
    ['127.0.0.1:9477', 200],
    ['[::1]:9477', 200],
    ['10.0.0.1', 200],
    [hostname(), 200],
    ['rebound.example', 403],
    ['rebound.example:9477', 403],
    ['127.0.0.1.rebound.example', 403],
    ['localhost.rebound.example', 403],
  ])('on the loopback interface, answers a request for the host %j with %d', async (host, status) => {
    const reply = await ask(await startAt('127.0.0.1:0'), '/state', { headers: { Host: host } });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.text).toBe('this name is not one of this machine\n');
  });

  it('checks the name also where it listens at every address and is asked on loopback', async () => {
    const server = await startAt(':0');
    const address = `127.0.0.1:${server.slice(server.lastIndexOf(':') + 1)}`;
    expect((await ask(address, '/healthz')).status).toBe(200);
    expect((await ask(address, '/healthz', { headers: { Host: 'rebound.example' } })).status).toBe(403);
  });

  it('answers at IPv6 addresses and names', async () => {
    const address = await startAt('[::1]:0');
    expect(address).toMatch(/^\[::1\]:[0-9]+$/);
    expect((await ask(address, '/healthz')).status).toBe(200);
    expect(await startAt('localhost:0')).toMatch(/:[0-9]+$/);
  });

  it('answers nobody where it is told so', async () => {
    expect(await start('none')).toEqual({ kind: 'none' });
  });

  it('gives a sentence where a port is taken, and the agent goes on', async () => {
    const address = await startAt('127.0.0.1:0');
    expect(await start(address)).toEqual({
      kind: 'failed',
      sentence: `${address} is in use by another program; give another address as listen or --listen`,
    });
  });

  it.each([
    ['192.0.2.1:9477', '192.0.2.1:9477 is no address of this machine'],
    ['127.0.0.1:65536', '127.0.0.1:65536 is no address to listen at; write ADDR:PORT, unix:PATH or none'],
    ['unix:/nowhere/at/all.sock', 'unix:/nowhere/at/all.sock: there is no such folder for the socket'],
    ['unix:relative.sock', 'unix:relative.sock names no socket; write unix: and an absolute path'],
    [
      `unix:/${'x'.repeat(107)}`,
      `unix:/${'x'.repeat(107)} is too long for a socket, whose path has at most 107 bytes`,
    ],
  ])('gives a sentence for %s', async (listen, sentence) => {
    expect(await start(listen)).toEqual({ kind: 'failed', sentence });
  });

  it('lets go of its port and of those who ask when it is closed', async () => {
    const server = await start('127.0.0.1:0');
    if (server.kind !== 'listening') throw new Error(server.kind);
    const { port } = targetOf(server.address) as { port: number };
    const idle = connect(port, '127.0.0.1');
    await once(idle, 'connect');
    await server.close();
    await once(idle, 'close');
    expect(await startAt(server.address)).toBe(server.address);
  });

  it('survives who sends no HTTP, or too much of it', async () => {
    const address = await startAt('127.0.0.1:0');
    const { port } = targetOf(address) as { port: number };
    for (const text of [
      '\u0000\u0001\n\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(text);
      await once(socket, 'close');
    }
    expect((await ask(address, '/healthz')).status).toBe(200);
  });
});

describe('the server at a unix socket', () => {
  it('answers its owner and its group, whatever name they ask for', async () => {
    const path = join(folder, 'a.sock');
    expect(await startAt(`unix:${path}`)).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o660);
    const reply = await ask(`unix:${path}`, '/healthz', { headers: { Host: 'anything' } });
    expect(reply).toMatchObject({ status: 200, text: 'ok\n' });
  });

  it('takes the place of a socket that a killed process left', async () => {
    const path = join(folder, 'stale.sock');
    const left = createServer().listen(path);
    await once(left, 'listening');
    // What a killed process leaves: the file of a socket that nobody holds any more.
    const copy = join(folder, 'kept.sock');
    renameSync(path, copy);
    left.close();
    await once(left, 'close');
    expect(existsSync(copy)).toBe(true);
    expect(await startAt(`unix:${copy}`)).toBe(`unix:${copy}`);
  });

  it('leaves a socket alone at which somebody answers, and a file that is no socket', async () => {
    const path = join(folder, 'a.sock');
    await startAt(`unix:${path}`);
    expect(await start(`unix:${path}`)).toEqual({
      kind: 'failed',
      sentence: `unix:${path} is in use by another program`,
    });
    expect((await ask(`unix:${path}`, '/healthz')).status).toBe(200);
    const file = join(folder, 'file');
    writeFileSync(file, 'mine');
    expect(await start(`unix:${file}`)).toEqual({
      kind: 'failed',
      sentence: `unix:${file} is not a socket, so it is left as it is; move it away`,
    });
    expect(existsSync(file)).toBe(true);
  });

  it('removes its socket when it is closed', async () => {
    const path = join(folder, 'a.sock');
    const server = await start(`unix:${path}`);
    if (server.kind === 'listening') await server.close();
    expect(existsSync(path)).toBe(false);
  });
});
