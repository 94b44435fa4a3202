import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPod } from '../../../../agent/observe/pods/podspec.ts';
import { formatQuantity } from '../../../../config/numbers/quantity.ts';
import type { PlainRecord, PlainValue } from '../../../../config/text/plain-value.ts';
import { container, podDocument, podOf } from '../../../fakes/pods.ts';

function refusal(value: PlainValue): unknown {
  const reading = readPod(value);
  return reading.ok ? 'read' : [reading.path.join(' '), reading.message];
}

const ID = 'a'.repeat(64);

describe('reading a pod', () => {
  it('takes what nodeqos needs, and defaults for what is not there', () => {
    expect(podOf({ name: 'web' })).toEqual({
      namespace: 'default',
      name: 'web',
      terminating: false,
      hostNetwork: false,
      isStatic: false,
      isMirror: false,
      containers: [],
      overhead: new Map(),
      tolerations: [],
      volumes: [],
      labels: new Map(),
    });
  });

  it('takes every field', () => {
    const pod = podOf({
      name: 'web',
      metadata: {
        namespace: 'shop',
        uid: 'u-1',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        labels: { app: 'web', empty: null },
        ownerReferences: [{ kind: 'Node' }, { kind: 'DaemonSet', controller: true }],
      },
      spec: {
        nodeName: 'n1',
        hostNetwork: true,
        priority: -7,
        priorityClassName: 'low',
        terminationGracePeriodSeconds: 45,
        tolerations: [
          {},
          { key: 'k', operator: 'Exists', value: 'v', effect: 'NoExecute', tolerationSeconds: 300 },
          { operator: '', tolerationSeconds: -1 },
        ],
        volumes: [
          { name: 'cache', emptyDir: { sizeLimit: '1Gi' } },
          { name: 'memory', emptyDir: { medium: 'Memory' } },
          { name: 'huge', emptyDir: { medium: 'HugePages-2Mi' } },
          { name: 'host', hostPath: { path: '/' } },
          { name: 'settings', configMap: {} },
          { name: 'source', gitRepo: {} },
          { name: 'claim', persistentVolumeClaim: {}, emptyDir: null },
          {},
        ],
      },
      status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z', qosClass: 'BestEffort' },
    });
    expect(pod).toMatchObject({
      namespace: 'shop',
      uid: 'u-1',
      cgroupUid: 'u-1',
      nodeName: 'n1',
      controllerKind: 'DaemonSet',
      hostNetwork: true,
      phase: 'Running',
      terminating: true,
      startTime: '2026-01-01T00:00:00Z',
      priority: -7,
      priorityClassName: 'low',
      reportedQosClass: 'BestEffort',
      terminationGracePeriodSeconds: 45,
      tolerations: [
        { key: '', operator: 'Equal', value: '', effect: '' },
        { key: 'k', operator: 'Exists', value: 'v', effect: 'NoExecute', tolerationSeconds: 300n },
        { key: '', operator: 'Equal', value: '', effect: '', tolerationSeconds: -1n },
      ],
      labels: new Map([
        ['app', 'web'],
        ['empty', ''],
      ]),
    });
    expect(pod.volumes.map(({ name, kind, memoryBacked }) => [name, kind, memoryBacked])).toEqual([
      ['cache', 'emptyDir', false],
      ['memory', 'emptyDir', true],
      ['huge', 'emptyDir', true],
      ['host', 'hostPath', false],
      ['settings', 'configMap', false],
      ['source', 'gitRepo', false],
      ['claim', 'other', false],
      ['', 'other', false],
    ]);
    expect(pod.volumes.map(({ sizeLimit }) => sizeLimit && formatQuantity(sizeLimit))).toEqual([
      '1Gi',
      ...Array<undefined>(7).fill(undefined),
    ]);
  });

  it('takes null for absent everywhere', () => {
    const nothing = { namespace: null, uid: null, labels: null, annotations: null, deletionTimestamp: null };
    const spec = { containers: null, initContainers: null, overhead: null, resources: null, priority: null };
    const status = { phase: null, containerStatuses: null, qosClass: null };
    expect(podOf({ name: 'web', metadata: nothing, spec, status })).toEqual(podOf({ name: 'web' }));
    expect(readPod({ metadata: { name: 'web' }, spec: null, status: null })).toEqual(
      readPod({ metadata: { name: 'web' } }),
    );
  });

  it('reads quantities as the API reads JSON (F5, reports 21 to 24 and 26)', () => {
    const memory: readonly [PlainValue, string][] = [
      [' 1Gi ', '1Gi'],
      [128974848, '128974848'],
      [128974848n, '128974848'],
      [0.5, '500m'],
      [1e30, '1e30'],
      [null, '0'],
      ['129e6', '129e6'],
      ['1.1Gi', '1181116006400m'],
      ['9007199254740993', '9007199254740993'],
    ];
    for (const [written, canonical] of memory) {
      const [only] = podOf({ spec: { containers: [container('a', { memory: written })] } }).containers;
      const amount = only?.requests.get('memory');
      expect(amount && formatQuantity(amount)).toBe(canonical);
    }
  });
});

