import { afterAll, describe, expect, it } from 'vitest';
import { CommandInputs } from '../../fakes/command-inputs.ts';
import { type Files, NodeFolder } from '../../fakes/node-folder.ts';

/** What people reported about signals and about who was evicted: `rank`, `status` and `explain` on the smallest input of each. */
const inputs = new CommandInputs();
const nodes: NodeFolder[] = [];
afterAll(() => {
  inputs.remove();
  for (const node of nodes) node.remove();
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

interface Signal {
  readonly signal: string;
  readonly available: number;
  readonly capacity: number;
}

interface Status {
  readonly signals: readonly Signal[];
  readonly thresholds: readonly { readonly signal: string; readonly met: boolean }[];
  readonly conditions: readonly string[];
  readonly psi?: unknown;
  readonly memAvailableBytes?: number;
}

async function status(args: readonly string[]): Promise<Status> {
  return (await inputs.document(['status', ...args])) as unknown as Status;
}

async function statusOf(cgroupFiles: Files, files: Files = {}, fields = ''): Promise<Status> {
  const node = new NodeFolder(cgroupFiles, files);
  nodes.push(node);
  return status(['--root', node.root, '--kubelet-config', inputs.kubelet(fields)]);
}

async function statusBy(summary: Fields, fields = ''): Promise<Status> {
  const path = inputs.write('summary.json', summary);
  return status(['--offline', '--stats', `summary:${path}`, '--kubelet-config', inputs.kubelet(fields)]);
}

function seen(found: Status, signal: string): readonly number[] | undefined {
  const one = found.signals.find((entry) => entry.signal === signal);
  return one && [one.available, one.capacity];
}

describe('a signal was not what people took it for', () => {
  it('memory.available is not MemAvailable: the root is anon + file - inactive_file, without kernel memory', async () => {
    const found = await statusOf(
      {
        'memory.stat': 'anon 790425600\nfile 6502666240\nkernel 99999999\ninactive_file 5307346944\nslab 1\n',
      },
      {
        'proc/meminfo':
          'MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable: 1213620 kB\nHugetlb: 33554432 kB\n',
      },
    );
    expect(seen(found, 'memory.available')).toEqual([17179869184 - 1985744896, 17179869184]);
    expect(found.memAvailableBytes).toBe(1213620 * 1024);
  });

  it('no memory.stat at the root is no observation, and meets nothing', async () => {
    const found = await statusOf({});
    expect([seen(found, 'memory.available'), found.conditions]).toEqual([undefined, []]);
    expect(found.thresholds.map(({ met }) => met)).not.toContain(true);
  });

  it('without the system container "pods" there is no allocatable memory to look at', async () => {
    const node = { memory: { availableBytes: 1, workingSetBytes: 1 } };
    const other = { name: 'kubelet', memory: { availableBytes: 1, workingSetBytes: 1 } };
    const found = await statusBy({ node: { ...node, systemContainers: [other] }, pods: [] });
    expect([seen(found, 'memory.available'), seen(found, 'allocatableMemory.available')]).toEqual([
      [1, 2],
      undefined,
    ]);
    expect(found.thresholds.filter(({ met }) => met).map(({ signal }) => signal)).toEqual([
      'memory.available',
    ]);
  });

  it('the system container is found by name, and its capacity is available + working set', async () => {
    const systemContainers = [
      { name: 'kubelet', memory: { availableBytes: 1, workingSetBytes: 1 } },
      { name: 'pods', memory: { availableBytes: 5 * MI, workingSetBytes: 7 * MI } },
    ];
    const found = await statusBy({ node: { systemContainers }, pods: [] });
    expect(seen(found, 'allocatableMemory.available')).toEqual([5 * MI, 12 * MI]);
  });

  it('a working set beyond the limit wraps around in the summary and is a negative number', async () => {
    const memoryPart = '{"availableBytes": 18446744073709551596, "workingSetBytes": 100}';
    const path = inputs.write('wrapped.json', `{"node": {"memory": ${memoryPart}}, "pods": []}`);
    const found = await status([
      '--offline',
      '--stats',
      `summary:${path}`,
      '--kubelet-config',
      inputs.kubelet(''),
    ]);
    expect(seen(found, 'memory.available')).toEqual([-20, 80]);
    expect(found.conditions).toEqual(['MemoryPressure']);
  });

  it.each<[string, number, number]>([
    ['5%', 10737418240, 536870920],
    ['10%', 10737418240, 1073741840],
    ['15%', 10737418240, 1610612800],
    ['1%', 10737418240, 107374180],
    ['7%', 10737418240, 751619280],
    ['10%', 33551482880, 3355148337],
    ['90%', 33551482880, 30196333792],
    ['0.5%', 65536000, 327679],
    ['12.5%', 65536000, 8192000],
  ])('%s of %d is %d: met below it, and not at it', async (percent, capacity, quantity) => {
    const met = async (availableBytes: number): Promise<readonly string[]> => {
      const node = { memory: { availableBytes, workingSetBytes: capacity - availableBytes } };
      return (await statusBy({ node, pods: [] }, `evictionHard: {memory.available: ${percent}}`)).conditions;
    };
    expect([await met(quantity), await met(quantity - 1)]).toEqual([[], ['MemoryPressure']]);
  });

  it('minimum reclaim alone meets nothing', async () => {
    const node = { memory: { availableBytes: 1100 * MI, workingSetBytes: 1 } };
    const fields = 'evictionHard: {memory.available: 1Gi}\nevictionMinimumReclaim: {memory.available: 200Mi}';
    expect((await statusBy({ node, pods: [] }, fields)).conditions).toEqual([]);
  });

  it('a soft threshold makes its condition at once, before its grace is over', async () => {
    const node = { memory: { availableBytes: 500 * MI, workingSetBytes: 1 } };
    const fields = 'evictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: 1h}';
    expect((await statusBy({ node, pods: [] }, fields)).conditions).toEqual(['MemoryPressure']);
  });
});

describe('pressure that is not measured was shown as none', () => {
  it.each<[string, Files]>([
    ['no file', {}],
    ['a file without a line', { 'proc/pressure/memory': '' }],
  ])('%s: not 0', async (_name, files) => {
    expect((await statusOf({}, files)).psi ?? null).toBeNull();
  });

  it('some and full, in microseconds', async () => {
    const text =
      'some avg10=1.50 avg60=0.25 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7';
    expect((await statusOf({}, { 'proc/pressure/memory': text })).psi).toEqual({
      some: { avg10: 1.5, avg60: 0.25, avg300: 0, totalUs: 123 },
      full: { avg10: 0, avg60: 0, avg300: 0, totalUs: 7 },
    });
  });
});

describe('tolerations with numbers', () => {
  it.each<[string, Fields, string, boolean]>([
    ['greater', { operator: 'Gt', value: '900' }, '950', true],
    ['equal is not greater', { operator: 'Gt', value: '950' }, '950', false],
    ['less', { operator: 'Lt', value: '950' }, '900', true],
    ['a leading zero is no number', { operator: 'Gt', value: '0900' }, '950', false],
    ['a taint that is no number', { operator: 'Gt', value: '900' }, '950x', false],
    ['a plus sign is no number', { operator: 'Gt', value: '+900' }, '950', false],
    ['any value', { operator: 'Exists' }, '950', true],
    ['an empty operator is Equal', { value: '950' }, '950', true],
  ])('%s', async (_name, toleration, value, tolerated) => {
    const taints = [{ key: 'k', value, effect: 'NoSchedule' }];
    const node = inputs.write('node.json', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { taints },
    });
    const pods = podsFile([
      pod({ name: 'a', more: { nodeName: 'n', tolerations: [{ key: 'k', ...toleration }] } }),
    ]);
    const args = [
      'explain',
      'default/a',
      '--offline',
      '--pods',
      pods,
      '--node',
      node,
      '--kubelet-config',
      inputs.kubelet(''),
    ];
    const report = (await inputs.document(args)) as { readonly taints?: { readonly schedulable: boolean } };
    expect(report.taints?.schedulable).toBe(tolerated);
  });
});
