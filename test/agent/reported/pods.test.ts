import { afterAll, describe, expect, it } from 'vitest';
import { CommandInputs } from '../../fakes/command-inputs.ts';

/** What people reported about classes, amounts and cgroup values of pods: `qos` and `plan` on the smallest input of each. */
const inputs = new CommandInputs();
afterAll(() => {
  inputs.remove();
});

const UID = '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c';
const CONTAINER_ID = '9e07'.repeat(16);

type Fields = Readonly<Record<string, unknown>>;

interface Entry {
  readonly name: string;
  readonly uid: string | null;
  readonly qosClass: string;
  readonly memoryRequestBytes: number;
  readonly memoryLimitBytes: number | null;
  readonly containers: readonly { readonly memoryRequestBytes: number }[];
}

async function qos(...pods: readonly Fields[]): Promise<readonly Entry[]> {
  const path = inputs.write('pods.json', { apiVersion: 'v1', kind: 'List', items: pods });
  const report = await inputs.document(['qos', '--offline', '--pods', path]);
  return report['pods'] as readonly Entry[];
}

function pod(spec: Fields, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: UID, ...metadata }, spec };
}

function resources(requests: Fields | null, limits?: Fields): Fields {
  return {
    resources: { ...(requests === null ? {} : { requests }), ...(limits === undefined ? {} : { limits }) },
  };
}

function container(name: string, fields: Fields = {}): Fields {
  return { name, ...fields };
}

const FULL = resources({ cpu: '100m', memory: '64Mi' }, { cpu: '100m', memory: '64Mi' });

async function qosClass(spec: Fields): Promise<string | undefined> {
  return (await qos(pod(spec)))[0]?.qosClass;
}

describe('the class was not what people took it for', () => {
  it.each<[string, Fields, string]>([
    [
      'one init container without limits',
      { initContainers: [container('i')], containers: [container('a', FULL)] },
      'Burstable',
    ],
    [
      'a sidecar without limits',
      { initContainers: [container('s', { restartPolicy: 'Always' })], containers: [container('a', FULL)] },
      'Burstable',
    ],
    [
      'all with equal requests and limits, init containers too',
      { initContainers: [container('i', FULL)], containers: [container('a', FULL)] },
      'Guaranteed',
    ],
    [
      'an ephemeral container does not count',
      { containers: [container('a', FULL)], ephemeralContainers: [container('e')] },
      'Guaranteed',
    ],
    [
      'cpu of 0 is no cpu',
      { containers: [container('a', resources({ cpu: 0, memory: '50Mi' }, { cpu: '0m', memory: '50Mi' }))] },
      'Burstable',
    ],
    [
      'zeroes alone',
      { containers: [container('a', resources({ cpu: '0', memory: '0Mi' }, { cpu: 0, memory: '0' }))] },
      'BestEffort',
    ],
    ['disk alone', { containers: [container('a', resources({ 'ephemeral-storage': '1Gi' }))] }, 'BestEffort'],
    [
      'the same amount in other words',
      {
        containers: [
          container('a', resources({ cpu: '0.1', memory: '65536Ki' }, { cpu: '100m', memory: '64Mi' })),
        ],
      },
      'Guaranteed',
    ],
    [
      'resources of the pod hide those of its containers',
      { resources: { limits: { cpu: 1, memory: '1Gi' } }, containers: [container('a')] },
      'Guaranteed',
    ],
    [
      'an empty statement for the pod is none',
      { resources: {}, containers: [container('a', FULL)] },
      'Guaranteed',
    ],
  ])('%s', async (_name, spec, expected) => {
    expect(await qosClass(spec)).toBe(expected);
  });
});

describe('amounts were read with a float, without a suffix, or by a helpful reader', () => {
  it.each<[unknown, number]>([
    ['1.1Gi', 1181116007],
    ['1181116006400m', 1181116007],
    ['0.1Gi', 107374183],
    ['0.001Mi', 1049],
    ['966367641600m', 966367642],
    ['0.3Mi', 314573],
    ['1.5Ki', 1536],
    ['129M', 129000000],
    ['129e6', 129000000],
    ['129E6', 129000000],
    ['1e+3', 1000],
    ['1.e3', 1000],
    ['1e-3', 1],
    ['100m', 1],
    ['1u', 1],
    ['1n', 1],
    ['1k', 1000],
    ['512m', 1],
    ['1G', 1000000000],
    ['+1', 1],
    ['.5Ki', 512],
    [' 1Gi ', 1073741824],
    [128974848, 128974848],
    [1e3, 1000],
    [null, 0],
    ['0', 0],
  ])('memory: %j is %d bytes', async (memory, expected) => {
    const [entry] = await qos(pod({ containers: [container('a', resources({ memory }))] }));
    expect(entry?.memoryRequestBytes).toBe(expected);
  });

  it.each(['1E', '8Ei', '100Ei', '1e18', '1e30'])(
    'memory: %s is exact, or the greatest number there is',
    async (memory) => {
      const path = inputs.write('pods.json', pod({ containers: [container('a', resources({ memory }))] }));
      const { stdout } = await inputs.run(['qos', '--offline', '--pods', path, '-o', 'json']);
      const greatest = '9223372036854775807';
      const exact = memory === '1E' || memory === '1e18' ? '1000000000000000000' : greatest;
      expect(/"memoryRequestBytes": ([0-9]+)/.exec(stdout)?.[1]).toBe(exact);
    },
  );

  it.each([
    '',
    '1e',
    '1e3.5',
    '1e3Ki',
    '1ki',
    '1KI',
    '1Kib',
    '1KiB',
    '1K',
    '1MB',
    '1b',
    '1 Gi',
    '1,5Gi',
    '0x10',
    '1_000',
    '.',
    '+',
    'Gi',
    'NaN',
    '1e99999999999',
    '--1',
    '１',
  ])('memory: %j is refused', async (memory) => {
    const path = inputs.write('pods.json', pod({ containers: [container('a', resources({ memory }))] }));
    const { ended, stdout, stderr } = await inputs.run(['qos', '--offline', '--pods', path]);
    expect([ended, stdout]).toEqual([65, '']);
    expect(stderr).toMatch(/^nodeqos: [^\n]*spec\.containers\[0\]\.resources\.requests\.memory[^\n]*\n$/);
  });
});

