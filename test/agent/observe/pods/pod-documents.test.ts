import { describe, expect, it } from 'vitest';
import { podName } from '../../../../agent/decide/pod-name.ts';
import { readPodDocuments } from '../../../../agent/observe/pods/pod-documents.ts';
import { podDocument } from '../../../fakes/pods.ts';

const REMEDY =
  'expected a Pod, a PodList or a List with pods, as printed by: kubectl get pods --all-namespaces -o yaml';

/** The names of the pods and the warnings, or the refusal's sentence. */
function read(text: string): unknown {
  const reading = readPodDocuments({ file: 'pods.yaml', text });
  return reading.ok
    ? [reading.value.pods.map(podName), ...reading.value.warnings.map(({ message }) => message)]
    : reading.message;
}

function json(value: object): string {
  return JSON.stringify(value);
}

const ONE = `apiVersion: v1
kind: Pod
metadata:
  name: one
`;

describe('the pods of a file', () => {
  it('are one Pod, in YAML and in JSON', () => {
    expect(read(ONE)).toEqual([['default/one']]);
    expect(read(json(podDocument({ name: 'one' })))).toEqual([['default/one']]);
  });

  it('are those of several documents in their order; empty ones between do not count', () => {
    expect(read(`---\n${ONE}---\n---\n${ONE.replace('one', 'two')}---\n# nothing\n`)).toEqual([
      ['default/one', 'default/two'],
    ]);
  });

  it('are the items of a PodList, which need no kind', () => {
    const items = [{ metadata: { name: 'b', namespace: 'x' } }, podDocument({ name: 'a' })];
    expect(read(json({ kind: 'PodList', apiVersion: 'v1', items }))).toEqual([['x/b', 'default/a']]);
  });

  it('are the items of a List; other kinds are left out with one warning, nodes without', () => {
    const items = [
      { kind: 'Node', metadata: { name: 'n1' } },
      podDocument({ name: 'a' }),
      { kind: 'Service', apiVersion: 'v1' },
      { kind: 'ConfigMap' },
      { kind: 'Service' },
      podDocument({ name: 'b' }),
    ];
    const left = 'pods.yaml: 3 objects that are no pods were left out (ConfigMap, Service)';
    expect(read(json({ kind: 'List', items }))).toEqual([['default/a', 'default/b'], left]);
    expect(read(json({ kind: 'List', items: items.slice(0, 3) }))).toEqual([
      ['default/a'],
      'pods.yaml: 1 object that is no pod was left out (Service)',
    ]);
    expect(read(json({ kind: 'List', items: items.slice(0, 2) }))).toEqual([['default/a']]);
  });

  it('has a code for what is left out', () => {
    const reading = readPodDocuments({ file: 'f', text: `${ONE}---\nkind: Service\n` });
    expect(reading.ok && reading.value.warnings).toEqual([
      {
        code: 'objects-left-out',
        message: 'f: 1 object that is no pod was left out (Service)',
        cgroup: null,
        pod: null,
      },
    ]);
  });

  it.each(['List', 'PodList'])('are none in an empty %s, which is an answer', (kind) => {
    expect(read(json({ kind, apiVersion: 'v1', items: [] }))).toEqual([[]]);
    expect(read(json({ kind, items: null }))).toEqual([[]]);
    expect(read(`kind: ${kind}\n`)).toEqual([[]]);
  });
});

