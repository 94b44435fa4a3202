import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const taint = (key: string, effect: string, value = '') => ({ key, value, effect });
const NOT_READY = 'node.kubernetes.io/not-ready';

const NODE = {
  kind: 'Node',
  metadata: { name: 'n1' },
  spec: { taints: [taint('team', 'NoSchedule', 'a'), { key: NOT_READY, effect: 'NoExecute' }] },
  status: { conditions: [{ type: 'Ready', status: 'False' }] },
};
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Pod',
  metadata: { namespace: 'shop', name, ...metadata },
  spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
});
const PODS = [
  pod('plain'),
  pod(
    'daemon',
    { tolerations: [{ operator: 'In' }] },
    { ownerReferences: [{ kind: 'DaemonSet', controller: true }] },
  ),
  pod('guest', {
    tolerations: [
      { operator: 'Exists', effect: 'NoSchedule' },
      { key: NOT_READY, operator: 'Exists', tolerationSeconds: 60 },
    ],
  }),
  pod('elsewhere', { nodeName: 'n2' }),
];

const DEVICES = [
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    spec: {
      driver: 'gpu',
      pool: { name: 'p' },
      nodeName: 'n1',
      devices: [
        { name: 'a', taints: [{ key: 'hot', effect: 'NoExecute', timeAdded: '2026-03-01T10:00:00Z' }] },
      ],
    },
  },
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { namespace: 'shop', name: 'claim' },
    status: {
      allocation: { devices: { results: [{ driver: 'gpu', pool: 'p', device: 'a' }] } },
      reservedFor: [{ resource: 'pods', name: 'plain', uid: '' }],
    },
  },
];

let files: NodeFolder;
beforeAll(() => {
  files = new NodeFolder(
    {},
    {
      'node.json': JSON.stringify(NODE),
      'calm.json': JSON.stringify({ kind: 'Node', metadata: { name: 'calm' } }),
      'devices.json': JSON.stringify({ kind: 'List', items: DEVICES }),
      'pods.json': JSON.stringify({ kind: 'PodList', items: PODS }),
    },
  );
});
afterAll(() => {
  files.remove();
});

async function taints(...args: readonly string[]) {
  const io = new RecordingIo();
  const status = await runProgram(['taints', '--node', files.path('node.json'), ...args], io);
  return { status, io };
}
const withPods = (...args: readonly string[]) => taints('--pods', files.path('pods.json'), ...args);

interface Report {
  readonly taints: unknown;
  readonly pods: readonly {
    readonly name: string;
    readonly noExecute: string;
    readonly evictAfterSeconds: number | null;
  }[];
  readonly warnings: readonly { readonly code: string }[];
}
const reportOf = ({ io }: Awaited<ReturnType<typeof taints>>) => JSON.parse(io.stdout) as Report;
const outcomes = (report: Report) =>
  report.pods.map(({ name, noExecute, evictAfterSeconds }) => [name, noExecute, evictAfterSeconds]);