interface PlanEntry {
  readonly level: string;
  readonly pod: string | null;
  readonly container: string | null;
  readonly cgroup: string | null;
  readonly file: string;
  readonly desired: string;
}

interface PlanOptions {
  readonly kubelet?: string;
  readonly more?: readonly string[];
}

const TIERED = 'memoryThrottlingFactor: 0.9\nmemoryReservationPolicy: TieredReservation';

/** `CGROUP FILE` to what it should hold; containers without a cgroup by their names. */
async function plan(
  pods: readonly Fields[],
  options: PlanOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const path = inputs.write('pods.json', { apiVersion: 'v1', kind: 'List', items: pods });
  const config = inputs.kubelet(options.kubelet ?? TIERED);
  const report = await inputs.document([
    ...['plan', '--offline', '--pods', path, '--kubelet-config', config, '--memory-capacity', '8Gi'],
    ...(options.more ?? []),
  ]);
  const entries = report['entries'] as readonly PlanEntry[];
  return Object.fromEntries(
    entries.map(({ cgroup, pod: name, container: inside, file, desired }) => [
      `${cgroup ?? `${name ?? ''}/${inside ?? ''}`} ${file.slice('memory.'.length)}`,
      desired,
    ]),
  );
}

describe('memory.high was missing, too low or for the wrong class', () => {
  it.each<[string, Fields, string]>([
    ['BestEffort: by allocatable', {}, '7730937856'],
    ['equal memory without cpu: none', resources({ memory: '100Mi' }, { memory: '100Mi' }), 'max'],
    [
      'by request and limit, never by limit alone',
      resources({ memory: '800Mi' }, { memory: '1000Mi' }),
      '1027604480',
    ],
    ['no limit: by allocatable', resources({ memory: '1Gi' }), '7838314496'],
    ['a Guaranteed container: none', FULL, 'max'],
  ])('%s', async (_name, fields, expected) => {
    expect((await plan([pod({ containers: [container('a', fields)] })]))['a/a high']).toBe(expected);
  });

  it('by whole pages of the machine that is planned for', async () => {
    const planned = await plan([pod({ containers: [container('a')] })], { more: ['--page-size', '65536'] });
    expect(planned['a/a high']).toBe('7730888704');
  });

  it('is not given to unequal containers of a pod that is Guaranteed as a whole', async () => {
    const stated = { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: 1, memory: '1Gi' } };
    const unequal = container('a', resources({ memory: '50Mi' }, { memory: '100Mi' }));
    expect((await plan([pod({ resources: stated, containers: [unequal] })]))['a/a high']).toBe('max');
  });

  it('and is taken back, not left, where it no longer applies', async () => {
    const resized = container('a', resources({ memory: '800Mi' }, { memory: '800Mi' }));
    expect((await plan([pod({ containers: [resized] })]))['a/a high']).toBe('max');
  });
});

const GUARANTEED = pod(
  { containers: [container('a', resources(null, { cpu: 1, memory: '1Gi' }))] },
  { name: 'g', uid: 'g' },
);
const BURSTABLE = pod(
  { containers: [container('a', resources({ memory: '512Mi' }))] },
  { name: 'b', uid: 'b' },
);
const BEST_EFFORT = pod({ containers: [container('a')] }, { name: 'e', uid: 'e' });

