import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import {
  readSnapshot,
  readSnapshotTexts,
  type SnapshotRead,
} from '../../../../agent/observe/snapshot/read-snapshot.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { budgetFor, nodeNamed, podGroupNamed, podNamed } from '../../../fakes/cluster.ts';

function read(...texts: readonly string[]): SnapshotRead {
  return readSnapshotTexts(texts.map((text, at) => ({ file: `f${at + 1}`, text })));
}

function readObjects(...objects: readonly PlainRecord[]): SnapshotRead {
  return read(JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects }));
}

/** The status and the sentence that reading ends with. */
function failure(work: () => unknown): readonly [number, string] {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return [error.status, error.message];
    throw error;
  }
  throw new Error('it was read');
}

const WANTED = 'a snapshot is what this prints: kubectl get nodes,pods,pdb,priorityclasses -A -o json';

describe('what a snapshot may look like', () => {
  const names = ({ snapshot }: SnapshotRead): readonly (readonly string[])[] =>
    [snapshot.nodes, snapshot.pods, snapshot.budgets].map((all) => all.map(({ name }) => name));
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n';

  it.each([
    ['one object', [pod], [[], ['a'], []]],
    [
      'several documents, empty ones too',
      [`---\n${pod}---\n---\nkind: Node\nmetadata: {name: n1}\n`],
      [['n1'], ['a'], []],
    ],
    ['several files', [pod, 'kind: Node\nmetadata: {name: n1}\n'], [['n1'], ['a'], []]],
    [
      'a List of kinds',
      [
        'kind: List\napiVersion: v1\nitems:\n- kind: Node\n  metadata: {name: n1}\n- kind: Pod\n  metadata: {name: a}\n',
      ],
      [['n1'], ['a'], []],
    ],
    [
      'a list of one kind, which its items do not say',
      ['{"kind":"PodList","items":[{"metadata":{"name":"a"}}]}'],
      [[], ['a'], []],
    ],
    [
      'a list of another kind',
      ['{"kind":"PodDisruptionBudgetList","items":[{"metadata":{"name":"b"}}]}'],
      [[], [], ['b']],
    ],
    ['an empty list', ['{"kind":"List","items":[]}'], [[], [], []]],
    ['JSON with a byte order mark', ['\ufeff{"kind":"Node","metadata":{"name":"n1"}}'], [['n1'], [], []]],
  ])('%s', (_, texts, expected) => {
    const snapshot = read(...texts);
    expect(names(snapshot)).toEqual(expected);
    expect(snapshot.warnings).toEqual([]);
  });

  it('kinds that a plan does not look at are left out with a warning, and so are namesakes of other groups', () => {
    const other = (kind: string, apiVersion: string, name: string) => ({
      kind,
      apiVersion,
      metadata: { name },
    });
    const { snapshot, warnings } = readObjects(
      other('ConfigMap', 'v1', 'a'),
      other('PodGroup', 'scheduling.x-k8s.io/v1alpha1', 'b'),
      other('PodGroup', 'scheduling.k8s.io/v1beta1', 'c'),
      other('PodGroup', 'scheduling.k8s.io/v1alpha2', 'd'),
      other('Node', 'v2', 'e'),
    );
    expect(snapshot.podGroups.map(({ name }) => name)).toEqual(['c', 'd']);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'objects-left-out',
        'f1: 3 objects were left out, for a plan does not look at such kinds (ConfigMap, Node, PodGroup)',
      ],
    ]);
    expect(read('kind: Secret').warnings[0]?.message).toBe(
      'f1: 1 object was left out, for a plan does not look at such kinds (Secret)',
    );
  });

  it('pods on nodes that it does not hold are there, with a warning', () => {
    const elsewhere = ['g', 'f', 'e', 'd', 'c', 'b'].map((node) => podNamed(`on-${node}`, { node }));
    const { snapshot, warnings } = readObjects(nodeNamed('a'), podNamed('here', { node: 'a' }), ...elsewhere);
    expect(snapshot.pods).toHaveLength(7);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'node-not-in-snapshot',
        '6 pods are on nodes that the snapshot does not hold (b, c, d, e, f and 1 more): they count in groups and budgets only',
      ],
    ]);
    expect(readObjects(podNamed('one', { node: 'z' })).warnings[0]?.message).toBe(
      '1 pod is on nodes that the snapshot does not hold (z): they count in groups and budgets only',
    );
  });
});

