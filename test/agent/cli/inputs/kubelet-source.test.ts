import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { KubeletScene, TOKEN } from '../../../fakes/kubelet-scene.ts';
import { KubeletServer } from '../../../fakes/kubelet-server.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { container, podDocument } from '../../../fakes/pods.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
if (fixtures === undefined) {
  console.info(
    'Commands over the answers of real kubelets are skipped: NODEQOS_FIXTURES does not name their folder.',
  );
}

let scene: KubeletScene;
let server: KubeletServer;
let config: string;
beforeAll(() => {
  scene = new KubeletScene();
  const kubelet = `kubelet: {tokenFile: "${scene.path('token')}", caFile: "${scene.path('ca.crt')}"}`;
  config = scene.write(
    'nodeqos.yaml',
    `apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n${kubelet}\n`,
  );
});
beforeEach(async () => {
  server = await KubeletServer.start({ serving: scene.serving });
  server.tokens.add(TOKEN);
});
afterEach(async () => {
  await server.stop();
});
afterAll(() => {
  scene.remove();
});

async function run(...args: readonly string[]) {
  const io = new RecordingIo();
  const status = await runProgram([...args, '--offline', '--config', config, '-o', 'json'], io);
  return { status, stderr: io.stderr, answer: () => JSON.parse(io.stdout) as Record<string, unknown> };
}

function asked(): readonly string[] {
  return [`--pods=kubelet:${server.url}`, `--stats=kubelet:${server.url}`];
}

const POD = podDocument({
  name: 'web',
  metadata: { namespace: 'shop', uid: 'u-1' },
  spec: { nodeName: 'shelf-1', containers: [container('main', { memory: '1Ki' })] },
  status: { phase: 'Running' },
});

describe('a kubelet as the source of pods and statistics', () => {
  beforeEach(() => {
    server.pods = { kind: 'PodList', apiVersion: 'v1', items: [POD] };
    const memory = { time: '2026-01-01T00:00:00Z', workingSetBytes: 3000, availableBytes: 1000 };
    server.summary = {
      node: { memory },
      pods: [{ podRef: { uid: 'u-1' }, memory: { workingSetBytes: 2048 } }],
    };
  });

  it('tells who goes first, and how the node is', async () => {
    const rank = await run('rank', ...asked());
    expect([rank.status, rank.stderr]).toEqual([0, '']);
    expect(rank.answer()['order']).toMatchObject([{ name: 'web', usage: 2048, request: 1024 }]);
    const signals = [{ signal: 'memory.available', available: 1000, capacity: 4000 }];
    expect((await run('status', ...asked())).answer()).toMatchObject({ signals });
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/pods',
      '/stats/summary',
      '/pods',
      '/stats/summary',
    ]);
  });

  it('is not asked for statistics by who needs none', async () => {
    expect((await run('qos', asked()[0] ?? '')).status).toBe(0);
    expect(server.asked.map(({ path }) => path)).toEqual(['/pods']);
  });

  it('77: does not know the token', async () => {
    server.tokens.clear();
    const { status, stderr } = await run('rank', ...asked());
    expect([status, stderr]).toEqual([
      77,
      `nodeqos: the kubelet at ${server.url} does not accept the token of ${scene.path('token')}; name the file of one that the API server of its cluster has issued as kubelet.tokenFile\n`,
    ]);
  });

  it('64: is named by what is no URL of one, of which nothing is repeated', async () => {
    for (const option of ['--pods', '--stats']) {
      const { status, stderr } = await run('rank', ...asked(), `${option}=kubelet:https://me:secret@node`);
      expect(status).toBe(64);
      expect(stderr).toContain('what is named as the URL of a kubelet holds a user or a password; ');
      expect(stderr).not.toContain('secret');
    }
  });
});

describe('a capture of a node whose kubelet tells the statistics', () => {
  const PIDS = { node: { rlimit: { maxpid: 100, curproc: 30 } }, pods: [] };
  let node: NodeFolder;
  beforeAll(() => {
    // Files that nodeqos.yaml names are inside the root.
    node = nodeUnderPressure({
      token: TOKEN,
      'ca.crt': scene.authority.certificate,
      'kubelet.yaml':
        'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nkubelet: {tokenFile: /token, caFile: /ca.crt}\n',
    });
  });
  afterAll(() => {
    node.remove();
  });

  async function capture(config: string, ...args: readonly string[]) {
    const io = new RecordingIo();
    const of = ['--root', node.root, '--pods', node.path('pods.json'), '--config', config, '--force'];
    return { status: await runProgram(['capture', node.path('node.tar.gz'), ...of, ...args], io), io };
  }

  it('takes them along', async () => {
    server.summary = PIDS;
    const { status } = await capture(node.path('kubelet.yaml'), '--stats', `kubelet:${server.url}`);
    expect(status).toBe(0);
    const io = new RecordingIo();
    expect(await runProgram(['status', '--root', node.path('node.tar.gz'), '-o', 'json'], io)).toBe(0);
    const signals = [{ signal: 'pid.available', available: 70, capacity: 100 }];
    expect(JSON.parse(io.stdout)).toMatchObject({ signals });
  });

  it('does without them where only the configuration names it, and says so', async () => {
    server.tokens.clear();
    const why = `the kubelet at ${server.url} does not accept the token of ${node.path('token')}; name the file of one that the API server of its cluster has issued as kubelet.tokenFile`;
    const source = `stats: {source: "kubelet:${server.url}"}\n`;
    const config = scene.write('named.yaml', `${readFileSync(node.path('kubelet.yaml'), 'utf8')}${source}`);
    const { status, io } = await capture(config);
    expect([status, io.warnings]).toEqual([
      0,
      expect.arrayContaining([`${why}; its statistics are left out`]),
    ]);
    const named = await capture(config, '--stats', `kubelet:${server.url}`);
    expect([named.status, named.io.stderr]).toEqual([77, `nodeqos: ${why}\n`]);
  });
});

describe.skipIf(fixtures === undefined)('the answers of real kubelets, asked over TLS', () => {
  it.each(['1.31-kubelet', '1.34-kubelet', '1.9-minikube-2018'])('%s: as from files', async (version) => {
    const pods = join(fixtures ?? '', 'kubelet-api', `L-${version}-pods.json`);
    const summary = join(fixtures ?? '', 'kubelet-api', `${version}-stats-summary.json`);
    server.pods = readFileSync(pods, 'utf8');
    server.summary = readFileSync(summary, 'utf8');
    for (const command of ['rank', 'status']) {
      const [told, saved] = [
        await run(command, ...asked()),
        await run(command, `--pods=${pods}`, `--stats=summary:${summary}`),
      ];
      expect([told.status, told.stderr]).toEqual([0, saved.stderr]);
      expect(told.answer()).toEqual(saved.answer());
    }
  });
});
