import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRoot } from '../../../agent/observe/root.ts';
import { run, SECRETIVE_PODS, Workplace } from '../../fakes/fake-nodes.ts';

const work = new Workplace();
const node = work.path('node');
const pods = ['--pods', join(node, 'pods.json')];
const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

beforeAll(async () => {
  await run(
    'fake-tree',
    '--pods',
    work.write('pods.yaml', SECRETIVE_PODS),
    '--dir',
    node,
    '--memory-capacity',
    '8Gi',
  );
});
afterAll(() => {
  work.remove();
});

/** Asks the node with these options and a capture that was made with them; the capture needs none. */
async function expectSameAnswers(
  name: string,
  options: readonly string[],
  questions: readonly (readonly string[])[],
): Promise<void> {
  const archive = work.path(`${name}.tar.gz`);
  const captured = await run('capture', archive, ...options);
  expect([captured.status, captured.stderr]).toEqual([0, '']);
  for (const question of questions) {
    const live = await run(...question, ...options);
    expect(live.status).toBe(0);
    expect(await run(...question, '--root', archive)).toEqual(live);
  }
}

describe('a capture keeps', () => {
  it('a KubeletConfiguration from elsewhere with its drop-ins in order, and the names in warnings', async () => {
    const folder = work.path('dropins');
    mkdirSync(folder);
    work.write('dropins/20-last.conf', `${HEAD}memoryThrottlingFactor: 0.7\n`);
    work.write('dropins/10-first.conf', `${HEAD}memoryThrottlingFactor: 0.5\nnobodyKnowsThis: 1\n`);
    const options = [
      ...['--root', node, ...pods, '--kubelet-config', work.write('k.yaml', `${HEAD}alsoUnknown: 1\n`)],
      ...['--kubelet-config-dir', folder],
    ];
    await expectSameAnswers('dropins', options, [
      ['plan', '-o', 'json'],
      ['status', '-o', 'json'],
    ]);
    const plan = await run('plan', '--root', work.path('dropins.tar.gz'), '-o', 'json');
    expect((JSON.parse(plan.stdout) as { policy: object }).policy).toMatchObject({
      memoryThrottlingFactor: 0.7,
    });
    expect(plan.warnings.some((message) => message.startsWith(work.path('k.yaml:3:1: alsoUnknown')))).toBe(
      true,
    );
  });

  it('nodeqos.yaml from elsewhere', async () => {
    const own = work.write(
      'own.yaml',
      'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nmemoryQos: {reservationPolicy: TieredReservation}\n',
    );
    await expectSameAnswers('own', ['--root', node, ...pods, '--config', own], [['plan', '-o', 'json']]);
  });

  it('a saved summary', async () => {
    const uid = '0b0b0b0b-1111-4222-8333-444444444444';
    const summary = work.write(
      'summary.json',
      JSON.stringify({
        node: {
          nodeName: 'n1',
          memory: { time: '2026-01-01T00:00:00Z', availableBytes: 5, workingSetBytes: 10 },
        },
        pods: [{ podRef: { name: 'web', namespace: 'shop', uid }, memory: { workingSetBytes: 7 } }],
      }),
    );
    const options = ['--root', node, ...pods, '--stats', `summary:${summary}`];
    await expectSameAnswers('summary', options, [
      ['rank', '-o', 'json'],
      ['status', '-o', 'json'],
      ['rank', '--signal', 'nodefs.available'],
    ]);
  });

  it('which node was meant, and the cgroups of a mount elsewhere under the names they had', async () => {
    const mount = work.path('mount');
    execFileSync('cp', ['-r', join(node, 'sys/fs/cgroup'), mount]);
    const bare = work.path('bare');
    execFileSync('cp', ['-r', node, bare]);
    rmSync(join(bare, 'sys'), { recursive: true });
    const options = ['--root', bare, '--cgroup-root', mount, ...pods, '--node-name', 'n1'];
    await expectSameAnswers('mount', options, [['plan', '-o', 'json'], ['plan', '-o', 'sh'], ['status']]);
    const root = await openRoot({ root: work.path('mount.tar.gz') });
    expect(root.cgroups.nameOf('kubepods.slice')).toBe(`${mount}/kubepods.slice`);
    expect(root.capture?.inputs.nodeName).toBe('n1');
  });

  it('what this machine is, where it is this one: disks and host facts', async () => {
    const options = ['--root', '/', '--cgroup-root', join(node, 'sys/fs/cgroup'), ...pods];
    await expectSameAnswers('host', options, [['plan', '-o', 'json']]);
    const root = await openRoot({ root: work.path('host.tar.gz') });
    expect(root.isFake).toBe(true);
    expect(root.capture?.host?.cpuCount).toBeGreaterThan(0);
    expect(root.files.nameOf('proc/meminfo')).toBe('/proc/meminfo');
    const mounts = root.files.readFile('proc/mounts');
    const types =
      mounts.kind === 'read'
        ? mounts.text
            .trim()
            .split('\n')
            .map((line) => line.split(' ')[2])
        : [];
    expect(types.filter((type) => type !== undefined && !['cgroup', 'cgroup2'].includes(type))).toEqual([]);
  });
});