describe('priorities of a snapshot', () => {
  const high: PlainRecord = {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name: 'high' },
    value: 1000,
    globalDefault: true,
    preemptionPolicy: 'Never',
  };
  const bare = (name: string, spec: PlainRecord, metadata: PlainRecord = {}): PlainRecord => ({
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec,
  });

  it('a pod that is not admitted yet gets what admission would give it', () => {
    const { snapshot, warnings } = readObjects(
      bare('a', {}),
      bare('b', { priorityClassName: 'system-node-critical' }),
      high,
    );
    expect(snapshot.pods.map(({ priority, preemptionPolicy }) => [priority, preemptionPolicy])).toEqual([
      [1000, 'Never'],
      [2_000_001_000, 'PreemptLowerPriority'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('a pod without a node that names no class and has no number gets that of the global default', () => {
    const { snapshot, warnings } = readObjects(
      bare('a', {}, { uid: 'u' }),
      bare('b', { nodeName: 'n' }),
      bare('c', { priority: 0 }, { uid: 'v' }),
      high,
      nodeNamed('n'),
    );
    expect(snapshot.pods.map(({ priority }) => priority)).toEqual([1000, undefined, 0]);
    expect(warnings).toEqual([
      {
        code: 'priority-by-default',
        message:
          'pod default/a: it states no priority, so that of the global default counts (1000, PriorityClass high), as admission gives it',
        cgroup: null,
        pod: 'default/a',
      },
    ]);
  });

  it('without a global default it is 0, of which nothing is said', () => {
    const { snapshot, warnings } = readObjects(bare('a', {}, { uid: 'u' }), {
      ...high,
      globalDefault: false,
    });
    expect([snapshot.pods.map(({ priority }) => priority), warnings]).toEqual([[0], []]);
  });

  it('groups are resolved too, and what cannot be is a warning', () => {
    const { snapshot, warnings } = readObjects(
      podGroupNamed('a', { priorityClassName: 'high' }),
      podGroupNamed('b', { priorityClassName: 'gone' }),
      podGroupNamed('c', { priority: 5, priorityClassName: 'gone' }),
      high,
    );
    expect(snapshot.podGroups.map(({ priority }) => priority)).toEqual([1000, undefined, 5]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'PodGroup default/b: the API would not admit it, for there is no PriorityClass gone; the plan goes by what it states',
    ]);
  });
});

describe('what is refused', () => {
  const item = (path: string, line: number, column: number) => `f1:${line}:${column}: ${path}`;
  it.each<readonly [string, string, string]>([
    ['an empty file', '# nothing\n', `f1: the file is empty; ${WANTED}`],
    ['text', 'hello', `f1:1:1: expected a map, found a string; ${WANTED}`],
    ['an object without kind', 'metadata: {name: a}\n', `f1:1:1: kind: the object has no kind; ${WANTED}`],
    ['a list without kind', '{"items":[{}]}', `f1:1:1: kind: the object has no kind; ${WANTED}`],
    [
      'an item without kind',
      '{"kind":"List","items":[{}]}',
      `f1:1:25: items[0].kind: the object has no kind; ${WANTED}`,
    ],
    ['items that are no list', '{"kind":"List","items":{}}', 'f1:1:16: items: expected a list, found a map'],
    [
      'broken JSON',
      '{"kind":',
      'f1:1:9: is not YAML: Flow map must end with a }; mend this line or the one before it',
    ],
    ['a pod without name', 'kind: Pod\n', 'f1:1:1: metadata.name: a pod needs a name'],
    ['a node without name', 'kind: Node\n', 'f1:1:1: metadata.name: a Node needs a name'],
    [
      'a pod that is there twice',
      'kind: Pod\nmetadata: {name: a, namespace: b}\n---\nkind: Pod\nmetadata: {namespace: b, name: a}\n',
      `${item('metadata.name', 5, 26)}: Pod b/a: it is there twice; a snapshot of one moment holds each object once`,
    ],
    [
      'a node that is there twice',
      '{"kind":"NodeList","items":[{"metadata":{"name":"n1"}},{"metadata":{"name":"n1"}}]}',
      `${item('items[1].metadata.name', 1, 69)}: Node n1: it is there twice; a snapshot of one moment holds each object once`,
    ],
    [
      'two pods of one UID',
      'kind: Pod\nmetadata: {name: a, uid: u}\n---\nkind: Pod\nmetadata: {name: b, uid: u}\n',
      `${item('metadata.uid', 5, 21)}: Pod b: its UID is that of another pod too; each pod must be there once`,
    ],
    [
      'a field of a wrong type, with whose it is',
      'kind: Pod\nmetadata: {name: a, namespace: b}\nspec: {priority: high}\n',
      `${item('spec.priority', 3, 8)}: Pod b/a: expected a whole number of 32 bits, found a string`,
    ],
    [
      'a request of which the exponent is beyond 32 bits',
      'kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, resources: {requests: {memory: 1e2147483648}}}]}\n',
      `${item('spec.containers[0].resources.requests.memory', 3, 54)}: Pod a: "1e2147483648" is not a quantity: its exponent is outside 32 bits`,
    ],
    [
      'a port that is none',
      'kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 70000}]}]}\n',
      `${item('spec.containers[0].ports[0].hostPort', 3, 59)}: Pod a: 70000 is not a port; write a number from 1 to 65535`,
    ],
    [
      'a start that is no time',
      'kind: Pod\nmetadata: {name: a}\nstatus: {startTime: soon}\n',
      `${item('status.startTime', 3, 10)}: Pod a: "soon" is not a time such as 2026-03-01T10:00:00Z`,
    ],
    [
      'a policy that nobody knows',
      'kind: Pod\nmetadata: {name: a}\nspec: {preemptionPolicy: Sometimes}\n',
      `${item('spec.preemptionPolicy', 3, 8)}: Pod a: "Sometimes" is not a preemption policy; write PreemptLowerPriority or Never`,
    ],
    [
      'a class that the API would not take',
      'kind: PriorityClass\nmetadata: {name: a}\nvalue: 1000000001\n',
      `${item('value', 3, 1)}: PriorityClass a: the API would not take it: 1000000001 is above 1000000000, the highest that users may give`,
    ],
    [
      'a class without value',
      'kind: PriorityClass\nmetadata: {name: a}\n',
      'f1:1:1: value: PriorityClass a: a PriorityClass needs a value',
    ],
    [
      'a disruption mode that nobody knows',
      'kind: PodGroup\nmetadata: {name: a}\nspec: {disruptionMode: Some}\n',
      `${item('spec.disruptionMode', 3, 8)}: PodGroup a: a disruption mode is single: {} or all: {} (in 1.36 Pod or PodGroup), one of them`,
    ],
    [
      'two modes at once',
      'kind: PodGroup\nmetadata: {name: a}\nspec: {disruptionMode: {single: {}, all: {}}}\n',
      `${item('spec.disruptionMode', 3, 8)}: PodGroup a: a disruption mode is single: {} or all: {} (in 1.36 Pod or PodGroup), one of them`,
    ],
    [
      'a gang of none',
      'kind: PodGroup\nmetadata: {name: a}\nspec: {schedulingPolicy: {gang: {minCount: 0}}}\n',
      `${item('spec.schedulingPolicy.gang.minCount', 3, 34)}: PodGroup a: a gang needs a minimum of at least 1`,
    ],
    [
      'values that are no texts',
      'kind: Pod\nmetadata: {name: a}\nspec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: [1]}]}]}}}}\n',
      `${item('spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]', 3, 155)}: Pod a: expected a string, found a number`,
    ],
  ])('%s', (_, text, sentence) => {
    expect(failure(() => read(text))).toEqual([65, sentence]);
  });

  it('a name that is in two files', () => {
    const text = 'kind: Node\nmetadata: {name: n1}\n';
    expect(failure(() => read(text, text))).toEqual([
      65,
      'f2:2:12: metadata.name: Node n1: it is there twice; a snapshot of one moment holds each object once',
    ]);
  });
});

describe('amounts at the end of 64 bits', () => {
  it.each([
    { memory: '9223372036854775807' },
    { cpu: '9223372036854775807m' },
    { cpu: '9223372036854775' },
    { memory: '7Ei' },
  ])('%j is read', (requests) => {
    expect(readObjects(podNamed('a', { requests })).warnings).toEqual([]);
  });

  it.each([
    [{ memory: '9223372036854775808' }, 'memory'],
    [{ cpu: '9223372036854776' }, 'cpu'],
    [{ 'example.com/x': '1e30' }, 'example.com/x'],
  ])('%j counts as the most that they hold, and that is said', (requests, name) => {
    const { snapshot, warnings } = readObjects(podNamed('a', { requests }));
    expect(snapshot.pods).toHaveLength(1);
    expect(warnings).toEqual([
      {
        code: 'amount-saturated',
        message: `more than 64 bits hold is taken as the most that they do: ${name} of pod default/a`,
        cgroup: null,
        pod: null,
      },
    ]);
  });

  it('limits, overhead, pods and nodes are looked at, and the first five are named', () => {
    const memory = '8Ei';
    const { warnings } = readObjects(
      nodeNamed('n', { allocatable: { memory } }),
      podNamed('a', { spec: { containers: [{ name: 'c', resources: { limits: { memory } } }] } }),
      podNamed('b', { spec: { overhead: { memory } } }),
      podNamed('c', { spec: { resources: { limits: { memory } } } }),
      podNamed('d', { spec: { resources: { requests: { memory } } } }),
      podNamed('e', { requests: { memory } }),
    );
    expect(warnings.map(({ message }) => message)).toEqual([
      'more than 64 bits hold is taken as the most that they do: memory of node n, memory of pod default/a, memory of pod default/b, memory of pod default/c, memory of pod default/d and 1 more',
    ]);
  });
});

describe('files', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
    writeFileSync(join(folder, 'a.json'), JSON.stringify(nodeNamed('n')));
    writeFileSync(join(folder, 'b.json'), JSON.stringify(budgetFor('b', { app: 'x' }, 2)));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('are read one after the other', () => {
    const { snapshot } = readSnapshot([join(folder, 'a.json'), join(folder, 'b.json')]);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['n']);
    expect(snapshot.budgets).toEqual([
      {
        namespace: 'default',
        name: 'b',
        selector: { matchLabels: new Map([['app', 'x']]), matchExpressions: [] },
        disruptionsAllowed: 2,
        disruptedPods: new Set(),
      },
    ]);
  });

  it('that are missing are status 66', () => {
    const path = join(folder, 'none.json');
    expect(failure(() => readSnapshot([path]))).toEqual([
      66,
      `${path}: there is no such file; check the path`,
    ]);
  });
});
