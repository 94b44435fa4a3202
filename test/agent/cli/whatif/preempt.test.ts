import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { budgetFor, nodeNamed, podNamed, timeText } from '../../../fakes/cluster.ts';
import { counted, job, roomy } from '../../../fakes/group-cluster.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const NODES = [roomy('n1', 2), roomy('n2', 1), roomy('n3', 1, { spec: { unschedulable: true } })];
const PODS = [
  counted('web', { node: 'n1', labels: { app: 'web' }, startedAt: 60 }),
  counted('batch', { node: 'n1', priority: 5, startedAt: 120 }),
  counted('cache', { node: 'n2', priority: 7 }),
];
const BUDGET = budgetFor('web', { app: 'web' }, 0);
const WAITING = [counted('p', { priority: 'high' }), ...job(2, 'high')];

let files: NodeFolder;
beforeAll(() => {
  const lists: Readonly<Record<string, readonly PlainRecord[]>> = {
    'all.json': [...NODES, ...PODS, BUDGET, ...WAITING],
    'nodes.json': NODES,
    'pods.json': [...PODS, ...WAITING],
    'critical.json': [
      nodeNamed('n1'),
      podNamed('small', { node: 'n1', requests: 'L', spec: { nodeName: 'n1' } }),
      podNamed('p', { priority: 2_000_000_000, requests: 'L' }),
    ],
    'gated.json': [
      roomy('n1', 1),
      counted('p', {
        spec: {
          schedulingGates: [{ name: 'quota' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } },
    ],
    'twice.json': [roomy('n1', 1), roomy('n1', 1)],
  };
  const texts = Object.entries(lists).map(([name, items]): [string, string] => [
    name,
    JSON.stringify({ kind: 'List', items }),
  ]);
  files = new NodeFolder({}, { ...Object.fromEntries(texts), 'empty.yaml': '' });
});
afterAll(() => {
  files.remove();
});

async function preempt(file: string, ...args: readonly string[]) {
  const io = new RecordingIo();
  const status = await runProgram(['preempt', '--snapshot', files.path(file), ...args], io);
  const clean = (text: string): string => text.replaceAll(files.root, 'NODE');
  return { status, stdout: io.stdout, stderr: clean(io.stderr), warnings: io.warnings.map(clean) };
}

describe('preempt for people', () => {
  it('says of a pod who goes, who stays and why, and what each node would cost', async () => {
    const { status, stdout } = await preempt('all.json', '--pod', 'default/p');
    expect(status).toBe(0);
    expect(stdout).toBe(`\
Pod default/p preempts: n1 is made free: its most important victim is of the lowest priority.

Who would go, most important first:
POD            NODE  PRIORITY  BUDGET
default/batch  n1           5  -

Who may stay, in the order in which it was tried:
POD          NODE  PRIORITY  WHY
default/web  n1           0  there is room beside it; its budget put it first

Nodes that can be made free:
NODE  VICTIMS  AGAINST BUDGETS  HIGHEST PRIORITY  SUM  RUN SINCE
n1          1                0                 5    5  ${timeText(120)}
n2          1                0                 7    7  -

Nodes that do not help:
  n3: its taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated: the end of other pods
  would not help
`);
  });

  it('says of a group where its members go, and that this is assumed', async () => {
    const { status, stdout } = await preempt('all.json', '--group', 'default/job');
    expect(status).toBe(0);
    expect(stdout).toBe(`\
Group default/job preempts: room is made for 2 members of PodGroup default/job, and 2 pods go;
  placement assumed: first fit in name order of nodes.

Who would go, most important first:
POD            NODE  PRIORITY  BUDGET
default/batch  n1           5  -
default/web    n1           0  broken

Where the members go:
POD         NODE
default/m1  n1
default/m2  n1

Nodes that take members:
NODE  VICTIMS  AGAINST BUDGETS  HIGHEST PRIORITY  SUM  RUN SINCE
n1          2                1                 5    5  ${timeText(120)}

Nodes that do not help:
  n2: no member goes there, and its pods may stay
  n3: no member goes there: its taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated
`);
  });

  it('takes a placement, and says who stays on all nodes that take members', async () => {
    const { status, stdout } = await preempt(
      'all.json',
      '--group',
      'default/job',
      '--placement',
      'm1=n1,m2=n2',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('\n  placement assumed: as it was given.\n');
    expect(stdout).toContain('default/m1  n1\ndefault/m2  n2\n');
    expect(stdout).toContain('default/web  n1           0  there is room beside it; its budget put it first');
  });

  it('says why a member of a group does not preempt alone', async () => {
    expect(await preempt('all.json', '--pod', 'default/m1')).toEqual({
      status: 1,
      stdout:
        'Pod default/m1 may not preempt: it belongs to the PodGroup default/job, which preempts as a whole;\n  ask with --group default/job.\n',
      stderr: '',
      warnings: [],
    });
  });

  it('says whom the kubelet of a node would end', async () => {
    const { status, stdout } = await preempt('critical.json', '--pod', 'default/p', '--kubelet', 'n1');
    expect(status).toBe(0);
    expect(stdout).toBe(`\
Pod default/p on node n1 preempts: the kubelet of n1 ends it within its own grace period, whatever
  budgets say.

Who would go, highest priority first:
POD            NODE  PRIORITY  BUDGET
default/small  n1           0  -

Nodes that can be made free:
NODE  VICTIMS  AGAINST BUDGETS  HIGHEST PRIORITY  SUM  RUN SINCE
n1          1                0                 0    0  -
`);
  });

  it('says what it did not look at, and what was left out', async () => {
    const { status, stdout, warnings } = await preempt('gated.json', '--pod', 'default/p');
    expect(status).toBe(1);
    expect(stdout).toBe(
      'Pod default/p may not preempt: its scheduling gates hold it back, and the scheduler does not look at\n  it.\nNot looked at, though it may matter: volumes\n',
    );
    expect(warnings).toEqual([
      'NODE/gated.json: 1 object was left out, for a plan does not look at such kinds (Secret)',
    ]);
  });
});

describe('preempt as a document', () => {
  it('of several files, with 1.36 semantics', async () => {
    const args = ['--snapshot', files.path('pods.json'), '--group', 'default/job', '--compat', '1.36'];
    const { status, stdout } = await preempt('nodes.json', ...args, '-o', 'json');
    expect(status).toBe(0);
    const { candidates, ...plan } = JSON.parse(stdout) as { candidates: { node: string }[] };
    expect(plan).toEqual({
      apiVersion: 'nodeqos.dev/v1alpha1',
      kind: 'PreemptionPlan',
      outcome: 'planned',
      reason:
        'room is made for 2 members of PodGroup default/job, and 2 pods go; placement assumed: first fit in name order of nodes',
      nominatedNode: null,
      tiedNodes: [],
      victims: [
        { namespace: 'default', name: 'batch', node: 'n1', priority: 5, violatesPdb: false },
        { namespace: 'default', name: 'web', node: 'n1', priority: 0, violatesPdb: false },
      ],
      placement: [
        { namespace: 'default', name: 'm1', node: 'n1' },
        { namespace: 'default', name: 'm2', node: 'n1' },
      ],
      notModelled: [],
      warnings: [],
    });
    expect(candidates.map(({ node }) => node)).toEqual(['n1', 'n2', 'n3']);
  });

  it('has status 0 where nothing is needed, and 1 where nothing helps', async () => {
    const outcome = async (...args: readonly string[]) => {
      const { status, stdout } = await preempt('nodes.json', ...args, '-o', 'json');
      return [status, (JSON.parse(stdout) as { outcome: string }).outcome];
    };
    const large = files.path('large.json');
    files.write({
      'large.json': JSON.stringify({
        kind: 'List',
        items: [counted('large', { cpu: 9 }), ...job(1, 'high')],
      }),
    });
    expect(await outcome('--snapshot', large, '--group', 'default/job')).toEqual([0, 'not-needed']);
    expect(await outcome('--snapshot', large, '--pod', 'default/large')).toEqual([1, 'no-candidate']);
  });
});

describe('what preempt refuses', () => {
  it.each([
    ['neither a pod nor a group', [], 'give either --pod or --group: who is looking for a place'],
    ['both', ['--pod', 'a/b', '--group', 'a/b'], 'give either --pod or --group: who is looking for a place'],
    ['a name without a namespace', ['--pod', 'p'], '--pod: "p" is not NAMESPACE/NAME'],
    ['an empty name', ['--group', 'a/'], '--group: "a/" is not NAMESPACE/NAME'],
    ['an empty namespace', ['--group', '/b'], '--group: "/b" is not NAMESPACE/NAME'],
    ['a name of three parts', ['--group', 'a/b/c'], '--group: "a/b/c" is not NAMESPACE/NAME'],
    [
      'a kubelet for a group',
      ['--group', 'a/b', '--kubelet', 'n1'],
      '--kubelet goes with --pod: a kubelet lets pods in one by one',
    ],
    [
      'a release for a kubelet',
      ['--pod', 'a/b', '--kubelet', 'n1', '--compat', '1.37'],
      '--compat is about the scheduler and does not go with --kubelet',
    ],
    [
      'a placement of a pod',
      ['--pod', 'a/b', '--placement', 'b=n1'],
      '--placement goes with --group: a single pod is tried on every node',
    ],
    ...['pod', 'group', 'kubelet', 'placement'].map((option): [string, readonly string[], string] => [
      `two of --${option}`,
      [`--${option}`, 'a/b', `--${option}`, 'a/c'],
      `--${option} is given 2 times; give it once, and ask again for the other; see nodeqos --help`,
    ]),
    [
      'a placement that is none',
      ['--group', 'a/b', '--placement', 'n1'],
      '--placement: "n1" is no place; write POD=NODE,POD=NODE',
    ],
  ])('%s', async (_, args, sentence) => {
    expect(await preempt('all.json', ...args)).toEqual({
      status: 64,
      stdout: '',
      stderr: `nodeqos: ${sentence}\n`,
      warnings: [],
    });
  });

  it.each([
    [
      'a pod that runs',
      'all.json',
      ['--pod', 'default/web'],
      /^nodeqos: NODE\/all\.json: pod default\/web is not pending: it is on node n1; name one that is\n$/,
    ],
    [
      'a group that is not there',
      'all.json',
      ['--group', 'default/x'],
      /^nodeqos: NODE\/all\.json: the snapshot holds no PodGroup or CompositePodGroup default\/x; name one that it holds\n$/,
    ],
    [
      'a node that is not there',
      'all.json',
      ['--pod', 'default/p', '--kubelet', 'n9'],
      /^nodeqos: NODE\/all\.json: the snapshot holds no node n9; name one that it holds\n$/,
    ],
    [
      'a snapshot without nodes',
      'pods.json',
      ['--group', 'default/job'],
      /^nodeqos: NODE\/pods\.json: the snapshot holds no Node, so nothing can be said; .*\n$/,
    ],
    [
      'a node that is there twice',
      'twice.json',
      ['--pod', 'default/p'],
      /^nodeqos: NODE\/twice\.json:.*Node n1: it is there twice; a snapshot of one moment holds each object once\n$/,
    ],
    [
      'an empty file',
      'empty.yaml',
      ['--pod', 'default/p'],
      /^nodeqos: NODE\/empty\.yaml: the file is empty; .*\n$/,
    ],
  ])('%s', async (_, file, args, sentence) => {
    const { status, stdout, stderr } = await preempt(file, ...args);
    expect([status, stdout]).toEqual([65, '']);
    expect(stderr).toMatch(sentence);
  });

  it('a file that is not there', async () => {
    const { status, stderr } = await preempt('none.json', '--pod', 'default/p');
    expect([status, stderr.split('\n').length]).toEqual([66, 2]);
  });
});
