import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { RankedPod } from '../../../../agent/decide/rank.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const SUMMARY = {
  node: { nodeName: 'n1', fs: { availableBytes: 1, capacityBytes: 10 } },
  pods: [
    {
      podRef: { uid: 'uid-api' },
      memory: { workingSetBytes: 5 },
      containers: [{ rootfs: { usedBytes: 7 } }],
    },
    { podRef: { uid: 'uid-cache' }, containers: [{ rootfs: { usedBytes: 9 } }] },
  ],
};

let node: NodeFolder;

beforeAll(() => {
  node = nodeUnderPressure({
    'summary.json': JSON.stringify(SUMMARY),
    'not-a-summary.json': '[]',
    'protect.yaml':
      'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\neviction: {unmeasured: evict, protected: {namespaces: [shop]}}\n',
  });
});

afterAll(() => {
  node.remove();
});

interface Ranking {
  readonly apiVersion: string;
  readonly kind: string;
  readonly signal: string;
  readonly order: readonly RankedPod[];
  readonly warnings: readonly { readonly code: string }[];
}

async function rank(...args: string[]) {
  const io = new RecordingIo();
  const status = await runProgram(
    ['rank', '--root', node.root, '--pods', node.path('pods.json'), ...args],
    io,
  );
  return { status, io, ranking: () => JSON.parse(io.stdout) as Ranking };
}

const placesOf = (ranking: Ranking): unknown =>
  ranking.order.map(({ name, usage, evictable }) => [name, usage, evictable]);

