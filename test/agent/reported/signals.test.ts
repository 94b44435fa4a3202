import { afterAll, describe, expect, it } from 'vitest';
import { CommandInputs } from '../../fakes/command-inputs.ts';
import { type Files, NodeFolder } from '../../fakes/node-folder.ts';

/** What people reported about signals, pressure and tolerations: `status` and `explain` on the smallest input of each. */
const inputs = new CommandInputs();
const nodes: NodeFolder[] = [];
afterAll(() => {
  inputs.remove();
  for (const node of nodes) node.remove();
});

const MI = 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

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
    const tolerations = [{ key: 'k', ...toleration }];
    const spec = { nodeName: 'n', containers: [{ name: 'a' }], tolerations };
    const pods = inputs.write('pod.json', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', uid: 'u' },
      spec,
    });
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
