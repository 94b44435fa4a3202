import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type QosArguments, runQos } from '../../agent/cli/memory-qos/qos.ts';
import { Failure } from '../../agent/exit.ts';
import { podDocument } from '../fakes/pods.ts';
import { RecordingIo } from '../fakes/recording-io.ts';

const SHOP = join(import.meta.dirname, '../fixtures/pods/shop.yaml');
const SHELF = join(import.meta.dirname, '../fixtures/pods/shelf-1.yaml');
const OFFLINE = { root: '/', offline: true, output: 'json' } as const;

async function qos(args: Partial<QosArguments>): Promise<RecordingIo> {
  const io = new RecordingIo();
  expect(await runQos({ ...OFFLINE, ...args }, io)).toBe(0);
  return io;
}

async function report(args: Partial<QosArguments>): Promise<{ pods: Record<string, unknown>[] }> {
  return JSON.parse((await qos(args)).stdout) as { pods: Record<string, unknown>[] };
}

async function podNames(args: Partial<QosArguments>): Promise<readonly unknown[]> {
  return (await report(args)).pods.map(({ name }) => name);
}

async function refusal(args: Partial<QosArguments>): Promise<unknown> {
  try {
    return await qos(args);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.status, error.message.replaceAll(folder, 'FOLDER')];
  }
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-qos-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, value: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

function listOf(...items: object[]): string {
  return write('pods.json', { kind: 'List', apiVersion: 'v1', items });
}

describe('the report of qos', () => {
  it('has every pod in the order of the input, the finished one too', async () => {
    expect(await report({ pods: SHOP, memoryCapacity: '16Gi' })).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'QosReport',
      pods: [
        {
          namespace: 'shop',
          name: 'front',
          uid: '11111111-aaaa-4bbb-8ccc-000000000001',
          qosClass: 'Burstable',
          reportedQosClass: 'Burstable',
          memoryRequestBytes: 1677721600,
          memoryLimitBytes: null,
          cpuRequestMilli: 300,
          priority: 5000,
          critical: false,
          containers: [
            {
              name: 'proxy',
              type: 'sidecar',
              memoryRequestBytes: 67108864,
              memoryLimitBytes: null,
              oomScoreAdj: 907,
            },
            {
              name: 'web',
              type: 'regular',
              memoryRequestBytes: 1610612736,
              memoryLimitBytes: 2147483648,
              oomScoreAdj: 907,
            },
          ],
        },
        {
          namespace: 'shop',
          name: 'till',
          uid: '11111111-aaaa-4bbb-8ccc-000000000002',
          qosClass: 'Guaranteed',
          reportedQosClass: 'Guaranteed',
          memoryRequestBytes: 536870912,
          memoryLimitBytes: 536870912,
          cpuRequestMilli: 2000,
          priority: 2000001000,
          critical: true,
          containers: [
            {
              name: 'till',
              type: 'regular',
              memoryRequestBytes: 536870912,
              memoryLimitBytes: 536870912,
              oomScoreAdj: -997,
            },
          ],
        },
        {
          namespace: 'shop',
          name: 'sweep-28123',
          uid: '11111111-aaaa-4bbb-8ccc-000000000003',
          qosClass: 'BestEffort',
          reportedQosClass: 'Burstable',
          memoryRequestBytes: 0,
          memoryLimitBytes: null,
          cpuRequestMilli: 0,
          priority: 0,
          critical: false,
          containers: [
            {
              name: 'sweep',
              type: 'regular',
              memoryRequestBytes: 0,
              memoryLimitBytes: null,
              oomScoreAdj: 999,
            },
          ],
        },
      ],
    });
  });

  it('warns of what the input says against itself', async () => {
    expect((await qos({ pods: SHOP })).warnings).toEqual([
      'pod shop/sweep-28123: its status says Burstable, its resources make it BestEffort; plan and rank go by the status',
    ]);
  });

  it('has exact integers beyond 2^53', async () => {
    const resources = { requests: { memory: '9007199254740993' } };
    const pods = listOf(podDocument({ spec: { containers: [{ name: 'a', resources }] } }));
    expect((await qos({ pods })).stdout).toContain('"memoryRequestBytes": 9007199254740993,');
  });

  it('is empty for an empty list', async () => {
    const pods = listOf();
    expect(await podNames({ pods })).toEqual([]);
    expect((await qos({ pods, output: 'table' })).stdout).toBe('no pods\n');
  });

  it('is YAML where that is asked for', async () => {
    const { stdout } = await qos({ pods: listOf(), output: 'yaml' });
    expect(stdout).toBe('apiVersion: nodeqos.dev/v1alpha1\nkind: QosReport\npods: []\n');
  });
});

describe('the table of qos', () => {
  it('has short numbers and says how to read them', async () => {
    const { stdout } = await qos({ pods: SHOP, memoryCapacity: '16Gi', output: 'table' });
    expect(stdout).toBe(
      [
        'POD               CLASS                            CPU  MEMORY  LIMIT    PRIORITY  CRITICAL   OOM',
        'shop/front        Burstable                       300m   1.6Gi      -        5000  no         907',
        'shop/till         Guaranteed                         2   512Mi  512Mi  2000001000  yes       -997',
        'shop/sweep-28123  BestEffort (status: Burstable)     0       0      -           0  no         999',
        '',
        'CPU and MEMORY: what the pod requests, in cores (m: thousandths) and bytes. LIMIT: its memory limit,',
        '- if it has none. OOM: oom_score_adj of its containers, lowest to highest; - without a capacity.',
        'Sizes are rounded; exact numbers, and those of each container: -o json',
        '',
      ].join('\n'),
    );
  });

  it('shows the span of the scores, none without a capacity, and the escapes of a hostile name', async () => {
    const containers = [
      { name: 'a', resources: { requests: { memory: '4Gi' } } },
      { name: 'b', resources: { requests: { cpu: '1500m' } } },
    ];
    const pods = listOf(podDocument({ name: 'evil\u001b[2J', spec: { containers } }));
    const [, withCapacity] = (await qos({ pods, memoryCapacity: '16Gi', output: 'table' })).stdout.split(
      '\n',
    );
    expect(withCapacity).toBe(
      'default/evil\\u001b[2J  Burstable  1500m     4Gi      -         0  no        750 to 999',
    );
    const [, without] = (await qos({ pods, output: 'table' })).stdout.split('\n');
    expect(without).toBe('default/evil\\u001b[2J  Burstable  1500m     4Gi      -         0  no          -');
  });
});