describe('taints', () => {
  it('shows a report of the node and of its pods', async () => {
    const { status, io } = await withPods('-o', 'json');
    expect(status).toBe(0);
    expect(io.warnings).toEqual([
      'pod shop/daemon: its toleration of every key has the operator "In", which matches nothing; there are Exists, Equal, Gt and Lt',
      'pod shop/guest: its toleration of node.kubernetes.io/not-ready has tolerationSeconds and no effect, which the API refuses; it is taken as one of every effect, and the seconds count for NoExecute: write that effect',
    ]);
    expect(JSON.parse(io.stdout)).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'TaintReport',
      node: 'n1',
      taints: [taint('team', 'NoSchedule', 'a'), taint(NOT_READY, 'NoExecute')],
      expectedByCondition: [taint(NOT_READY, 'NoSchedule'), taint(NOT_READY, 'NoExecute')],
      drift: { missing: [taint(NOT_READY, 'NoSchedule')], unexpected: [] },
      pods: [
        ...['plain', 'daemon'].map((name) => ({
          namespace: 'shop',
          name,
          schedulable: false,
          firstUntolerated: taint('team', 'NoSchedule', 'a'),
          preferNoScheduleCount: 0,
          noExecute: 'evict-now',
          evictAfterSeconds: null,
          decidedBy: { taint: taint(NOT_READY, 'NoExecute'), toleration: null },
        })),
        {
          namespace: 'shop',
          name: 'guest',
          schedulable: true,
          firstUntolerated: null,
          preferNoScheduleCount: 0,
          noExecute: 'evict-after',
          evictAfterSeconds: 60,
          decidedBy: {
            taint: taint(NOT_READY, 'NoExecute'),
            toleration: { key: NOT_READY, operator: 'Exists', tolerationSeconds: 60 },
          },
        },
      ],
      warnings: [
        expect.objectContaining({ code: 'unknown-toleration-operator', pod: 'shop/daemon' }),
        expect.objectContaining({ code: 'toleration-seconds-without-effect', pod: 'shop/guest' }),
      ],
    });
  });
  it('adds the tolerations of a cluster where it is told to', async () => {
    expect(outcomes(reportOf(await withPods('-o', 'json', '--with-defaults')))).toEqual([
      ['plain', 'evict-after', 300],
      ['daemon', 'stay', null],
      ['guest', 'evict-after', 60],
    ]);
  });
  it('takes taints away before it adds others, in the order in which they are given', async () => {
    const edited = await withPods(
      ...['-o', 'json', '--add', 'team=b:NoSchedule', '--add', 'x:NoExecute', 'y=1:PreferNoSchedule'],
      ...['--remove', 'team=whatever:NoSchedule-', '--remove', NOT_READY],
    );
    const report = reportOf(edited);
    expect(report.taints).toEqual([
      taint('team', 'NoSchedule', 'b'),
      taint('x', 'NoExecute'),
      taint('y', 'PreferNoSchedule', '1'),
    ]);
    expect(outcomes(report)).toEqual([
      ['plain', 'evict-now', null],
      ['daemon', 'evict-now', null],
      ['guest', 'evict-now', null],
    ]);
  });
  it('tells of taints of devices from a snapshot', async () => {
    const { io } = await withPods('-o', 'json', '--snapshot', files.path('devices.json'));
    const hot = { key: 'hot', value: '', effect: 'NoExecute', timeAdded: '2026-03-01T10:00:00Z' };
    const name = { driver: 'gpu', pool: 'p', device: 'a' };
    expect(JSON.parse(io.stdout)).toMatchObject({
      devices: [{ ...name, taints: [hot], allocatable: false }],
      claims: [
        { namespace: 'shop', name: 'claim', reservable: false, firstUntolerated: { ...name, taint: hot } },
      ],
      devicePods: [
        {
          namespace: 'shop',
          name: 'plain',
          noExecute: 'evict',
          evictAt: '2026-03-01T10:00:00Z',
          evictAfterSeconds: 0,
          decidedBy: { ...name, claim: 'claim', taint: hot, toleration: null },
        },
      ],
    });
  });
  it('tells people of taints of devices', async () => {
    const { io } = await withPods('--snapshot', files.path('devices.json'));
    const rows = io.stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(rows.findIndex(([first]) => first === 'DEVICE'))).toEqual([
      ['DEVICE', 'ALLOCATABLE', 'TAINTS'],
      ['gpu/p/a', 'no', 'hot:NoExecute'],
      [''],
      ['CLAIM', 'RESERVABLE', 'BECAUSE OF'],
      ['shop/claim', 'no', 'hot:NoExecute of gpu/p/a'],
      [''],
      ['POD', 'STAYS', 'DECIDED BY'],
      ['shop/plain', 'until 2026-03-01T10:00:00Z', 'hot:NoExecute of gpu/p/a'],
      [''],
    ]);
    const none = await taints('--snapshot', files.path('pods.json'));
    expect(none.io.stdout).toContain('\nNo device has a taint.\n');
    expect(none.io.warnings).toEqual([
      `${files.path('pods.json')}: no ResourceSlice, ResourceClaim or DeviceTaintRule found; they are printed by: kubectl get resourceslices,resourceclaims,devicetaintrules -A -o yaml`,
    ]);
  });
  it.each([
    [1, '1 pod that no node has was left out; to ask for one, give its manifest without a status'],
    [2, '2 pods that no node has were left out; to ask for one, give its manifest without a status'],
  ])('leaves out pods that no node has, and says so: %i', async (count, message) => {
    const waiting = ['one', 'two'].slice(0, count).map((name) => ({
      ...pod(name, { nodeName: null }, { uid: name }),
      status: { phase: 'Pending' },
    }));
    files.write({ 'waiting.json': JSON.stringify({ kind: 'PodList', items: [pod('there'), ...waiting] }) });
    const { io } = await taints('--pods', files.path('waiting.json'), '-o', 'json');
    const { pods, warnings } = JSON.parse(io.stdout) as Report;
    expect([pods.map(({ name }) => name), warnings.map(({ code }) => code)]).toEqual([
      ['there'],
      ['pods-without-node'],
    ]);
    expect(io.warnings).toEqual([message]);
  });
  it('needs no pods', async () => {
    const { status, io } = await taints();
    expect([status, io.stdout]).toEqual([
      0,
      `Taints of node n1:\n  team=a:NoSchedule\n  ${NOT_READY}:NoExecute\nMissing, by its conditions: ${NOT_READY}:NoSchedule\n`,
    ]);
  });
  it('says it to people', async () => {
    const { io } = await withPods('--add', 'soft:PreferNoSchedule', '--remove', 'team');
    expect(io.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['Taints of node n1:'],
      ['', 'soft:PreferNoSchedule'],
      ['', `${NOT_READY}:NoExecute`],
      [`Missing, by its conditions: ${NOT_READY}:NoSchedule`],
      [''],
      ['POD', 'SCHEDULABLE', 'AVOIDED', 'STAYS', 'DECIDED BY'],
      ['shop/plain', `no: ${NOT_READY}:NoExecute`, '1', 'no: evicted at once', `${NOT_READY}:NoExecute`],
      ['shop/daemon', `no: ${NOT_READY}:NoExecute`, '1', 'no: evicted at once', `${NOT_READY}:NoExecute`],
      ['shop/guest', 'yes', '1', 'for 60 s', `${NOT_READY}:NoExecute, ${NOT_READY} Exists 60 s`],
      [''],
    ]);
    const calm = await taints('--node', files.path('calm.json'), '--pods', files.path('pods.json'));
    expect(calm.io.stdout).toBe('Node calm has no taints.\n');
    expect(calm.io.warnings).toContain('no pod is on node calm; the pods are on n1, n2');
  });
  it.each<[string, readonly string[], number, string]>([
    [
      'vK4',
      ['--add', 'key1'],
      64,
      '--add: "key1" has no effect, which a taint needs; write key=value:NoSchedule or key:NoSchedule',
    ],
    [
      'vK10',
      ['--add', 'a:NoSchedule', '--add', 'a=v:NoSchedule'],
      64,
      '--add: a:NoSchedule is given twice; a node has a key once with an effect',
    ],
    [
      'vK6 as a removal',
      ['--remove', 'a:b:NoSchedule'],
      64,
      '--remove: "a:b:NoSchedule" is no taint: it has more than one colon',
    ],
    ['vK11', ['--remove', 'team:NoExecute'], 65, 'NODE/node.json: taint "team:NoExecute" not found'],
    [
      'one that exists',
      ['--add', 'team:NoSchedule'],
      65,
      'NODE/node.json: the node already has a taint team:NoSchedule; remove it too if its value is to change',
    ],
    ['an empty one', ['--add', ''], 64, '--add is empty; give a value or leave it out'],
    ['one without a value', ['--add'], 64, '--add needs a value; see nodeqos --help'],
  ])('%s is refused', async (_what, args, status, sentence) => {
    const answer = await taints(...args);
    expect([answer.status, answer.io.stderr.replaceAll(files.root, 'NODE')]).toEqual([
      status,
      `nodeqos: ${sentence}\n`,
    ]);
  });
  it('needs a node', async () => {
    const io = new RecordingIo();
    expect(await runProgram(['taints'], io)).toBe(64);
    expect(io.stderr).toBe('nodeqos: missing: --node; see nodeqos --help\n');
  });
});
