import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLack, stateFolderLook, writeLack } from '../../../../agent/observe/doctor/access.ts';
import { listenLook } from '../../../../agent/observe/doctor/listening.ts';
import { readOwnUser } from '../../../../agent/observe/doctor/own-user.ts';
import { listProcesses, runningNodeqos } from '../../../../agent/observe/doctor/processes.ts';
import { runtimeSockets } from '../../../../agent/observe/doctor/runtime-sockets.ts';
import { socketPath } from '../../../../agent/observe/runtime-socket.ts';
import { LiteralTree } from '../../../fakes/literal-tree.ts';

const IS_ROOT = process.getuid?.() === 0;
const FIRST = 'pid:[4026531836]';

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-probes-'));
  writeFileSync(join(folder, 'file'), '');
  server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(join(folder, 'socket'), resolve);
  });
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('whether a place may be written', () => {
  it('is yes for what this user owns', () => {
    expect(writeLack(join(folder, 'file'), false)).toBe(undefined);
    expect(readLack(join(folder, 'file'), false)).toBe(undefined);
  });
  it('is the code of the system for what is not there, whatever this user may', () => {
    expect(writeLack(join(folder, 'none'), false)).toBe('ENOENT');
    expect(readLack(join(folder, 'none'), true)).toBe('ENOENT');
  });
  it.skipIf(IS_ROOT)('is a lack of permission only for whom it is one', () => {
    const closed = join(folder, 'closed');
    writeFileSync(closed, '');
    chmodSync(closed, 0o000);
    expect([writeLack(closed, false), writeLack(closed, true)]).toEqual(['EACCES', undefined]);
    expect([readLack(closed, false), readLack(closed, true)]).toEqual(['EACCES', undefined]);
  });
  it('is told of a state folder that is there', () => {
    expect(stateFolderLook(folder, false)).toEqual({ path: folder, state: 'writable' });
  });
  it('is told of the nearest folder of one that is not, and nothing is made', () => {
    const path = join(folder, 'a/b/c');
    expect(stateFolderLook(path, false)).toEqual({ path, state: 'to-be-made' });
    expect(readLack(join(folder, 'a'), false)).toBe('ENOENT');
  });
  it('is no for a file in the place of one', () => {
    expect(stateFolderLook(join(folder, 'file'), false).state).toBe('no-folder');
  });
  it('is no below a file', () => {
    const path = join(folder, 'file/state');
    expect(stateFolderLook(path, false).state).toBe('to-be-made');
  });
  it('is the code of the system for what cannot be looked at', () => {
    symlinkSync('loop', join(folder, 'loop'));
    expect(stateFolderLook(join(folder, 'loop'), true).state).toEqual({ code: 'ELOOP' });
  });
});

describe('sockets of runtimes', () => {
  it('are told apart from what is none, and from nothing', () => {
    const named = ['socket', 'file', 'none', 'file/below'].map((name) => ({
      path: join(folder, name),
      runtime: 'a runtime',
      from: 'nodeqos.yaml' as const,
    }));
    const looks = runtimeSockets(named, false).slice(0, 4);
    expect(looks.map(({ state }) => state)).toEqual(['open', 'no-socket', 'missing', 'missing']);
  });
  it('come with the usual places after those that are named, each once, by the names of their runtimes', () => {
    const looks = runtimeSockets(
      [{ path: '/run/crio/crio.sock', runtime: 'a runtime', from: 'KubeletConfiguration' }],
      false,
    );
    expect(looks.map(({ path, runtime, from }) => `${from}: ${runtime} ${path}`)).toEqual([
      'KubeletConfiguration: CRI-O /run/crio/crio.sock',
      'usual-place: containerd /run/containerd/containerd.sock',
      'usual-place: cri-dockerd /run/cri-dockerd.sock',
      'usual-place: containerd of k3s /run/k3s/containerd/containerd.sock',
      'usual-place: containerd of microk8s /var/snap/microk8s/common/run/containerd.sock',
      'usual-place: containerd of k0s /run/k0s/containerd.sock',
    ]);
  });
  it.each([
    ['unix:///run/crio/crio.sock', '/run/crio/crio.sock'],
    ['unix:/run/x.sock', '/run/x.sock'],
    ['/run/x.sock', '/run/x.sock'],
    ['unix:///var/run/crio/crio.sock', '/run/crio/crio.sock'],
    ['tcp://127.0.0.1:1', undefined],
    ['npipe:////./pipe/containerd', undefined],
  ])('%s is a path or is not', (endpoint, path) => {
    expect(socketPath(endpoint)).toBe(path);
  });
});

