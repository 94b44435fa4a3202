import { describe, expect, it } from 'vitest';
import { type KubeletReading, readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import { formatQuantity } from '../../../config/numbers/quantity.ts';
import { lines } from '../text/documents.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function read(main: string | undefined, ...dropIns: readonly string[]): KubeletReading {
  return readKubeletConfiguration(
    main === undefined ? undefined : { file: 'main', text: `${HEAD}${main}` },
    dropIns.map((text, index) => ({ file: `${index}.conf`, text: `${HEAD}${text}` })),
  );
}

function thresholds(reading: KubeletReading): readonly string[] | undefined {
  return reading.settings?.evictionThresholds.map(({ id, derived }) => (derived ? `${id} (copy)` : id));
}

const DEFAULTS = [
  'allocatableMemory.available hard 100Mi (copy)',
  'imagefs.available hard 15%',
  'imagefs.inodesFree hard 5%',
  'memory.available hard 100Mi',
  'nodefs.available hard 10%',
  'nodefs.inodesFree hard 5%',
];

describe('defaults', () => {
  it.each([
    ['no file at all', read(undefined)],
    ['a file that says nothing', read('')],
    ['evictionHard null', read('evictionHard: ~')],
  ])('are complete with %s', (_name, reading) => {
    expect(lines([...reading.errors, ...reading.warnings])).toEqual([]);
    expect(thresholds(reading)).toEqual(DEFAULTS);
    expect({ ...reading.settings, evictionThresholds: undefined }).toEqual({
      evictionThresholds: undefined,
      evictionPressureTransitionPeriodMs: 300_000,
      evictionMaxPodGracePeriodSeconds: 0,
      memoryThrottlingFactor: null,
      memoryReservationPolicy: 'None',
      memoryQosGate: true,
      memoryQosGateStatedFalse: false,
      cgroupDriver: 'cgroupfs',
      cgroupDriverStated: false,
      cgroupRoot: '/',
      kubeReserved: new Map(),
      systemReserved: new Map(),
      enforceNodeAllocatable: ['pods'],
      staticPodPath: null,
    });
  });

  it('give way to everything that is said', () => {
    const { settings, errors } = read(
      [
        'evictionHard: {memory.available: 1Gi}',
        'evictionPressureTransitionPeriod: 30s',
        'evictionMaxPodGracePeriod: -5',
        'memoryThrottlingFactor: 0.8',
        'memoryReservationPolicy: TieredReservation',
        'featureGates: {MemoryQoS: true}',
        'cgroupDriver: systemd',
        'cgroupRoot: /a/b',
        'kubeReserved: {memory: 1.5Gi, cpu: "0.07"}',
        'systemReserved: {memory: 512Mi}',
        'kubeReservedCgroup: /kube',
        'systemReservedCgroup: /system',
        'enforceNodeAllocatable: [kube-reserved]',
        'staticPodPath: /etc/static',
        'containerRuntimeEndpoint: unix:///run/crio/crio.sock',
        'readOnlyPort: 10255',
        'shutdownGracePeriodByPodPriority: [{priority: 1000, shutdownGracePeriodSeconds: 60}, {shutdownGracePeriodSeconds: 5}, {priority: -1}]',
      ].join('\n'),
    );
    expect(errors).toEqual([]);
    expect({ ...settings, kubeReserved: undefined, systemReserved: undefined }).toEqual({
      evictionThresholds: [
        {
          id: 'memory.available hard 1Gi',
          signal: 'memory.available',
          type: 'hard',
          value: { quantity: 1073741824n },
          gracePeriodMs: 0,
          minReclaim: null,
          derived: false,
        },
      ],
      evictionPressureTransitionPeriodMs: 30_000,
      evictionMaxPodGracePeriodSeconds: -5,
      memoryThrottlingFactor: 0.8,
      memoryReservationPolicy: 'TieredReservation',
      memoryQosGate: true,
      memoryQosGateStatedFalse: false,
      memoryQosGateStatedTrue: true,
      cgroupDriver: 'systemd',
      cgroupDriverStated: true,
      cgroupRoot: '/a/b',
      kubeReserved: undefined,
      systemReserved: undefined,
      kubeReservedCgroup: '/kube',
      systemReservedCgroup: '/system',
      enforceNodeAllocatable: ['kube-reserved'],
      staticPodPath: '/etc/static',
      containerRuntimeEndpoint: 'unix:///run/crio/crio.sock',
      readOnlyPort: 10255,
      shutdownGraceByPriority: [
        { priority: 1000, seconds: 60 },
        { priority: 0, seconds: 5 },
        { priority: -1, seconds: 0 },
      ],
    });
    expect(
      [...(settings?.kubeReserved ?? [])].map(([name, value]) => `${name} ${formatQuantity(value)}`),
    ).toEqual(['memory 1536Mi', 'cpu 70m']);
    expect([...(settings?.systemReserved.keys() ?? [])]).toEqual(['memory']);
  });

  it('F6 of 1.37: an absent factor is none, and the gate is on unless stated false', () => {
    expect(read('featureGates: {MemoryQoS: false}').settings).toMatchObject({
      memoryThrottlingFactor: null,
      memoryQosGate: false,
      memoryQosGateStatedFalse: true,
    });
    expect(read('featureGates: {NodeSwap: false}').settings).toMatchObject({ memoryQosGate: true });
  });

  it('1: one key of evictionHard turns the others off, an empty map all of them', () => {
    expect(thresholds(read('evictionHard: {nodefs.available: 1%}'))).toEqual(['nodefs.available hard 1%']);
    expect(thresholds(read('evictionHard: {}'))).toEqual([]);
  });

  it('1: mergeDefaultEvictionSettings adds the missing ones, and the user wins', () => {
    expect(
      thresholds(
        read('evictionHard: {memory.available: 1Gi, pid.available: 5%}\nmergeDefaultEvictionSettings: true'),
      ),
    ).toEqual([
      'allocatableMemory.available hard 1Gi (copy)',
      'imagefs.available hard 15%',
      'imagefs.inodesFree hard 5%',
      'memory.available hard 1Gi',
      'nodefs.available hard 10%',
      'nodefs.inodesFree hard 5%',
      'pid.available hard 5%',
    ]);
    expect(
      thresholds(read('evictionHard: {pid.available: 5%}\nmergeDefaultEvictionSettings: false')),
    ).toEqual(['pid.available hard 5%']);
  });

  it('copies are made only where pods are enforced', () => {
    expect(thresholds(read('enforceNodeAllocatable: []'))).toEqual(DEFAULTS.slice(1));
    expect(thresholds(read('enforceNodeAllocatable: ~'))).toEqual(DEFAULTS);
  });
});

