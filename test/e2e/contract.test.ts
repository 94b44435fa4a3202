import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CommandInputs } from '../fakes/command-inputs.ts';
import { nodeqos } from './binary.ts';
import { brokenPromises, type DOCUMENTS, promisedOrder } from './contract-shapes.ts';

type Command = keyof typeof DOCUMENTS;

const files = new CommandInputs();
const folder = files.folder;
const path = (name: string): string => join(folder, name);
afterAll(() => {
  files.remove();
});

const PODS = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: db, namespace: prod, uid: 11111111-1111-1111-1111-111111111111}
  spec:
    nodeName: n1
    containers:
    - {name: main, resources: {limits: {cpu: 500m, memory: 1Gi}}}
  status: {phase: Running, qosClass: Guaranteed}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: prod, uid: 22222222-2222-2222-2222-222222222222}
  spec:
    nodeName: n1
    priority: -7
    overhead: {memory: 8Mi}
    tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]
    initContainers:
    - {name: setup, resources: {requests: {memory: 300Mi}}}
    - {name: proxy, restartPolicy: Always, resources: {requests: {memory: 32Mi}, limits: {memory: 64Mi}}}
    containers:
    - {name: main, resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 512Mi}}}
    ephemeralContainers: [{name: debug}]
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: job, namespace: prod, uid: 33333333-3333-3333-3333-333333333333}
  spec: {nodeName: n1, priority: 2000000000, containers: [{name: main}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: unnamed, namespace: prod}
  spec: {nodeName: n1, containers: [{name: main}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: prod, uid: 44444444-4444-4444-4444-444444444444}
  spec: {nodeName: n1, containers: [{name: main}]}
  status: {phase: Succeeded}
`;

const KUBELET = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
memoryThrottlingFactor: 0.9
memoryReservationPolicy: TieredReservation
kubeReserved: {memory: 1.5Gi, cpu: "0.07"}
evictionHard: {memory.available: 15Gi, pid.available: 10%}
evictionSoft: {memory.available: 15.5Gi}
evictionSoftGracePeriod: {memory.available: 1m30s}
evictionMinimumReclaim: {memory.available: 200%}
staticPodPath: /etc/kubernetes/manifests
`;

const NODE = `apiVersion: v1
kind: Node
metadata: {name: n1}
spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}, {key: a, value: b, effect: PreferNoSchedule}]}
status: {capacity: {memory: 16Gi}, allocatable: {memory: 14Gi}}
`;

const SUMMARY = {
  node: {
    memory: { time: '2030-01-01T00:00:00Z', availableBytes: 8589934592, workingSetBytes: 8589934592 },
    rlimit: { time: '2030-01-01T00:00:00Z', maxpid: 32768, curproc: 400 },
    fs: { availableBytes: 1000, capacityBytes: 9000, inodesFree: 10, inodes: 20 },
  },
  pods: [
    {
      podRef: { name: 'web', namespace: 'prod', uid: '22222222-2222-2222-2222-222222222222' },
      memory: { workingSetBytes: 500000001 },
      process_stats: { process_count: 7 },
      containers: [
        { name: 'main', rootfs: { usedBytes: 10, inodesUsed: 3 }, logs: { usedBytes: 5, inodesUsed: 1 } },
      ],
    },
  ],
};

beforeAll(() => {
  for (const [name, content] of Object.entries({
    'pods.yaml': PODS,
    'kubelet.yaml': KUBELET,
    'wrong.yaml': `${KUBELET}cgroupRoot: 5\n`,
    'node.yaml': NODE,
    'summary.json': JSON.stringify(SUMMARY),
  })) {
    writeFileSync(path(name), content);
  }
  const built = nodeqos([
    'fake-tree',
    '--pods',
    path('pods.yaml'),
    '--dir',
    path('node'),
    '--driver',
    'systemd',
  ]);
  expect([built.status, built.stderr]).toEqual([0, '']);
});

const inputs = (): readonly string[] => [
  '--kubelet-config',
  path('kubelet.yaml'),
  '--pods',
  path('pods.yaml'),
];
const onNode = (): readonly string[] => [
  '--root',
  path('node'),
  '--kubelet-config',
  path('kubelet.yaml'),
  '--pods',
  path('node/pods.json'),
];
const offline = (): readonly string[] => [...inputs(), '--offline', '--memory-capacity', '16Gi'];
const bySummary = (): readonly string[] => [
  ...inputs(),
  '--offline',
  '--stats',
  `summary:${path('summary.json')}`,
];
const justOffline = (): readonly string[] => ['--offline', '--pods', path('pods.yaml')];
const config = (name: string) => (): readonly string[] => ['--kubelet-config', path(name)];

interface Run {
  readonly command: Command;
  readonly more?: readonly string[];
  readonly args: () => readonly string[];
  readonly status?: number;
}

/** In this order: the last two write. */
const RUNS: readonly (readonly [string, Run])[] = [
  ['doctor', { command: 'doctor', args: () => ['--root', path('node')] }],
  [
    'doctor with a Node',
    { command: 'doctor', args: () => ['--root', path('node'), '--node', path('node.yaml')] },
  ],
  ['check', { command: 'check', args: config('kubelet.yaml') }],
  ['check of the defaults', { command: 'check', args: () => ['--root', path('node')] }],
  ['check of a configuration that is refused', { command: 'check', args: config('wrong.yaml'), status: 1 }],
  ['qos', { command: 'qos', args: offline }],
  ['qos without a capacity', { command: 'qos', args: justOffline }],
  ['plan on a node', { command: 'plan', args: onNode }],
  ['plan offline', { command: 'plan', args: offline }],
  [
    'plan for a Node',
    { command: 'plan', args: () => [...inputs(), '--offline', '--node', path('node.yaml')] },
  ],
  ['plan without a capacity', { command: 'plan', args: justOffline }],
  ['plan, safe', { command: 'plan', more: ['--protection', 'safe'], args: onNode }],
  ['rank', { command: 'rank', args: onNode }],
  ['rank by a summary', { command: 'rank', args: bySummary }],
  ['rank of processes', { command: 'rank', more: ['--signal', 'pid.available'], args: bySummary }],
  ['rank of disk', { command: 'rank', more: ['--signal', 'imagefs.available'], args: bySummary }],
  [
    'rank of inodes',
    { command: 'rank', more: ['--signal', 'nodefs.inodesFree', '--compat', 'kubelet'], args: bySummary },
  ],
  ['rank of nobody known', { command: 'rank', args: justOffline }],
  ['status', { command: 'status', args: onNode }],
  ['status by a summary', { command: 'status', args: bySummary }],
  ['status of nothing known', { command: 'status', args: justOffline }],
  ['explain', { command: 'explain', more: ['prod/web'], args: onNode }],
  [
    'explain with a Node',
    { command: 'explain', more: ['prod/web'], args: () => [...onNode(), '--node', path('node.yaml')] },
  ],
  ['explain without a UID', { command: 'explain', more: ['prod/unnamed'], args: onNode }],
  ['explain offline', { command: 'explain', more: ['prod/db'], args: offline }],
  ['apply', { command: 'apply', args: onNode }],
  ['reset', { command: 'reset', args: () => ['--root', path('node')] }],
];

describe('documents are what is promised', () => {
  it.each(RUNS)('%s', (_name, { command, more = [], args, status = 0 }) => {
    const all = [command, ...more, ...args()];
    const json = nodeqos([...all, '-o', 'json']);
    expect([
      json.status,
      json.stderr.split('\n').filter((line) => !/^(warning: |error: |$)/.test(line)),
    ]).toEqual([status, []]);
    const document = JSON.parse(json.stdout) as Record<string, unknown>;
    expect(brokenPromises(command, document)).toEqual([]);
    const order = promisedOrder(command, document);
    expect(Object.keys(document).filter((name) => order.includes(name))).toEqual(order);
    expect(json.stdout.startsWith('{\n  "apiVersion": "nodeqos.dev/v1alpha1",\n  "kind": "')).toBe(true);
    if (command !== 'apply' && command !== 'reset') {
      expect(parse(nodeqos([...all, '-o', 'yaml']).stdout)).toEqual(document);
    }
  });
});

describe('status of each end', () => {
  it.each<[string, () => readonly string[], number]>([
    ['help', () => ['--help'], 0],
    ['version', () => ['--version'], 0],
    ['no command', () => [], 64],
    ['an unknown command', () => ['plann'], 64],
    ['an unknown option', () => ['plan', '--nope'], 64],
    ['an unknown output', () => ['plan', ...offline(), '-o', 'xml'], 64],
    ['an unknown signal', () => ['rank', ...justOffline(), '--signal', 'swap.available'], 64],
    ['a factor of 0', () => ['plan', ...offline(), '--throttling-factor', '0'], 64],
    ['a factor above 1', () => ['plan', ...offline(), '--throttling-factor', '1.01'], 64],
    ['an unknown policy', () => ['plan', ...offline(), '--reservation-policy', 'Some'], 64],
    ['an unknown protection', () => ['plan', ...offline(), '--protection', 'none'], 64],
    ['a page that is no power of two', () => ['plan', ...offline(), '--page-size', '5000'], 64],
    ['a capacity that is no amount', () => ['plan', ...justOffline(), '--memory-capacity', '1GB'], 64],
    ['a capacity of 0', () => ['plan', ...justOffline(), '--memory-capacity', '0'], 64],
    ['no capacity where a container has no limit', () => ['plan', ...inputs(), '--offline'], 64],
    ['to apply offline', () => ['apply', ...offline()], 64],
    ['a pod that is not there', () => ['explain', 'prod/none', ...offline()], 65],
    [
      'a configuration that is refused',
      () => ['plan', ...justOffline(), '--kubelet-config', path('wrong.yaml')],
      65,
    ],
    [
      'a configuration that is no YAML, in check',
      () => ['check', '--kubelet-config', path('summary.json')],
      1,
    ],
    [
      'a summary that is none',
      () => ['rank', ...justOffline(), '--stats', `summary:${path('pods.yaml')}`],
      65,
    ],
    ['a Node that is none', () => ['plan', ...offline(), '--node', path('pods.yaml')], 65],
    ['no such pods', () => ['qos', '--offline', '--pods', path('none')], 66],
    ['no such configuration', () => ['check', '--kubelet-config', path('none')], 66],
    ['no such summary', () => ['rank', ...justOffline(), '--stats', `summary:${path('none')}`], 66],
    ['no such Node', () => ['plan', ...offline(), '--node', path('none')], 66],
    ['a root without cgroup v2', () => ['plan', '--root', folder, ...inputs()], 69],
    [
      'pods from a kubelet that nobody can ask',
      () => ['qos', '--offline', '--pods', 'kubelet:http://127.0.0.1:1'],
      69,
    ],
    ['something to write', () => ['plan', '--check', ...onNode()], 1],
    [
      'nothing to write',
      () => ['plan', '--check', '--root', path('node'), '--pods', path('node/pods.json')],
      0,
    ],
  ])('%s', async (_name, args, status) => {
    const run = await files.run(args());
    expect([run.ended, run.stderr.includes('    at ')]).toEqual([status, false]);
    if (status > 1) {
      expect(run.stdout).toBe('');
      expect(run.stderr.split('\n').filter((line) => line.startsWith('nodeqos: '))).toHaveLength(1);
    }
  });
});

interface Plan {
  readonly node: Readonly<Record<string, unknown>>;
  readonly policy: Readonly<Record<string, unknown>>;
  readonly warnings: readonly { readonly code: string }[];
  readonly entries: readonly {
    readonly pod: string | null;
    readonly container: string | null;
    readonly file: string;
    readonly desired: string;
  }[];
}

describe('what wins over what', () => {
  const plan = async (...args: readonly string[]): Promise<Plan> => {
    return (await files.document(['plan', ...args])) as unknown as Plan;
  };

  it('the command line over both configurations, nodeqos.yaml over the kubelet', async () => {
    writeFileSync(
      path('nodeqos.yaml'),
      'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nmemoryQos: {throttlingFactor: 0.8, reservationPolicy: None, protection: safe}\n',
    );
    const own = ['--config', path('nodeqos.yaml')];
    expect((await plan(...offline())).policy).toEqual({
      memoryThrottlingFactor: 0.9,
      memoryReservationPolicy: 'TieredReservation',
      protection: 'kubelet',
    });
    expect((await plan(...offline(), ...own)).policy).toEqual({
      memoryThrottlingFactor: 0.8,
      memoryReservationPolicy: 'None',
      protection: 'safe',
    });
    const whatIf = [
      '--throttling-factor',
      '0.7',
      '--reservation-policy',
      'TieredReservation',
      '--protection',
      'kubelet',
    ];
    expect((await plan(...offline(), ...own, ...whatIf)).policy).toEqual({
      memoryThrottlingFactor: 0.7,
      memoryReservationPolicy: 'TieredReservation',
      protection: 'kubelet',
    });
  });

  it("a Node gives the capacity and its own allocatable; --memory-capacity wins over the Node's", async () => {
    const node = ['--node', path('node.yaml')];
    expect((await plan(...inputs(), '--offline', ...node)).node).toEqual({
      memoryCapacityBytes: 17179869184,
      memoryAllocatableBytes: 15569256448,
      statusAllocatableBytes: 15032385536,
      pageSizeBytes: 4096,
      cgroupDriver: 'cgroupfs',
    });
    const both = await plan(
      ...inputs(),
      '--offline',
      ...node,
      '--memory-capacity',
      '8Gi',
      '--page-size',
      '65536',
    );
    expect([
      both.node['memoryCapacityBytes'],
      both.node['memoryAllocatableBytes'],
      both.node['pageSizeBytes'],
    ]).toEqual([...[8589934592, 6979321856, 65536]]);
    expect(
      both.entries.filter(({ desired }) => desired !== 'max' && BigInt(desired) % 65536n !== 0n),
    ).toEqual([]);
  });

  it('--cgroup-driver over the tree, with a warning; the tree over the configuration', async () => {
    expect((await plan(...onNode())).node['cgroupDriver']).toBe('systemd');
    const forced = await plan(...onNode(), '--cgroup-driver', 'cgroupfs');
    expect(forced.node['cgroupDriver']).toBe('cgroupfs');
    expect(forced.warnings.map(({ code }) => code)).toContain('cgroup-driver-disagreement');
    expect((await plan(...onNode(), '--cgroup-driver', 'auto')).node['cgroupDriver']).toBe('systemd');
  });

  it('--protection safe holds memory.min of a Guaranteed container below its limit', async () => {
    const min = (made: Plan): readonly string[] =>
      made.entries
        .filter(({ pod, container, file }) => pod === 'db' && container === 'main' && file === 'memory.min')
        .map(({ desired }) => desired);
    expect([min(await plan(...offline())), min(await plan(...offline(), '--protection', 'safe'))]).toEqual([
      ['1073741824'],
      ['966365184'],
    ]);
  });

  it('the node whose pods are meant: by --node-name, else by the Node', async () => {
    const two = PODS.replace('nodeName: n1, priority: 2000000000', 'nodeName: n2, priority: 2000000000');
    writeFileSync(path('two.yaml'), two);
    const args = ['--offline', '--pods', path('two.yaml')];
    const podsOf = (made: Plan): readonly (string | null)[] =>
      [...new Set(made.entries.map(({ pod }) => pod))].toSorted();
    expect((await files.run(['plan', ...args])).ended).toBe(65);
    expect(podsOf(await plan(...args, '--node-name', 'n2'))).toEqual(['job', null]);
    expect(podsOf(await plan(...args, '--node', path('node.yaml')))).toEqual(['db', null, 'unnamed', 'web']);
    expect(podsOf(await plan(...args, '--node', path('node.yaml'), '--node-name', 'n2'))).toEqual([
      'job',
      null,
    ]);
  });
});