describe('which pods qos lists', () => {
  it('are those of the node that is named, by --node-name or by --node', async () => {
    expect(await podNames({ pods: SHOP, nodeName: 'shelf-2' })).toEqual(['sweep-28123']);
    expect(await podNames({ pods: SHOP, node: SHELF })).toEqual(['front', 'till']);
    expect(await podNames({ pods: SHOP, node: SHELF, nodeName: 'shelf-2' })).toEqual(['sweep-28123']);
  });

  it('are none of a node that no pod names, with a warning', async () => {
    const io = await qos({ pods: SHOP, nodeName: 'shelf-9' });
    expect(io.warnings).toEqual(['no pod is on node shelf-9; the pods are on shelf-1, shelf-2']);
  });

  it('are not a mirror beside its static pod', async () => {
    const hash = { 'kubernetes.io/config.hash': 'abc', 'kubernetes.io/config.source': 'file' };
    const mirror = { ...hash, 'kubernetes.io/config.mirror': 'abc' };
    const pods = listOf(
      podDocument({ name: 'etcd', metadata: { uid: 'api', annotations: mirror } }),
      podDocument({ name: 'etcd', metadata: { uid: 'abc', annotations: hash } }),
    );
    expect((await report({ pods })).pods.map(({ uid }) => uid)).toEqual(['abc']);
  });

  it('are refused with 65 where a UID is doubled', async () => {
    const pods = listOf(
      podDocument({ name: 'a', metadata: { uid: 'u' } }),
      podDocument({ name: 'b', metadata: { uid: 'u' } }),
    );
    expect(await refusal({ pods })).toEqual([
      65,
      'FOLDER/pods.json: the UID u occurs 2 times (default/a, default/b); each pod must be there once',
    ]);
  });

  it('have to be named', async () => {
    expect(await refusal({})).toEqual([
      64,
      'it is not known which pods run here: give --pods FILE (kubectl get pods -o yaml), dir:FOLDER, kubelet:URL, cri:SOCKET or api',
    ]);
  });
});

describe('where the pods come from when nobody names them', () => {
  const kubelet = (folder: string): string => {
    const path = join(folder, 'kubelet.yaml');
    const manifests = join(folder, 'manifests');
    mkdirSync(manifests);
    writeFileSync(join(manifests, 'a.json'), JSON.stringify(podDocument({ name: 'from-manifest' })));
    writeFileSync(
      path,
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nstaticPodPath: /manifests\n',
    );
    return path;
  };

  it("the static pods' folder of the configuration", async () => {
    const root = mkdtempSync(join(tmpdir(), 'nodeqos-qos-root-'));
    mkdirSync(join(root, 'sys/fs/cgroup'), { recursive: true });
    writeFileSync(join(root, 'sys/fs/cgroup/cgroup.controllers'), 'memory\n');
    const named = await podNames({ root, offline: false, kubeletConfig: kubelet(root) });
    rmSync(root, { recursive: true });
    expect(named).toEqual(['from-manifest']);
  });

  it('a configuration that is named and refused ends it, though the pods are named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-qos-config-'));
    writeFileSync(join(folder, 'k.yaml'), 'kind: KubeletConfiguration\n');
    const kubeletConfig = join(folder, 'k.yaml');
    const refused = (await refusal({ pods: SHOP, kubeletConfig })) as readonly unknown[];
    rmSync(folder, { recursive: true });
    expect(refused[0]).toBe(65);
  });
});

describe('the capacity that oom_score_adj is made from', () => {
  async function score(args: Partial<QosArguments>): Promise<unknown> {
    const resources = { requests: { memory: '1Gi', cpu: 1 } };
    const pods = listOf(podDocument({ spec: { containers: [{ name: 'a', resources }] } }));
    const [pod] = (await report({ pods, ...args })).pods;
    return (pod?.['containers'] as { oomScoreAdj: unknown }[])[0]?.oomScoreAdj;
  }

  it('comes from --memory-capacity, then from --node, and is not known without', async () => {
    expect(await score({ memoryCapacity: '2Gi', node: SHELF })).toBe(500);
    expect(await score({ node: SHELF })).toBe(938);
    expect(await score({})).toBeNull();
  });

  it("comes from the root's meminfo, unless that is not to be looked at or has none", async () => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'proc'), { recursive: true });
    expect(await score({ root, offline: false })).toBeNull();
    writeFileSync(join(root, 'proc/meminfo'), 'MemTotal:        4194304 kB\nMemFree: 1 kB\n');
    expect(await score({ root, offline: false })).toBe(750);
    expect(await score({ root, offline: true })).toBeNull();
    writeFileSync(join(root, 'proc/meminfo'), 'MemTotal:        0 kB\n');
    expect(await score({ root, offline: false })).toBeNull();
  });

  it('is refused with 64 where it is no capacity', async () => {
    expect(await refusal({ pods: SHOP, memoryCapacity: '0' })).toEqual([
      64,
      '--memory-capacity 0: a capacity is above 0, such as 16Gi',
    ]);
  });
});
