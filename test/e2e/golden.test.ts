import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { nodeqos } from './binary.ts';
import { expectGolden } from './golden-file.ts';

/** What was run, what it said to people and to other programs, and how it ended; the node's folder is NODE. */
function transcript(args: readonly string[], root: string): string {
  const { status, stdout, stderr } = nodeqos(args);
  const said = stderr === '' ? '' : `--- stderr\n${stderr}`;
  return `$ nodeqos ${args.join(' ')}\n${stdout}${said}--- status ${status}\n`.replaceAll(root, 'NODE');
}

const COMMANDS =
  'doctor check qos plan apply reset rank status top run explain record replay preempt taints admit capture fake-tree demo'.split(
    ' ',
  );

describe('help that is printed', () => {
  it.each([[''], ...COMMANDS.map((name) => [name])])('nodeqos %s --help', (command) => {
    const args = [...(command === '' ? [] : [command]), '--help'];
    expectGolden(`help/${command === '' ? 'nodeqos' : command}.txt`, transcript(args, '/nowhere'));
  });
});

/** Lines are broken where the folder's name leaves room, so they are joined again. */
function report(args: readonly string[], root: string): string {
  return transcript(args, root)
    .replaceAll(/\n {17,}/g, ' ')
    .replaceAll(/\bv\d+\.\d+\.\d+/g, 'VERSION');
}

describe('a report on a node', () => {
  it('sound, under a broken configuration, and on a hybrid host', () => {
    const node = new FixtureNode();
    const args = ['doctor', '--root', node.root, '--node', node.path('node.yaml')];
    expectGolden('doctor.txt', report(args, node.root));
    expectGolden('doctor.json', report([...args, '-o', 'json'], node.root));
    const header = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';
    const broken = node.write('broken.yaml', `${header}mode: maybe\n`);
    expectGolden('doctor-broken.txt', report([...args, '--config', broken], node.root));
    const v1 = 'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n';
    node.write('proc/mounts', `${v1}cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n`);
    node.writeCgroup('cgroup.controllers', '\n');
    expectGolden('doctor-hybrid.txt', report(args, node.root));
    node.remove();
  });
});