describe('rank', () => {
  it('ranks by memory from the tree unless told otherwise', async () => {
    const { status, ranking } = await rank('-o', 'json');
    expect(status).toBe(0);
    const { apiVersion, kind, signal, order, warnings } = ranking();
    expect([apiVersion, kind, signal]).toEqual([
      'nodeqos.dev/v1alpha1',
      'EvictionRanking',
      'memory.available',
    ]);
    expect(order).toEqual([
      {
        rank: 1,
        namespace: 'shop',
        name: 'new',
        uid: 'uid-new',
        qosClass: 'BestEffort',
        priority: 0,
        usage: null,
        request: 0,
        exceedsRequest: null,
        overRequest: null,
        critical: false,
        evictable: false,
        why: 'passed over: it is unmeasured (eviction.unmeasured: evict would take it); priority 0',
      },
      expect.objectContaining({
        rank: 2,
        name: 'cache',
        why: 'uses 60Mi, all of it over, since it requests none; priority -5; first to go',
      }),
      expect.objectContaining({
        rank: 3,
        name: 'api',
        why: 'uses 500Mi, 400Mi over its request of 100Mi; priority 0; second to go',
      }),
      expect.objectContaining({
        rank: 4,
        name: 'vital',
        critical: true,
        evictable: false,
        why: 'passed over: it is critical, its priority 2000000000 being at least 2000000000; uses 350Mi, 300Mi over its request of 50Mi; priority 2000000000',
      }),
    ]);
    expect(warnings.map(({ code }) => code)).toContain('no-cgroup');
  });
  it('ranks by processes', async () => {
    const { ranking } = await rank('-o', 'json', '--signal', 'pid.available');
    expect(placesOf(ranking())).toEqual([
      ['cache', 2, true],
      ['new', null, false],
      ['api', 7, true],
      ['vital', null, false],
    ]);
  });
  it('says once that the tree does not tell of disk', async () => {
    const { ranking, io } = await rank('-o', 'json', '--signal', 'nodefs.available');
    expect(ranking().order.every(({ usage }) => usage === null)).toBe(true);
    const sentence =
      'the cgroup tree does not tell what pods use of disk and inodes, so nobody is measured; give --stats summary:PATH';
    expect(io.warnings.filter((warning) => warning === sentence)).toHaveLength(1);
  });
  it('takes usage from a saved summary', async () => {
    const stats = ['-o', 'json', '--stats', `summary:${node.path('summary.json')}`];
    expect(placesOf((await rank(...stats, '--signal', 'nodefs.available')).ranking())).toEqual([
      ['new', null, false],
      ['vital', null, false],
      ['cache', 9, true],
      ['api', 7, true],
    ]);
    expect(placesOf((await rank(...stats)).ranking())).toEqual([
      ['cache', null, false],
      ['new', null, false],
      ['vital', null, false],
      ['api', 5, true],
    ]);
    expect(placesOf((await rank(...stats, '--compat', 'kubelet')).ranking())).toEqual([
      ['new', null, true],
      ['vital', null, false],
      ['cache', 0, true],
      ['api', 5, true],
    ]);
  });
  it('works offline with a summary, and without one knows no usage', async () => {
    const offline = await rank('-o', 'json', '--offline', '--stats', `summary:${node.path('summary.json')}`);
    expect(offline.ranking().order).toHaveLength(4);
    const blind = await rank('-o', 'json', '--offline', '--signal', 'nodefs.available');
    expect(blind.ranking().warnings.map(({ code }) => code)).toEqual(['no-usage']);
  });
  it('obeys eviction.unmeasured and eviction.protected', async () => {
    const { ranking } = await rank('-o', 'json', '--config', node.path('protect.yaml'));
    expect(ranking().order[0]).toMatchObject({
      name: 'new',
      evictable: false,
      why: 'passed over: the configuration protects the namespace shop; unmeasured; priority 0',
    });
  });
  it('draws a table for people, with the first to go in words', async () => {
    const { io } = await rank();
    expect(io.stdout).toBe(
      [
        '#  POD         CLASS         PRIORITY  USAGE  REQUEST   OVER  GOES',
        '1  shop/new    BestEffort           0      -        0      -  no',
        '2  shop/cache  BestEffort          -5   60Mi        0   60Mi  1.',
        '3  shop/api    Burstable            0  500Mi    100Mi  400Mi  2.',
        '4  shop/vital  Burstable   2000000000  350Mi     50Mi  300Mi  no',
        '',
        'When memory.available falls below its threshold, this pod goes first:',
        '  shop/cache: uses 60Mi, all of it over, since it requests none; priority -5; first to go',
        'Ahead of it:',
        '  shop/new: passed over: it is unmeasured (eviction.unmeasured: evict would take it); priority 0',
        '',
      ].join('\n'),
    );
  });
  it('says that nobody may go, and that there is no pod', async () => {
    const protecting = await rank('--signal', 'pid.available', '--config', node.path('protect.yaml'));
    expect(protecting.io.stdout).toContain(
      'When pid.available falls below its threshold, nobody may go:\n  shop/cache: passed',
    );
    expect(protecting.io.stdout).toContain('2  shop/new    BestEffort           0          -  no');
    const io = new RecordingIo();
    node.write({ 'none.json': '{"apiVersion":"v1","kind":"PodList","items":[]}' });
    expect(await runProgram(['rank', '--root', node.root, '--pods', node.path('none.json')], io)).toBe(0);
    expect(io.stdout).toBe('There is no pod to evict.\n');
  });
  it('goes on where files are empty, incomplete or without a limit, and names each once', async () => {
    const broken = nodeUnderPressure();
    broken.writeCgroups({
      'kubepods/burstable/poduid-api/memory.stat': 'anon 5\n',
      'kubepods/burstable/poduid-vital/memory.current': '',
      'kubepods/besteffort/poduid-cache/memory.stat': '',
      'kubepods/memory.max': 'max\n',
      'memory.stat': '',
    });
    const io = new RecordingIo();
    const args = ['--root', broken.root, '--pods', broken.path('pods.json'), '-o', 'json'];
    expect(await runProgram(['rank', ...args], io)).toBe(0);
    const ranking = JSON.parse(io.stdout) as Ranking;
    expect(ranking.order.every(({ usage, evictable }) => usage === null && !evictable)).toBe(true);
    expect(ranking.warnings.map(({ code }) => code).toSorted()).toEqual([
      'memory-stat-incomplete',
      'memory-stat-incomplete',
      'no-cgroup',
      'unreadable-file',
    ]);
    const seen = new RecordingIo();
    expect(await runProgram(['status', ...args], seen)).toBe(0);
    expect((JSON.parse(seen.stdout) as { signals: readonly { signal: string }[] }).signals).toEqual([
      expect.objectContaining({ signal: 'pid.available' }),
    ]);
    expect(
      seen.warnings.filter((warning) => warning.includes('memory.available is not observed')),
    ).toHaveLength(1);
    broken.remove();
  });
  it.each<[string, readonly string[], number, RegExp]>([
    ['a source that nobody knows', ['--stats', 'foo'], 64, /--stats foo: give cgroup, summary:PATH/],
    ['a summary without a path', ['--stats', 'summary:'], 64, /--stats summary:: give cgroup, summary:PATH/],
    ['a kubelet that is none', ['--stats', 'kubelet:ftp://x'], 64, /no URL of one/],
    ['a summary that is not there', ['--stats', 'summary:/nowhere.json'], 66, /\/nowhere\.json/],
    ['a signal that nobody knows', ['--signal', 'swap.available'], 64, /swap\.available/],
  ])('ends with a status for %s', async (_what, args, status, sentence) => {
    const ended = await rank(...args);
    expect(ended.status).toBe(status);
    expect(ended.io.stderr).toMatch(sentence);
    expect(ended.io.stdout).toBe('');
  });
  it('refuses what is no summary', async () => {
    const { status, io } = await rank('--stats', `summary:${node.path('not-a-summary.json')}`);
    expect(status).toBe(65);
    expect(io.stderr).toBe(
      `nodeqos: ${node.path('not-a-summary.json')}: this is no kubelet /stats/summary: it has no map "node"; save one with kubectl get --raw /api/v1/nodes/NAME/proxy/stats/summary\n`,
    );
  });
});