describe('priority classes beside pods', () => {
  const list = (...items: object[]): string => json({ kind: 'List', items });
  const high = {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name: 'high' },
    value: 1000,
  };
  const usual = { ...high, metadata: { name: 'usual' }, value: 10, globalDefault: true };
  const priorities = (text: string): unknown => {
    const reading = readPodDocuments({ file: 'f', text });
    return reading.ok ? reading.value.pods.map(({ priority }) => priority) : reading.message;
  };

  it('give their number to a pod that names one and has no priority, before or after it', () => {
    const pod = podDocument({ spec: { priorityClassName: 'high' } });
    expect(priorities(list(high, pod))).toEqual([1000]);
    expect(priorities(list(pod, high))).toEqual([1000]);
    expect(priorities(`${json(pod)}\n---\n${json(high)}`)).toEqual([1000]);
  });

  it('do not change a priority that is there, nor a pod without a class, nor one of an unknown class', () => {
    const pods = [
      podDocument({ spec: { priorityClassName: 'high', priority: 0 } }),
      podDocument(),
      podDocument({ spec: { priorityClassName: 'low' } }),
    ];
    expect(priorities(list(usual, high, ...pods))).toEqual([0, undefined, undefined]);
  });

  it('bring the two classes of the system with them, without which these are not known', () => {
    const pod = podDocument({ spec: { priorityClassName: 'system-node-critical' } });
    expect(priorities(list(high, pod))).toEqual([2_000_001_000]);
    expect(priorities(list(pod))).toEqual([undefined]);
  });

  it('without name or value are passed over, with a broken value refused', () => {
    const pod = podDocument({ spec: { priorityClassName: 'high' } });
    expect(priorities(list({ kind: 'PriorityClass', value: 5 }, { ...high, value: null }, pod))).toEqual([
      undefined,
    ]);
    expect(priorities(list(pod, { ...high, value: 'x' }))).toMatch(
      /^f:1:\d+: items\[1\]\.value: expected a whole number of 32 bits, found a string$/,
    );
  });
});

describe('groups beside pods', () => {
  const group = (kind: string, name: string, spec: object, apiVersion = 'scheduling.k8s.io/v1beta1') => ({
    kind,
    apiVersion,
    metadata: { name, namespace: 'ml' },
    spec,
  });
  const member = podDocument({
    metadata: { name: 'a', namespace: 'ml' },
    spec: { schedulingGroup: { podGroupName: 'w' } },
  });
  const standings = (...items: object[]): unknown => {
    const reading = readPodDocuments({ file: 'f', text: json({ kind: 'List', items }) });
    if (!reading.ok) return reading.message;
    return [
      reading.value.pods.map((pod) => pod.group),
      ...reading.value.warnings.map(({ message }) => message),
    ];
  };

  it('say what the pods in them count for, before or after these', () => {
    const alone = group('PodGroup', 'w', { priority: 7 });
    expect(standings(alone, member)).toEqual([[{ name: 'ml/w', root: 'ml/w', priority: 7 }]]);
    expect(standings(member, alone)).toEqual([[{ name: 'ml/w', root: 'ml/w', priority: 7 }]]);
    expect(standings(podDocument(), alone)).toEqual([[undefined]]);
  });

  it('go up to the group of groups at the root', () => {
    const below = group('PodGroup', 'w', { priority: 7, parentCompositePodGroupName: 'j' });
    const root = group('CompositePodGroup', 'j', { priority: 9 }, 'scheduling.k8s.io/v1alpha3');
    expect(standings(member, below, root)).toEqual([[{ name: 'ml/w', root: 'ml/j', priority: 9 }]]);
  });

  it('have the number of their class, where that is there', () => {
    const high = { kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };
    const classed = group('PodGroup', 'w', { priorityClassName: 'high' });
    expect(standings(member, classed, high)).toEqual([[{ name: 'ml/w', root: 'ml/w', priority: 1000 }]]);
    expect(standings(member, classed)).toEqual([
      [{ name: 'ml/w', root: 'ml/w', priority: 0 }],
      'PodGroup ml/w: no priority is given for its priority class high, so 0 is taken; add the PriorityClass objects to have it resolved',
    ]);
  });

  it('are left out where they are of another API, and need not say theirs', () => {
    expect(
      standings(member, group('PodGroup', 'w', { priority: 7 }, 'scheduling.x-k8s.io/v1alpha1')),
    ).toEqual([[undefined], 'f: 1 object that is no pod was left out (PodGroup)']);
    const { kind, metadata, spec } = group('PodGroup', 'w', { priority: 7 });
    expect(standings(member, { kind, metadata, spec })).toEqual([
      [{ name: 'ml/w', root: 'ml/w', priority: 7 }],
    ]);
  });

  it('are no pods, and refused where they are malformed', () => {
    expect(standings(group('PodGroup', 'w', {}))).toBe(`f: the file holds no pods; ${REMEDY}`);
    expect(standings(member, group('PodGroup', 'w', { priority: 'x' }))).toMatch(
      /^f:1:\d+: items\[1\]\.spec\.priority: expected a whole number of 32 bits, found a string$/,
    );
  });
});

