import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { PodFacts } from '../../../../agent/decide/explain.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

let node: NodeFolder;

beforeAll(() => {
  node = nodeUnderPressure();
});

afterAll(() => {
  node.remove();
});

interface Explanation extends PodFacts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly sentences: readonly string[];
  readonly warnings: readonly { readonly code: string; readonly pod: string | null }[];
}

async function explain(...args: string[]) {
  const io = new RecordingIo();
  const status = await runProgram(['explain', '--pods', node.path('pods.json'), ...args], io);
  return { status, io, explanation: () => JSON.parse(io.stdout) as Explanation };
}

const TIERED = ['--reservation-policy', 'TieredReservation'];

describe('explain', () => {
  it('tells all that is known of a pod of a node', async () => {
    const { status, explanation } = await explain('shop/api', '--root', node.root, '-o', 'json', ...TIERED);
    expect(status).toBe(0);
    const { apiVersion, kind, pod, cgroups, rankings, taints, sentences } = explanation();
    expect([apiVersion, kind, pod.name, pod.qosClass, taints]).toEqual([
      'nodeqos.dev/v1alpha1',
      'PodExplanation',
      'api',
      'Burstable',
      null,
    ]);
    expect(cgroups.every((entry) => entry.pod === 'api' && entry.namespace === 'shop')).toBe(true);
    expect(cgroups.find((entry) => entry.level === 'pod' && entry.file === 'memory.low')).toMatchObject({
      cgroup: 'kubepods/burstable/poduid-api',
      current: '0',
      desired: '104857600',
      action: 'write',
      effective: { min: expect.any(Number) as number, low: 104857600 },
    });
    expect(Object.keys(rankings)).toEqual([
      'memory.available',
      'allocatableMemory.available',
      'pid.available',
      'nodefs.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
    ]);
    expect(rankings['memory.available']).toMatchObject({ rank: 3, name: 'api', evictable: true });
    expect(sentences).toContain(
      'When memory.available or allocatableMemory.available is low it is number 3: uses 500Mi, 400Mi over its request of 100Mi; priority 0; second to go.',
    );
  });
  it('leaves out warnings about other pods', async () => {
    const { explanation } = await explain('shop/api', '--root', node.root, '-o', 'json');
    const pods = explanation().warnings.map(({ pod }) => pod);
    expect(pods.every((pod) => pod === null || pod === 'shop/api')).toBe(true);
    expect(
      (await explain('shop/new', '--root', node.root, '-o', 'json')).explanation().warnings,
    ).toContainEqual(expect.objectContaining({ code: 'pod-not-found', pod: 'shop/new' }));
  });
  it('has the taints of a node that is given', async () => {
    const args = ['--root', node.root, '--node', node.path('node.json'), '-o', 'json'];
    expect((await explain('shop/cache', ...args)).explanation().taints).toEqual({
      namespace: 'shop',
      name: 'cache',
      schedulable: true,
      firstUntolerated: null,
      preferNoScheduleCount: 0,
      noExecute: 'stay',
      evictAfterSeconds: null,
      decidedBy: null,
    });
    expect((await explain('shop/api', ...args)).explanation().taints).toMatchObject({
      schedulable: false,
      firstUntolerated: { key: 'b', value: '', effect: 'NoSchedule' },
    });
  });
  it('warns of tolerations that the API would refuse, those of the pod only', async () => {
    const pod = (name: string) => ({
      kind: 'Pod',
      metadata: { namespace: 'shop', name, uid: `uid-${name}` },
      spec: { containers: [{ name: 'c' }], tolerations: [{ operator: 'Exists', tolerationSeconds: 5 }] },
    });
    const file = node.path('tolerant.json');
    writeFileSync(file, JSON.stringify({ kind: 'List', items: [pod('api'), pod('cache')] }));
    const io = new RecordingIo();
    await runProgram(['explain', 'shop/api', '--pods', file, '--root', node.root, '-o', 'json'], io);
    const { warnings } = JSON.parse(io.stdout) as Explanation;
    expect(warnings.filter(({ code }) => code.startsWith('toleration'))).toEqual([
      expect.objectContaining({ code: 'toleration-seconds-without-effect', pod: 'shop/api' }),
    ]);
  });
  it('works offline', async () => {
    const { explanation } = await explain('shop/api', '--offline', '--memory-capacity', '2Gi', '-o', 'json');
    const { cgroups, rankings } = explanation();
    expect(cgroups.length).toBeGreaterThan(0);
    expect(cgroups.every((entry) => !('effective' in entry))).toBe(true);
    expect(rankings['memory.available']?.usage).toBeNull();
  });
  it('prints sentences for people, none of them wider than the terminal', async () => {
    const { io } = await explain('shop/api', '--root', node.root, ...TIERED);
    const lines = io.stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'shop/api is Burstable: it requests or limits something, but not every limit is there and equal to',
      '  its request.',
    ]);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });
  it.each<[string, string]>([
    ['shop/apo', 'perhaps shop/api is meant'],
    ['cache', 'perhaps shop/cache is meant'],
    ['shop/zzzzzzzzzz', 'there are 4 pods here, none with a name like it'],
  ])('ends with 65 for %s, which is not there', async (name, hint) => {
    const { status, io } = await explain(name, '--root', node.root);
    const wanted = name.includes('/') ? name : `default/${name}`;
    expect(status).toBe(65);
    expect(io.stderr).toBe(`nodeqos: no pod ${wanted} counts on this node (finished pods do not); ${hint}\n`);
    expect(io.stdout).toBe('');
  });
});

describe('a capture of a node', () => {
  it('gives the same ranking, status and explanation as the node', async () => {
    const archive = node.path('node.tar.gz');
    const io = new RecordingIo();
    expect(
      await runProgram(['capture', archive, '--root', node.root, '--pods', node.path('pods.json')], io),
    ).toBe(0);
    const answer = async (
      command: readonly string[],
      root: readonly string[],
    ): Promise<readonly unknown[]> => {
      const said = new RecordingIo();
      const status = await runProgram([...command, ...root, '-o', 'json'], said);
      return [status, said.stdout, said.stderr, said.warnings];
    };
    const live = ['--root', node.root, '--pods', node.path('pods.json')];
    for (const command of [
      ['rank'],
      ['rank', '--signal', 'pid.available'],
      ['status'],
      ['explain', 'shop/api'],
    ]) {
      const captured = await answer(command, ['--root', archive]);
      expect(captured[0]).toBe(0);
      expect(captured).toEqual(await answer(command, live));
    }
  });
});