const NO_HARD =
  'there is no hard threshold, since the defaults go in with a main file only and null in a drop-in deletes them; state the thresholds that are wanted';

describe('drop-ins', () => {
  it('2: merge into defaults that are there already', () => {
    expect(thresholds(read('', 'evictionHard: {memory.available: 500Mi}'))).toEqual([
      'allocatableMemory.available hard 500Mi (copy)',
      ...DEFAULTS.slice(1, 3),
      'memory.available hard 500Mi',
      ...DEFAULTS.slice(4),
    ]);
  });

  it('2: null deletes all of evictionHard', () => {
    const reading = read('', 'evictionHard: ~');
    expect(thresholds(reading)).toEqual([]);
    expect(lines(reading.warnings)).toEqual([`0.conf:3:1: evictionHard: ${NO_HARD}`]);
  });

  it('2: without a main file evictionHard has no defaults, all else has', () => {
    const { settings } = read(undefined, 'evictionHard: {memory.available: 500Mi}');
    expect(settings?.evictionThresholds.map(({ id }) => id)).toEqual([
      'allocatableMemory.available hard 500Mi',
      'memory.available hard 500Mi',
    ]);
    expect(settings?.evictionPressureTransitionPeriodMs).toBe(300_000);
    expect(thresholds(read(undefined, 'maxPods: 5'))).toEqual([]);
    expect(lines(read(undefined, 'maxPods: 5').warnings)).toEqual([`0.conf:2:1: evictionHard: ${NO_HARD}`]);
  });

  it('go in order, lists whole, maps by key', () => {
    const { settings } = read(
      'enforceNodeAllocatable: [pods, kube-reserved]\nkubeReservedCgroup: /a\nkubeReserved: {cpu: 1, memory: 1Gi}'.replace(
        'cpu: 1',
        'cpu: "1"',
      ),
      'enforceNodeAllocatable: [none]\nkubeReserved: {cpu: "2", memory: ~}',
      'kubeReserved: {cpu: "3"}\nkubeReservedCgroup: ~',
    );
    expect(settings?.enforceNodeAllocatable).toEqual(['none']);
    expect(
      [...(settings?.kubeReserved ?? [])].map(([name, value]) => `${name} ${formatQuantity(value)}`),
    ).toEqual(['cpu 3']);
    expect(settings?.kubeReservedCgroup).toBeUndefined();
  });

  it('may set a transition period of 0 for real, and delete it', () => {
    expect(
      read('', 'evictionPressureTransitionPeriod: 0s').settings?.evictionPressureTransitionPeriodMs,
    ).toBe(0);
    const deleted = read('', 'evictionPressureTransitionPeriod: ~');
    expect(deleted.errors).toEqual([]);
    expect(deleted.settings?.evictionPressureTransitionPeriodMs).toBe(0);
    expect(lines(read('', 'evictionPressureTransitionPeriod: 0s').warnings)).toEqual([]);
  });

  it('2: come too late for mergeDefaultEvictionSettings', () => {
    const reading = read('evictionHard: {pid.available: 5%}', 'mergeDefaultEvictionSettings: true');
    expect(thresholds(reading)).toEqual(['pid.available hard 5%']);
    expect(lines(reading.warnings)[1]).toBe(
      '0.conf:3:1: mergeDefaultEvictionSettings: has no effect in a drop-in, which comes after the defaults; move it to the main file',
    );
    expect(lines(read('', 'mergeDefaultEvictionSettings: ~').warnings)).toEqual([]);
  });

  it('27: are refused with a doubled key, where the main file is not', () => {
    expect(lines(read('', 'address: a\naddress: b').errors)).toEqual([
      '0.conf:4:1: address: is there twice, which a drop-in must not have; remove one',
    ]);
  });

  it('are blamed for what they say, the main file for what it says', () => {
    const reading = read(
      'maxPods: x\nkubeReserved:\n  memory: q',
      'kubeReserved:\n  cpu: z\nfoo: 1',
      'maxPods: -1',
    );
    expect(lines(reading.errors)).toEqual([
      'main:3:1: maxPods: expected a whole number, got a string "x"; write a whole number or remove the key',
      'main:5:3: kubeReserved.memory: "q" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      '0.conf:4:3: kubeReserved.cpu: "z" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      '1.conf:3:1: maxPods: -1 is out of range; give a number of 0 or more',
    ]);
    expect(lines(reading.warnings)).toEqual([
      '0.conf:5:1: foo: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs',
    ]);
  });

  it('count where the driver is stated', () => {
    expect(read('', 'cgroupDriver: systemd').settings).toMatchObject({
      cgroupDriver: 'systemd',
      cgroupDriverStated: true,
    });
    expect(read('cgroupDriver: ""').settings).toMatchObject({
      cgroupDriver: 'cgroupfs',
      cgroupDriverStated: false,
    });
  });
});