describe('output that is printed of a node', () => {
  let node: FixtureNode;
  let pods: readonly string[];

  /** The node's pods, and one that was just bound and has no cgroup yet. */
  function podsWithNewcomer(): string {
    const list = JSON.parse(readFileSync(node.path('pods.json'), 'utf8')) as { items: object[] };
    const newcomer = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'bakery', name: 'newcomer', uid: '5f0c1a10-0000-4000-8000-0000000000ff' },
      spec: { nodeName: 'mill-1', containers: [{ name: 'main' }] },
      status: { phase: 'Pending' },
    };
    return node.write('all-pods.json', JSON.stringify({ ...list, items: [...list.items, newcomer] }));
  }

  beforeAll(() => {
    node = new FixtureNode();
    pods = ['--root', node.root, '--pods', podsWithNewcomer()];
  });
  afterAll(() => {
    node.remove();
  });

  const golden = (name: string, ...args: readonly string[]): void => {
    expectGolden(`${name}.txt`, transcript(args, node.root));
  };
  const goldenJson = (name: string, ...args: readonly string[]): void => {
    expectGolden(`${name}.json`, nodeqos([...args, '-o', 'json']).stdout.replaceAll(node.root, 'NODE'));
  };

  it('check', () => {
    golden('check', 'check', '--root', node.root);
    goldenJson('check', 'check', '--root', node.root);
    node.write(
      'bad.yaml',
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionHard: {memory.available: 5%%}\nmemoryThrottlingFactor: 2\nevictionSfot: {}\n',
    );
    golden('check-refused', 'check', '--root', node.root, '--kubelet-config', node.path('bad.yaml'));
  });
  it('qos', () => {
    golden('qos', 'qos', ...pods);
    goldenJson('qos', 'qos', ...pods);
  });
  it('rank', () => {
    const stats = ['--node', node.path('node.yaml')];
    golden('rank', 'rank', ...pods);
    goldenJson('rank', 'rank', ...pods);
    golden('rank-kubelet', 'rank', ...pods, '--compat', 'kubelet');
    goldenJson('rank-kubelet', 'rank', ...pods, '--compat', 'kubelet');
    golden('rank-pid', 'rank', ...pods, '--signal', 'pid.available', ...stats);
    golden('rank-nodefs', 'rank', ...pods, '--signal', 'nodefs.available');
  });
  it('preempt', () => {
    const inputs = ['--snapshot', 'test/fixtures/cluster/bakery.yaml'];
    const group = ['--group', 'bakery/cakes'];
    golden('preempt', 'preempt', ...inputs, '--pod', 'bakery/loaf');
    goldenJson('preempt', 'preempt', ...inputs, '--pod', 'bakery/loaf');
    golden('preempt-member', 'preempt', ...inputs, '--pod', 'bakery/cake-1');
    golden('preempt-group', 'preempt', ...inputs, ...group);
    goldenJson('preempt-group', 'preempt', ...inputs, ...group);
    golden('preempt-placed', 'preempt', ...inputs, ...group, '--placement', 'cake-1=oven-1,cake-2=oven-2');
    golden('preempt-kubelet', 'preempt', ...inputs, '--pod', 'bakery/loaf', '--kubelet', 'oven-1');
  });
  it('taints', () => {
    const inputs = ['--node', node.path('node.yaml'), '--pods', node.path('pods.json')];
    const edits = ['--add', 'dedicated=mill:NoExecute', '--remove', 'dedicated'];
    golden('taints', 'taints', ...inputs);
    goldenJson('taints', 'taints', ...inputs);
    golden('taints-edited', 'taints', ...inputs, ...edits, '--with-defaults');
  });
  it('admit', () => {
    const newcomer = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'bakery', name: 'newcomer' },
      spec: {
        priority: 2000000000,
        containers: [{ name: 'main', resources: { requests: { memory: '1200Mi' } } }],
      },
    };
    const pod = node.write('newcomer.json', JSON.stringify(newcomer));
    const inputs = ['--pod', pod, '--node', node.path('node.yaml'), '--pods', node.path('pods.json')];
    golden('admit', 'admit', ...inputs);
    goldenJson('admit', 'admit', ...inputs);
  });
  it('status', () => {
    golden('status', 'status', ...pods);
    goldenJson('status', 'status', ...pods);
  });
  it.each(['orders-7c5b8d9f6-9wz7l', 'newcomer'])('explain %s', (pod) => {
    const name = `explain-${pod.split('-')[0] ?? ''}`;
    golden(name, 'explain', `bakery/${pod}`, ...pods, '--node', node.path('node.yaml'));
    goldenJson(name, 'explain', `bakery/${pod}`, ...pods, '--node', node.path('node.yaml'));
  });
  it('plan, apply, plan again, reset', () => {
    golden('plan', 'plan', ...pods);
    goldenJson('plan', 'plan', ...pods);
    golden('plan-diff', 'plan', ...pods, '-o', 'diff');
    golden('plan-sh', 'plan', ...pods, '-o', 'sh');
    golden('plan-check', 'plan', ...pods, '-o', 'diff', '--check');
    golden('apply-dry-run', 'apply', ...pods, '--dry-run');
    golden('apply', 'apply', ...pods);
    golden('apply-again', 'apply', ...pods);
    golden('plan-check-applied', 'plan', ...pods, '--check');
    golden('plan-diff-applied', 'plan', ...pods, '-o', 'diff', '--check');
    golden('plan-applied', 'plan', ...pods);
    golden('reset-dry-run', 'reset', '--root', node.root, '--dry-run');
    golden('reset', 'reset', '--root', node.root);
    golden('reset-again', 'reset', '--root', node.root);
    goldenJson('apply', 'apply', ...pods);
    goldenJson('reset', 'reset', '--root', node.root);
    golden('reset-neutral', 'reset', '--root', node.root, '--neutral');
  });
});