describe('protection went into the wrong file, or stale protection stayed', () => {
  it('with tiers: memory.min for Guaranteed, memory.low for Burstable, both above both', async () => {
    const planned = await plan([GUARANTEED, BURSTABLE, BEST_EFFORT]);
    expect(planned).toEqual({
      'kubepods min': '1610612736',
      'kubepods low': '536870912',
      'kubepods/burstable low': '536870912',
      'kubepods/podg min': '1073741824',
      'kubepods/podg low': '0',
      'kubepods/podg high': 'max',
      'kubepods/burstable/podb min': '0',
      'kubepods/burstable/podb low': '536870912',
      'kubepods/burstable/podb high': 'max',
      'kubepods/besteffort/pode min': '0',
      'kubepods/besteffort/pode low': '0',
      'kubepods/besteffort/pode high': 'max',
      'g/a min': '1073741824',
      'g/a low': '0',
      'g/a high': 'max',
      'b/a min': '0',
      'b/a low': '536870912',
      'b/a high': '7784628224',
      'e/a min': '0',
      'e/a low': '0',
      'e/a high': '7730937856',
    });
  });

  it('without a policy every one of them is 0, and said to be', async () => {
    const planned = await plan([GUARANTEED, BURSTABLE, BEST_EFFORT], { kubelet: '' });
    const protections = Object.entries(planned).filter(([file]) => !file.endsWith(' high'));
    expect(protections.map(([, desired]) => desired)).toEqual(Array<string>(15).fill('0'));
  });

  it('the pod counts its sidecars and overhead, and of plain init containers the greatest', async () => {
    const spec = {
      overhead: { memory: '10Mi' },
      initContainers: [
        container('i', resources({ memory: '300Mi' })),
        container('s', { restartPolicy: 'Always', ...resources({ memory: '50Mi' }) }),
        container('j', resources({ memory: '100Mi' })),
      ],
      containers: [container('a', resources({ memory: '100Mi' }))],
    };
    const planned = await plan([pod(spec, { name: 'b', uid: 'b' })]);
    expect(planned['kubepods/burstable/podb low']).toBe(`${310 * 1024 * 1024}`);
  });
});

describe('the cgroup of a pod could not be found', () => {
  const running = (runtime: string, metadata: Fields = {}): Fields => ({
    ...pod({ containers: [container('a', FULL)] }, metadata),
    status: {
      containerStatuses: [{ name: 'a', containerID: `${runtime}://${CONTAINER_ID}`, state: { running: {} } }],
    },
  });

  it.each<[string, string, string, string, string]>([
    [
      'containerd',
      'systemd',
      '/',
      `kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`,
      'cri-containerd-ID.scope',
    ],
    [
      'cri-o',
      'systemd',
      '/',
      `kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`,
      'crio-ID.scope',
    ],
    [
      'docker',
      'systemd',
      '/',
      `kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice`,
      'docker-ID.scope',
    ],
    ['containerd', 'cgroupfs', '/', `kubepods/pod${UID}`, 'ID'],
    ['docker', 'cgroupfs', '/x/y-z', `x/y-z/kubepods/pod${UID}`, 'ID'],
    [
      'containerd',
      'systemd',
      '/x/y-z',
      `x.slice/x-y_z.slice/x-y_z-kubepods.slice/x-y_z-kubepods-pod${UID.replaceAll('-', '_')}.slice`,
      'cri-containerd-ID.scope',
    ],
  ])('%s under %s at %s', async (...[runtime, driver, root, cgroup, leaf]) => {
    const planned = await plan([running(runtime)], {
      kubelet: `cgroupDriver: ${driver}\ncgroupRoot: ${root}`,
    });
    expect(Object.keys(planned)).toContain(`${cgroup} min`);
    expect(Object.keys(planned)).toContain(`${cgroup}/${leaf.replace('ID', CONTAINER_ID)} min`);
  });

  const HASH = '0123456789abcdef'.repeat(2);
  const MIRROR = {
    uid: UID,
    annotations: { 'kubernetes.io/config.hash': HASH, 'kubernetes.io/config.mirror': HASH },
  };
  const STATIC = {
    uid: HASH,
    annotations: { 'kubernetes.io/config.hash': HASH, 'kubernetes.io/config.source': 'file' },
  };

  it("goes by the static pod's hash, though the output shows the mirror's own UID", async () => {
    const planned = await plan([running('containerd', MIRROR)]);
    expect(Object.keys(planned)).toContain(`kubepods/pod${HASH} min`);
    expect((await qos(pod({ containers: [container('a')] }, MIRROR))).map(({ uid }) => uid)).toEqual([UID]);
  });

  it.each([
    ['mirror first', [MIRROR, STATIC]],
    ['static first', [STATIC, MIRROR]],
  ])('counts a static pod and its mirror once, %s', async (_name, both) => {
    const planned = await plan(both.map((metadata) => running('containerd', metadata)));
    expect(planned['kubepods min']).toBe(`${64 * 1024 * 1024}`);
    expect(Object.keys(planned).filter((file) => file.includes(`pod${HASH} `))).toHaveLength(3);
  });

  it('takes any text for the UID of a static pod, as some distributions write their own', async () => {
    expect(Object.keys(await plan([running('containerd', { uid: 'rke2-made-this' })]))).toContain(
      'kubepods/podrke2-made-this min',
    );
  });
});