describe('a file that is refused', () => {
  it.each([
    ['an empty one', '', `pods.yaml: the file is empty; ${REMEDY}`],
    ['one of comments', '# pods\n---\n', `pods.yaml: the file is empty; ${REMEDY}`],
    [
      'one of priority classes only',
      'kind: PriorityClass\nmetadata: {name: high}\nvalue: 1\n',
      `pods.yaml: the file holds no pods; ${REMEDY}`,
    ],
    [
      'a Deployment',
      'apiVersion: apps/v1\nkind: Deployment\n',
      `pods.yaml:2:1: kind: found a Deployment; ${REMEDY}`,
    ],
    [
      'a list of Deployments',
      'kind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n',
      `pods.yaml:4:3: items[0].kind: found a Deployment; ${REMEDY}`,
    ],
    [
      'an object without kind',
      'apiVersion: v1\nind: Pod\n',
      `pods.yaml:1:1: kind: the object has no kind; ${REMEDY}`,
    ],
    [
      'an item of a List without kind',
      'kind: List\nitems:\n- metadata: {name: a}\n',
      `pods.yaml:3:3: items[0].kind: the object has no kind; ${REMEDY}`,
    ],
    ['a list', '- kind: Pod\n', `pods.yaml:1:1: expected a map, found a list; ${REMEDY}`],
    [
      'an item that is no map',
      'kind: PodList\nitems:\n- 7\n',
      'pods.yaml:3:3: items[0]: expected a map, found a number',
    ],
    [
      'items that are no list',
      'kind: PodList\nitems: {}\n',
      'pods.yaml:2:1: items: expected a list, found a map',
    ],
    [
      'another version of Pod',
      'kind: Pod\napiVersion: v2\n',
      'pods.yaml:2:1: apiVersion: Pod is read in version v1, not v2',
    ],
    [
      'another version of PodList',
      'kind: PodList\napiVersion: v2\n',
      'pods.yaml:2:1: apiVersion: PodList is read in version v1, not v2',
    ],
    [
      'a malformed quantity, with the pod and the place',
      `kind: PodList
items:
- metadata: {name: fine}
- metadata:
    name: broken
    namespace: shop
  spec:
    containers:
    - name: a
      resources:
        limits:
          memory: 1GB
`,
      'pods.yaml:12:11: items[1].spec.containers[0].resources.limits.memory: pod shop/broken: "1GB" is not a quantity: "GB" is not one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei',
    ],
    [
      'a pod without a name, which cannot be named',
      'kind: Pod\nmetadata: {namespace: x}\n',
      'pods.yaml:2:1: metadata.name: a pod needs a name',
    ],
    [
      'a key with dots and slashes, quoted in its path',
      'kind: Pod\nmetadata:\n  name: a\n  annotations:\n    kubernetes.io/config.mirror: x\n    kubernetes.io/config.hash: 7\n',
      'pods.yaml:6:5: metadata.annotations["kubernetes.io/config.hash"]: pod default/a: expected a string, found a number',
    ],
    ['text that is neither', '{{', expect.stringMatching(/^pods\.yaml:1:/)],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('comes with its finding', () => {
    const reading = readPodDocuments({ file: 'f', text: 'kind: Pod\n' });
    expect(reading).toEqual({
      ok: false,
      message: 'f:1:1: metadata.name: a pod needs a name',
      finding: { file: 'f', line: 1, column: 1, path: 'metadata.name', message: 'a pod needs a name' },
    });
  });
});