describe('the document itself', () => {
  const V1 = 'apiVersion: is missing; write kubelet.config.k8s.io/v1beta1';
  it.each([
    [
      'an empty file',
      '',
      [
        'f: is empty; write apiVersion: kubelet.config.k8s.io/v1beta1 and kind: KubeletConfiguration, or remove the file',
      ],
    ],
    [
      'comments',
      '# x\n',
      [
        'f: is empty; write apiVersion: kubelet.config.k8s.io/v1beta1 and kind: KubeletConfiguration, or remove the file',
      ],
    ],
    [
      'null',
      '---\n',
      [
        'f: is empty; write apiVersion: kubelet.config.k8s.io/v1beta1 and kind: KubeletConfiguration, or remove the file',
      ],
    ],
    ['a list', '\n- a', ['f:2:1: expected a map, got a list; write a KubeletConfiguration']],
    ['a text', 'hello', ['f:1:1: expected a map, got a string; write a KubeletConfiguration']],
    ['no kind', 'maxPods: x', [`f: ${V1}`, 'f: kind: is missing; write KubeletConfiguration']],
    [
      'another kind',
      'apiVersion: v1\nkind: Pod\nmaxPods: x',
      [
        'f:1:1: apiVersion: is "v1"; write kubelet.config.k8s.io/v1beta1',
        'f:2:1: kind: is "Pod"; write KubeletConfiguration',
      ],
    ],
    [
      'a kind that is no text',
      '{apiVersion: kubelet.config.k8s.io/v1beta1, kind: 5}',
      ['f:1:45: kind: is a number; write KubeletConfiguration'],
    ],
    [
      'an old version',
      'apiVersion: kubelet.config.k8s.io/v1alpha1\nkind: KubeletConfiguration',
      ['f:1:1: apiVersion: is "kubelet.config.k8s.io/v1alpha1"; write kubelet.config.k8s.io/v1beta1'],
    ],
    [
      'no YAML',
      'a: [',
      [
        'f:1:5: is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]; mend this line or the one before it',
      ],
    ],
    [
      'junk',
      '\u0000',
      ['f:1:1: holds the control character U+0000, so it is neither YAML nor JSON; give a text file'],
    ],
  ])('is refused: %s', (_name, text, expected) => {
    const { errors, warnings, settings } = readKubeletConfiguration({ file: 'f', text }, []);
    expect([lines(errors), lines(warnings), settings]).toEqual([expected, [], undefined]);
    expect(lines(readKubeletConfiguration(undefined, [{ file: 'f', text }]).errors)).toEqual(expected);
  });

  it('may be JSON', () => {
    const text =
      '{"apiVersion": "kubelet.config.k8s.io/v1beta1",\n"kind": "KubeletConfiguration",\n"maxPods": "x",\n"address": "a", "address": "b"}';
    const reading = readKubeletConfiguration({ file: 'f', text }, []);
    expect(lines(reading.errors)).toEqual([
      'f:3:1: maxPods: expected a whole number, got a string "x"; write a whole number or remove the key',
    ]);
    expect(lines(reading.warnings)).toEqual([
      'f:4:17: address: is there twice, and the last one counts; remove one',
    ]);
  });
});
