import { afterAll, describe, expect, it } from 'vitest';
import { CommandInputs } from '../../fakes/command-inputs.ts';

/** What people reported about who was evicted: `rank` on the smallest input of each. */
const inputs = new CommandInputs();
afterAll(() => {
  inputs.remove();
});

const MI = 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

interface PodSketch {
  readonly name: string;
  readonly priority?: number;
  readonly requests?: Fields;
  readonly annotations?: Fields;
  readonly overhead?: Fields;
  readonly more?: Fields;
}

function pod({ name, priority, requests, annotations, overhead, more }: PodSketch): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: `uid-${name}`, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      ...(priority === undefined ? {} : { priority }),
      ...(overhead === undefined ? {} : { overhead }),
      containers: [{ name: 'a', ...(requests === undefined ? {} : { resources: { requests } }) }],
      ...more,
    },
  };
}

interface Ranked {
  readonly name: string;
  readonly usage: number | null;
  readonly request: number | null;
  readonly exceedsRequest: boolean | null;
  readonly overRequest: number | null;
  readonly critical: boolean;
  readonly evictable: boolean;
  readonly why: string;
}

function podsFile(pods: readonly Fields[]): string {
  return inputs.write('pods.json', { apiVersion: 'v1', kind: 'List', items: pods });
}

async function rank(
  pods: readonly PodSketch[],
  statistics: Readonly<Record<string, Fields>>,
  ...more: readonly string[]
): Promise<readonly Ranked[]> {
  const listed = Object.entries(statistics).map(([name, parts]) => ({
    podRef: { name, namespace: 'default', uid: `uid-${name}` },
    ...parts,
  }));
  const summary = inputs.write('summary.json', { node: {}, pods: listed });
  const report = await inputs.document([
    ...['rank', '--offline', '--pods', podsFile(pods.map(pod)), '--stats', `summary:${summary}`],
    ...more,
  ]);
  return report['order'] as readonly Ranked[];
}

function memory(mebibytes: number): Fields {
  return { memory: { workingSetBytes: mebibytes * MI } };
}

function names(order: readonly Ranked[]): readonly string[] {
  return order.map(({ name }) => name);
}