describe('processes', () => {
  const files = new LiteralTree({
    'proc/1/comm': 'systemd\n',
    'proc/1/cmdline': '/sbin/init\0',
    'proc/30/comm': 'node\n',
    'proc/30/cmdline': '/usr/lib/nodeqos/node\0/usr/lib/nodeqos/nodeqos.mjs\0run\0--enforce\0',
    'proc/4/comm': 'gone\n',
    'proc/4/cmdline': '!EACCES',
    'proc/5/cmdline': 'left\0',
    'proc/self/comm': 'me\n',
  });
  it('are listed by their numbers; those that ended meanwhile are left out', () => {
    expect(listProcesses(files, FIRST)).toEqual({
      processes: [
        { pid: 1, comm: 'systemd', argv: ['/sbin/init'] },
        { pid: 4, comm: 'gone', argv: [] },
        {
          pid: 30,
          comm: 'node',
          argv: ['/usr/lib/nodeqos/node', '/usr/lib/nodeqos/nodeqos.mjs', 'run', '--enforce'],
        },
      ],
      isWhole: true,
    });
  });
  it('are not all where the first one is hidden, or in a namespace of its own', () => {
    expect(listProcesses(files, 'pid:[4026532000]').isWhole).toBe(false);
    expect(listProcesses(new LiteralTree({ 'proc/2/comm': 'a\n' }), FIRST)).toEqual({
      processes: [{ pid: 2, comm: 'a', argv: [] }],
      isWhole: false,
    });
    expect(listProcesses(new LiteralTree({}), FIRST)).toEqual({ processes: [], isWhole: false });
  });
  it.each<[string, readonly string[], boolean]>([
    ['the package', ['/usr/lib/nodeqos/node', '/usr/lib/nodeqos/nodeqos.mjs', 'run'], true],
    ['the command', ['/usr/bin/nodeqos', 'run', '--enforce'], true],
    ['another command', ['/usr/bin/nodeqos', 'status'], false],
    ['an editor of its configuration', ['vi', '/etc/nodeqos/nodeqos.yaml', 'run'], false],
    ['a program of a longer name', ['/usr/bin/my-nodeqos', 'run'], false],
    ['no command', [], false],
  ])('of nodeqos: %s', (_name, argv, isOne) => {
    expect(runningNodeqos([{ pid: 7, comm: 'x', argv }])).toEqual(isOne ? [7] : []);
  });
});

describe('the own user', () => {
  const status = (uid: number, hex: string): LiteralTree =>
    new LiteralTree({ 'proc/self/status': `Name:\tnode\nUid:\t1000\t${uid}\t1000\t1000\nCapEff:\t${hex}\n` });
  it('is the effective one, with the capabilities that nodeqos can use', () => {
    expect(readOwnUser(status(0, '000001ffffffffff'))).toEqual({
      uid: 0,
      capabilities: ['CAP_DAC_OVERRIDE', 'CAP_KILL', 'CAP_SYS_RESOURCE'],
    });
    expect(readOwnUser(status(998, '0000000000000022'))).toEqual({
      uid: 998,
      capabilities: ['CAP_DAC_OVERRIDE', 'CAP_KILL'],
    });
    expect(readOwnUser(status(998, '0000000001000000'))).toEqual({
      uid: 998,
      capabilities: ['CAP_SYS_RESOURCE'],
    });
    expect(readOwnUser(status(998, '0000000000000000'))).toEqual({ uid: 998, capabilities: [] });
  });
  it('is not known where /proc does not say', () => {
    expect(readOwnUser(new LiteralTree({}))).toBe(undefined);
    expect(readOwnUser(new LiteralTree({ 'proc/self/status': 'Uid:\t0\t0\t0\t0\n' }))).toBe(undefined);
  });
});

describe('whether somebody listens', () => {
  const HEAD = '  sl  local_address rem_address   st tx_queue\n';
  const tcp = (address: string, state = '0A'): LiteralTree =>
    new LiteralTree({ 'proc/net/tcp': `${HEAD}   0: ${address} 00000000:0000 ${state} 00000000:00000000\n` });
  it.each<[string, LiteralTree, string, object | undefined]>([
    ['at the address', tcp('0100007F:2505'), '127.0.0.1:9477', { isTaken: true, isOpen: false }],
    ['at all addresses', tcp('00000000:2505'), '127.0.0.1:9477', { isTaken: true, isOpen: false }],
    ['at another address', tcp('0200007F:2505'), '127.0.0.1:9477', { isTaken: false, isOpen: false }],
    ['at another port', tcp('0100007F:2506'), '127.0.0.1:9477', { isTaken: false, isOpen: false }],
    [
      'and is only connected',
      tcp('0100007F:2505', '01'),
      '127.0.0.1:9477',
      { isTaken: false, isOpen: false },
    ],
    ['where all addresses are wanted', tcp('0200007F:2505'), ':9477', { isTaken: true, isOpen: true }],
    ['for others to ask', tcp('00000000:0001'), '10.0.0.7:9477', { isTaken: false, isOpen: true }],
    [
      'by IPv6',
      new LiteralTree({
        'proc/net/tcp6': `${HEAD} 0: ${'0'.repeat(32)}:2505 ${'0'.repeat(32)}:0000 0A 0:0\n`,
      }),
      '127.0.0.1:9477',
      { isTaken: true, isOpen: false },
    ],
    ['and nothing tells', new LiteralTree({}), '127.0.0.1:9477', undefined],
    ['nowhere', tcp('0100007F:2505'), 'none', undefined],
    ['at what is no address', tcp('0100007F:2505'), 'x', undefined],
    [
      'at a socket',
      new LiteralTree({ 'proc/net/unix': 'x\n0: 00000002 00000000 00010000 0001 01 12 /run/n.sock\n' }),
      'unix:/run/n.sock',
      { isTaken: true, isOpen: false },
    ],
    [
      'at another socket',
      new LiteralTree({ 'proc/net/unix': 'x\n0: 00000002 00000000 00010000 0001 01 12 /run/m.sock\n' }),
      'unix:/run/n.sock',
      { isTaken: false, isOpen: false },
    ],
    ['at a socket that nothing tells of', new LiteralTree({}), 'unix:/run/n.sock', undefined],
  ])('%s', (_name, files, listen, look) => {
    expect(listenLook(files, listen)).toEqual(look);
  });
});