describe('static and mirror pods', () => {
  const annotated = (annotations: PlainRecord, uid: PlainValue = 'api-uid'): unknown => {
    const { isStatic, isMirror, cgroupUid } = podOf({ metadata: { uid, annotations } });
    return [isStatic, isMirror, cgroupUid];
  };
  it.each([
    ['no annotation', {}, [false, false, 'api-uid']],
    ['source api', { 'kubernetes.io/config.source': 'api' }, [false, false, 'api-uid']],
    ['source file', { 'kubernetes.io/config.source': 'file' }, [true, false, 'api-uid']],
    [
      'a hash without mirror is not the UID',
      { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'abc' },
      [true, false, 'api-uid'],
    ],
    [
      'report 15: a mirror goes by the hash',
      { 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' },
      [false, true, 'abc'],
    ],
    [
      'a mirror without a hash goes by its own UID',
      { 'kubernetes.io/config.mirror': 'abc' },
      [false, true, 'api-uid'],
    ],
    [
      'any text is a hash (RKE2)',
      { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.hash': 'Kube-Proxy_1' },
      [false, true, 'Kube-Proxy_1'],
    ],
  ])('%s', (_, annotations, expected) => {
    expect(annotated(annotations)).toEqual(expected);
  });

  it('has a cgroup UID without a UID of its own', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' };
    expect(annotated(annotations, null)).toEqual([false, true, 'abc']);
  });
});

describe('containers of a pod', () => {
  it('come as init, regular, ephemeral, each with its own status', () => {
    const pod = podOf({
      spec: {
        ephemeralContainers: [container('debug', { memory: '1Gi' }, { memory: '1Gi' })],
        containers: [{ name: 'app' }, {}],
        initContainers: [
          { name: 'setup', restartPolicy: 'Never' },
          { name: 'proxy', restartPolicy: 'Always' },
        ],
      },
      status: {
        initContainerStatuses: [
          { name: 'setup', containerID: `cri-o://${ID}`, state: { terminated: { exitCode: 0 } } },
          { name: 'proxy', containerID: 'containerd://', state: { running: {} } },
        ],
        containerStatuses: [
          { name: 'app', containerID: `containerd://${ID}`, state: { running: {}, terminated: null } },
          { name: 'gone', containerID: `containerd://${ID}` },
        ],
        ephemeralContainerStatuses: [{ name: 'debug', containerID: `docker://${ID}` }],
      },
    });
    const none = { requests: new Map(), limits: new Map() };
    expect(pod.containers).toEqual([
      { name: 'setup', type: 'init', ...none, containerId: { runtime: 'cri-o', id: ID }, terminated: true },
      { name: 'proxy', type: 'sidecar', ...none, terminated: false },
      {
        name: 'app',
        type: 'regular',
        ...none,
        containerId: { runtime: 'containerd', id: ID },
        terminated: false,
      },
      { name: '', type: 'regular', ...none, terminated: false },
      {
        name: 'debug',
        type: 'ephemeral',
        ...none,
        containerId: { runtime: 'docker', id: ID },
        terminated: false,
      },
    ]);
  });

  it.each([
    ['containerd://abc', { runtime: 'containerd', id: 'abc' }],
    ['rkt://abc', { runtime: 'other', id: 'abc' }],
    ['containerd://a.b-c_1', { runtime: 'containerd', id: 'a.b-c_1' }],
    ['containerd://../../etc', undefined],
    ['containerd://a/b', undefined],
    ['containerd://.a', undefined],
    ['containerd://', undefined],
    ['abc', undefined],
    ['://abc', undefined],
    ['containerd://abc\n', undefined],
  ])('container ID %j', (containerID, expected) => {
    const spec = { containers: [{ name: 'a' }] };
    const [only] = podOf({ spec, status: { containerStatuses: [{ name: 'a', containerID }] } }).containers;
    expect(only?.containerId).toEqual(expected);
  });
});

describe('a pod that is refused', () => {
  const cases: readonly [string, PlainValue, unknown][] = [
    ['is not a map', ['Pod'], ['', 'expected a map, found a list']],
    ['has no name', { metadata: {} }, ['metadata name', 'a pod needs a name']],
    ['has an empty name', { metadata: { name: '' } }, ['metadata name', 'a pod needs a name']],
    [
      'has a number for a name',
      { metadata: { name: 12 } },
      ['metadata name', 'expected a string, found a number'],
    ],
    [
      'has a list for its spec',
      { metadata: { name: 'a' }, spec: [] },
      ['spec', 'expected a map, found a list'],
    ],
    [
      'has a text for its containers',
      podDocument({ spec: { containers: 'app' } }),
      ['spec containers', 'expected a list, found a string'],
    ],
    [
      'has a text for a container',
      podDocument({ spec: { containers: ['app'] } }),
      ['spec containers 0', 'expected a map, found a string'],
    ],
    [
      'has a priority with a fraction',
      podDocument({ spec: { priority: 1.5 } }),
      ['spec priority', 'expected a whole number of 32 bits, found 1.5'],
    ],
    [
      'has a text for a priority',
      podDocument({ spec: { priority: '1000' } }),
      ['spec priority', 'expected a whole number of 32 bits, found a string'],
    ],
    [
      'has a priority above int32',
      podDocument({ spec: { priority: 2147483648 } }),
      ['spec priority', 'expected a whole number of 32 bits, found 2147483648'],
    ],
    [
      'has a grace period above int64',
      podDocument({ spec: { terminationGracePeriodSeconds: 9223372036854775808n } }),
      ['spec terminationGracePeriodSeconds', 'expected a whole number of 64 bits, found 9223372036854775808'],
    ],
    [
      'has a malformed quantity',
      podDocument({ spec: { initContainers: [container('a', {}, { memory: '1GB' })] } }),
      [
        'spec initContainers 0 resources limits memory',
        '"1GB" is not a quantity: "GB" is not one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei',
      ],
    ],
    [
      'has an empty quantity',
      podDocument({ spec: { containers: [container('a', { cpu: '' })] } }),
      [
        'spec containers 0 resources requests cpu',
        '"" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      ],
    ],
    [
      'has a truth for a quantity',
      podDocument({ spec: { overhead: { memory: true } } }),
      ['spec overhead memory', 'expected a quantity such as 512Mi, found a boolean'],
    ],
    [
      'has a negative quantity',
      podDocument({ spec: { resources: { requests: { memory: ' -1Mi ' } } } }),
      ['spec resources requests memory', '-1Mi is negative; it must be 0 or more'],
    ],
    [
      'has a malformed quantity of a resource that a pod cannot state for itself',
      podDocument({ spec: { resources: { limits: { 'example.com/x': 'x' } } } }),
      [
        'spec resources limits example.com/x',
        '"x" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      ],
    ],
    [
      'has a malformed quantity in an ephemeral container',
      podDocument({ spec: { ephemeralContainers: [container('a', { cpu: 'x' })] } }),
      [
        'spec ephemeralContainers 0 resources requests cpu',
        '"x" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      ],
    ],
    [
      'has a UID that leads out of its cgroup',
      podDocument({ metadata: { uid: 'a/../b' } }),
      ['metadata uid', 'a UID cannot contain a slash or a control character'],
    ],
    [
      'has a UID with a line break',
      podDocument({ metadata: { uid: 'a\n' } }),
      ['metadata uid', 'a UID cannot contain a slash or a control character'],
    ],
    [
      'has a hash that leads out of its cgroup',
      podDocument({
        metadata: {
          annotations: { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.hash': '/x' },
        },
      }),
      [
        'metadata annotations kubernetes.io/config.hash',
        'a UID cannot contain a slash or a control character',
      ],
    ],
    [
      'has a number for a label',
      podDocument({ metadata: { labels: { app: 7 } } }),
      ['metadata labels app', 'expected a string, found a number'],
    ],
    [
      'has a fraction for its tolerationSeconds',
      podDocument({ spec: { tolerations: [{}, { tolerationSeconds: 0.5 }] } }),
      ['spec tolerations 1 tolerationSeconds', 'expected a whole number of 64 bits, found 0.5'],
    ],
  ];
  it.each(cases)('%s', (_, value, expected) => {
    expect(refusal(value)).toEqual(expected);
  });

  it('takes the outermost numbers of 32 and 64 bits', () => {
    const spec = { priority: -2147483648, terminationGracePeriodSeconds: -9223372036854775808n };
    expect(podOf({ spec })).toMatchObject({ priority: -2147483648 });
    expect(podOf({ spec: { priority: 2147483647 } }).priority).toBe(2147483647);
  });

  it('never throws, whatever the document is', () => {
    const key = fc.constantFrom(
      'metadata',
      'spec',
      'status',
      'name',
      'containers',
      'resources',
      'requests',
      'memory',
    );
    const { value } = fc.letrec<{ value: PlainValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constant(null),
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.bigInt(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (document) => {
        const reading = readPod(document);
        expect(reading.ok || reading.message.length > 0).toBe(true);
      }),
    );
  });
});