describe('the wrong pod was expected to go', () => {
  it('not by class: a Burstable pod over its request goes before a BestEffort one that uses less', async () => {
    const order = await rank(
      [{ name: 'best-effort' }, { name: 'burstable', requests: { memory: '100Mi' } }],
      { 'best-effort': memory(10), burstable: memory(500) },
    );
    expect(order.map(({ name, overRequest }) => [name, overRequest])).toEqual([
      ['burstable', 400 * MI],
      ['best-effort', 10 * MI],
    ]);
  });

  it('usage that equals the request, or nothing, is not over it', async () => {
    const order = await rank(
      [
        { name: 'equal', priority: -5, requests: { memory: '100Mi' } },
        { name: 'none' },
        { name: 'over', priority: 1000 },
      ],
      { equal: memory(100), none: memory(0), over: memory(1) },
    );
    expect(order.map(({ name, exceedsRequest }) => [name, exceedsRequest])).toEqual([
      ['over', true],
      ['equal', false],
      ['none', false],
    ]);
  });

  it('absent priority is 0, and negative ones go first', async () => {
    const pods = [{ name: 'absent' }, { name: 'negative', priority: -1 }, { name: 'zero', priority: 0 }];
    const order = await rank(pods, { absent: memory(1), negative: memory(1), zero: memory(2) });
    expect(names(order)).toEqual(['negative', 'zero', 'absent']);
  });

  it('a pod without statistics is first, never last; nodeqos passes it over and says so', async () => {
    const pods = [{ name: 'measured' }, { name: 'starting', priority: 5 }];
    const [first, second] = await rank(pods, { measured: memory(4096) });
    expect([first?.name, first?.usage, first?.exceedsRequest, first?.overRequest, first?.evictable]).toEqual([
      ...['starting', null, null, null, false],
    ]);
    expect(first?.why).toMatch(/^passed over: /);
    expect([second?.name, second?.evictable]).toEqual(['measured', true]);
    const compared = await rank(pods, { measured: memory(4096) }, '--compat', 'kubelet');
    expect(compared.map(({ name, evictable }) => [name, evictable])).toEqual([
      ['starting', true],
      ['measured', true],
    ]);
  });

  it('statistics without a memory part are none; the kubelet takes them for 0', async () => {
    const pods = [{ name: 'a' }, { name: 'b' }];
    const parts = { a: { process_stats: { process_count: 3 } }, b: memory(1) };
    expect((await rank(pods, parts)).map(({ name, usage }) => [name, usage])).toEqual([
      ['a', null],
      ['b', MI],
    ]);
    expect((await rank(pods, parts, '--compat', 'kubelet')).map(({ name, usage }) => [name, usage])).toEqual([
      ['b', MI],
      ['a', 0],
    ]);
  });

  it('the working set of the pod counts, whatever its containers and its other memory numbers say', async () => {
    const parts = {
      memory: { workingSetBytes: 7 * MI },
      containers: [{ name: 'a', memory: { workingSetBytes: 0 } }],
    };
    expect((await rank([{ name: 'a' }], { a: parts })).map(({ usage }) => usage)).toEqual([7 * MI]);
  });

  it('static, mirror and critical pods stay in the ranking and are passed over', async () => {
    const order = await rank(
      [
        { name: 'static', annotations: { 'kubernetes.io/config.source': 'file' } },
        {
          name: 'mirror',
          annotations: { 'kubernetes.io/config.mirror': 'h', 'kubernetes.io/config.hash': 'uid-mirror' },
        },
        { name: 'critical', priority: 2_000_000_000 },
        { name: 'nearly', priority: 1_999_999_999 },
        { name: 'from-api', annotations: { 'kubernetes.io/config.source': 'api' } },
        { name: 'by-class-only', more: { priorityClassName: 'system-node-critical' } },
      ],
      Object.fromEntries(
        ['static', 'mirror', 'critical', 'nearly', 'from-api', 'by-class-only'].map((name) => [
          name,
          memory(1),
        ]),
      ),
    );
    expect(
      order
        .filter(({ critical }) => critical)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...['critical', 'mirror', 'static']]);
    expect(
      order
        .filter(({ evictable }) => evictable)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...['by-class-only', 'from-api', 'nearly']]);
    expect(order).toHaveLength(6);
  });

  it('overhead counts only on top of a request', async () => {
    const overhead = { memory: '50Mi' };
    const order = await rank(
      [
        { name: 'none', overhead },
        { name: 'some', overhead, requests: { memory: '10Mi' } },
      ],
      { none: memory(20), some: memory(70) },
    );
    expect(order.map(({ name, request }) => [name, request])).toEqual([
      ['none', 0],
      ['some', 60 * MI],
    ]);
  });

  it('process IDs: priority, then count, and no request', async () => {
    const processes = (count: number): Fields => ({ process_stats: { process_count: count } });
    const order = await rank(
      [{ name: 'many', priority: 1 }, { name: 'few' }, { name: 'more' }],
      { many: processes(900), few: processes(3), more: processes(4) },
      ...['--signal', 'pid.available'],
    );
    expect(order.map(({ name, usage, request, overRequest }) => [name, usage, request, overRequest])).toEqual(
      [
        ['more', 4, null, null],
        ['few', 3, null, null],
        ['many', 900, null, null],
      ],
    );
  });

  it('disk: usage over request; inodes: usage alone, and not what the kubelet makes of it', async () => {
    const files = (bytes: number, inodes: number): Fields => ({
      containers: [
        {
          name: 'a',
          rootfs: { usedBytes: bytes, inodesUsed: inodes },
          logs: { usedBytes: 1, inodesUsed: 0 },
        },
      ],
    });
    const pods = [{ name: 'hog', requests: { 'ephemeral-storage': '1Gi' } }, { name: 'small' }];
    const usage = { hog: files(1024 * MI, 5_000_000), small: files(MI, 10) };
    const disk = await rank(pods, usage, '--signal', 'nodefs.available');
    expect(disk.map(({ name, usage: used, overRequest }) => [name, used, overRequest])).toEqual([
      ['small', MI + 1, MI + 1],
      ['hog', 1024 * MI + 1, 1],
    ]);
    const inodes = await rank(pods, usage, '--signal', 'nodefs.inodesFree');
    expect(inodes.map(({ name, request }) => [name, request])).toEqual([
      ['hog', 0],
      ['small', 0],
    ]);
    const compared = await rank(pods, usage, '--signal', 'nodefs.inodesFree', '--compat', 'kubelet');
    expect(compared.map(({ name, request, overRequest }) => [name, request, overRequest])).toEqual([
      ['small', 0, 10],
      ['hog', 0, 5_000_000 - 1024 * MI],
    ]);
  });
});