describe('rank where groups count', () => {
  const CONFIG = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\neviction: {groups: count}\n';
  const pod = (name: string, priority: number, podGroupName?: string): object => ({
    kind: 'Pod',
    metadata: { name, namespace: 'ml', uid: name },
    spec: {
      priority,
      ...(podGroupName === undefined ? {} : { schedulingGroup: { podGroupName } }),
      containers: [{ name: 'c' }],
    },
  });
  const ranked = async (config: string, ...args: string[]) => {
    const folder = new NodeFolder(
      {},
      {
        'pods.json': JSON.stringify({
          kind: 'List',
          items: [
            pod('worker', 1, 'w'),
            pod('web', 50),
            pod('stray', 2, 'nobody'),
            { kind: 'PodGroup', metadata: { name: 'w', namespace: 'ml' }, spec: { priority: 100 } },
          ],
        }),
        'summary.json': JSON.stringify({
          node: { nodeName: 'n' },
          pods: ['worker', 'web', 'stray'].map((uid) => ({
            podRef: { uid },
            memory: { workingSetBytes: 5 },
          })),
        }),
        'nodeqos.yaml': config,
      },
    );
    const io = new RecordingIo();
    const stats = `summary:${folder.path('summary.json')}`;
    const files = ['--pods', folder.path('pods.json'), '--config', folder.path('nodeqos.yaml')];
    const offline = ['--offline', '--memory-capacity', '1Gi', '--stats', stats];
    await runProgram(['rank', ...offline, ...files, '-o', 'json', ...args], io);
    folder.remove();
    const { order, warnings } = JSON.parse(io.stdout) as Ranking;
    return { order, codes: warnings.map(({ code }) => code) };
  };

  it('goes by the priority of the group beside the pods, names it, and tells of a group that is missing', async () => {
    const { order, codes } = await ranked(CONFIG);
    expect(
      order.map(({ name, priority, group, ownPriority }) => [name, priority, group, ownPriority]),
    ).toEqual([
      ['stray', 2, undefined, undefined],
      ['web', 50, undefined, undefined],
      ['worker', 100, 'ml/w', 1],
    ]);
    expect(codes).toEqual(['group-not-known']);
  });

  it.each<[string, string, readonly string[]]>([
    ['by default', CONFIG.replace('count', 'ignore'), []],
    ['for the kubelet', CONFIG, ['--compat', 'kubelet']],
    ['for the kubelet, and as it is told to', CONFIG, ['--compat', 'kubelet', '--groups', 'ignore']],
    ['where it is told to, whatever the configuration says', CONFIG, ['--groups', 'ignore']],
  ])('goes by the own priority %s', async (_when, config, args) => {
    const { order, codes } = await ranked(config, ...args);
    expect(order.map(({ name, priority }) => [name, priority])).toEqual([
      ['worker', 1],
      ['stray', 2],
      ['web', 50],
    ]);
    expect(order.some((entry) => 'group' in entry)).toBe(false);
    expect(codes).toEqual([]);
  });

  it('goes by the priority of the group where it is told to, whatever the configuration says', async () => {
    const { order, codes } = await ranked(CONFIG.replace('count', 'ignore'), '--groups', 'count');
    expect(order.map(({ name, priority }) => [name, priority])).toEqual([
      ['stray', 2],
      ['web', 50],
      ['worker', 100],
    ]);
    expect(codes).toEqual(['group-not-known']);
  });

  it('refuses to count groups for the kubelet, and any other word', async () => {
    const refused = async (...args: readonly string[]) => {
      const io = new RecordingIo();
      return [await runProgram(['rank', '--pods', 'none.json', ...args], io), io.stderr];
    };
    expect(await refused('--groups', 'count', '--compat', 'kubelet')).toEqual([
      64,
      expect.stringContaining('--groups count does not go with --compat kubelet, which knows no groups'),
    ]);
    expect((await refused('--groups', 'some'))[0]).toBe(64);
  });
});
