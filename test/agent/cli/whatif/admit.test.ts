import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const pod = (name: string, memory: string, spec: object = {}, status: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name },
  spec: {
    containers: [{ name: 'c', resources: { requests: { memory } } }],
    resourceClaims: [{ name: 'gpu' }],
    ...spec,
  },
  status,
});
const node = (more: object = {}) => ({
  kind: 'Node',
  metadata: { name: 'n1' },
  status: { allocatable: { memory: '1000', pods: 9 } },
  ...more,
});
const CRITICAL_CLASS = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'system-node-critical' },
  value: 2_000_001_000,
};

let files: NodeFolder;
beforeAll(() => {
  const json: Readonly<Record<string, unknown>> = {
    'node.json': node(),
    'tainted.json': node({ spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } }),
    'silent.json': node({ status: {} }),
    'uncounted.json': node({ status: { allocatable: { memory: '1000' } } }),
    'pods.json': { kind: 'PodList', items: [pod('a', '600', { nodeName: 'n1', priority: 5 })] },
    'small.json': pod('new', '400'),
    'large.json': pod('new', '500', { tolerations: [{ operator: 'Gt' }] }),
    'critical.json': {
      kind: 'List',
      items: [CRITICAL_CLASS, pod('new', '500', { priorityClassName: 'system-node-critical' })],
    },
    'two.json': { kind: 'List', items: [pod('x', '1'), pod('y', '1')] },
    'list.json': [],
    'none.json': { kind: 'List', items: [CRITICAL_CLASS] },
    'ended.json': pod('new', '1', {}, { phase: 'Succeeded' }),
  };
  files = new NodeFolder(
    {},
    Object.fromEntries(Object.entries(json).map(([name, value]) => [name, JSON.stringify(value)])),
  );
});
afterAll(() => {
  files.remove();
});

async function admit(podFile: string, nodeFile = 'node.json', ...args: readonly string[]) {
  const io = new RecordingIo();
  const places = [
    '--pod',
    files.path(podFile),
    '--node',
    files.path(nodeFile),
    '--pods',
    files.path('pods.json'),
  ];
  const status = await runProgram(['admit', ...places, ...args], io);
  return { status, io, stderr: io.stderr.replaceAll(files.root, 'NODE') };
}

describe('admit', () => {
  it('lets a pod in that fits', async () => {
    const { status, io } = await admit('small.json', 'node.json', '-o', 'json');
    expect(status).toBe(0);
    expect(JSON.parse(io.stdout)).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'Admission',
      namespace: 'shop',
      name: 'new',
      node: 'n1',
      admit: true,
      reason: null,
      message: null,
      preempts: [],
      notModelled: ['resource claims'],
      warnings: [],
    });
  });
  it('refuses one that does not fit: 1', async () => {
    const { status, io } = await admit('large.json');
    expect([status, io.stdout]).toEqual([
      1,
      "Pod shop/new would be refused on node n1: OutOfmemory. Node didn't have enough resource: memory,\n  requested: 500, used: 600, capacity: 1000\nNot looked at, though the pod uses it: resource claims\n",
    ]);
    expect(io.warnings).toEqual([
      'pod shop/new: its toleration of every key has no key and another operator than Exists, which the API refuses; it is taken as one of every key: write Exists or a key',
    ]);
  });
  it('names whom the kubelet ends for a critical one, whose priority comes from its class', async () => {
    const { status, io } = await admit('critical.json');
    expect([status, io.stdout]).toEqual([
      0,
      'Pod shop/new would be let in on node n1.\nNot looked at, though the pod uses it: resource claims\n\nFor it would be ended, within its own grace period:\nPOD     CLASS      PRIORITY\nshop/a  Burstable         5\n',
    ]);
    const { io: json } = await admit('critical.json', 'node.json', '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      admit: true,
      preempts: [{ namespace: 'shop', name: 'a', uid: null, qosClass: 'Burstable', priority: 5 }],
    });
  });
  it('vZ10: a static pod passes a NoExecute taint, another one does not', async () => {
    const refused = await admit('small.json', 'tainted.json');
    expect([refused.status, refused.io.stdout]).toEqual([
      1,
      "Pod shop/new would be refused on node n1: TaintToleration. Predicate TaintToleration failed: node(s)\n  had taints that the pod didn't tolerate\nNot looked at, though the pod uses it: resource claims\n",
    ]);
    expect((await admit('small.json', 'tainted.json', '--static')).status).toBe(0);
  });
  it('lets nobody in where the node states no resources, and says why', async () => {
    const { status, io } = await admit('large.json', 'silent.json', '-o', 'json');
    expect([status, JSON.parse(io.stdout)]).toMatchObject([1, { admit: false, reason: 'OutOfmemory' }]);
    expect(io.warnings).toContain(
      'node n1: neither status.allocatable nor status.capacity is given, so that nothing is known to fit',
    );
  });
  it('says so where the node does not state how many pods it takes', async () => {
    const { status, io } = await admit('small.json', 'uncounted.json');
    expect([status, io.warnings]).toEqual([
      0,
      ['node n1: it is not given how many pods there may be, so that any number of them is taken to fit'],
    ]);
  });
  it.each(['pod', 'node', 'pods'])('--%s given twice: 64', async (option) => {
    const { status, stderr } = await admit('small.json', 'node.json', `--${option}`, 'again');
    expect([status, stderr]).toEqual([
      64,
      `nodeqos: --${option} is given 2 times; give it once, and ask again for the other; see nodeqos --help\n`,
    ]);
  });
  it.each<[string, string, string]>([
    [
      'two pods',
      'two.json',
      'NODE/two.json: the file holds 2 pods, and one is wanted; give the one that is meant',
    ],
    [
      'no pod',
      'none.json',
      'NODE/none.json: the file holds 0 pods, and one is wanted; give the one that is meant',
    ],
    [
      'a pod that has ended',
      'ended.json',
      'NODE/ended.json: pod shop/new has ended; give one that is still to be let in',
    ],
  ])('%s: 65', async (_what, file, sentence) => {
    const { status, stderr } = await admit(file);
    expect([status, stderr]).toEqual([65, `nodeqos: ${sentence}\n`]);
  });
  it('needs a pod, a node and pods: 64', async () => {
    const io = new RecordingIo();
    expect(await runProgram(['admit'], io)).toBe(64);
    expect(io.stderr).toBe('nodeqos: missing: --pod, --node, --pods; see nodeqos --help\n');
  });
});

it('asks for a pod, not for a snapshot, where the file holds something else', async () => {
  const { status, stderr } = await admit('list.json');
  expect([status, stderr]).toEqual([
    65,
    'nodeqos: NODE/list.json:1:1: expected a map, found a list; a pod is what this prints: kubectl get pod NAME -o json\n',
  ]);
});
