/** How a pod of a test is wanted; sizes are quantities such as `64Mi`. */
export interface PodWish {
  readonly name: string;
  readonly class: 'Guaranteed' | 'Burstable' | 'BestEffort';
  readonly request?: string;
  readonly limit?: string;
  readonly priority?: number;
  readonly graceSeconds?: number;
  /** More of its metadata. */
  readonly metadata?: object;
  /** More of its spec. */
  readonly spec?: object;
}

/** A pod of a test: what the list of pods says of it, and where the kernel has it. */
export interface TestPod {
  readonly name: string;
  readonly uid: string;
  /** Below the mount. */
  readonly cgroup: string;
  readonly container: string;
  /** The sandbox of the pod, whose ID nobody tells. */
  readonly sandbox: string;
  readonly manifest: object;
}

export type Driver = 'systemd' | 'cgroupfs';

/** A pod with one container, its cgroups named as the kubelet and containerd name them under a driver. */
export function testPod(wish: PodWish, driver: Driver, index: number): TestPod {
  const uid = `7a7a0000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const id = index.toString(16).padStart(64, 'c');
  const cgroup = podCgroup(wish.class, uid, driver);
  const leaf = (name: string): string =>
    driver === 'systemd' ? `${cgroup}/cri-containerd-${name}.scope` : `${cgroup}/${name}`;
  return {
    name: wish.name,
    uid,
    cgroup,
    container: leaf(id),
    sandbox: leaf(index.toString(16).padStart(64, 'd')),
    manifest: manifestOf(wish, uid, id),
  };
}

/** The cgroups above pods, outermost first. */
export function tiers(driver: Driver): readonly string[] {
  return driver === 'systemd'
    ? [
        'kubepods.slice',
        'kubepods.slice/kubepods-burstable.slice',
        'kubepods.slice/kubepods-besteffort.slice',
      ]
    : ['kubepods', 'kubepods/burstable', 'kubepods/besteffort'];
}

function podCgroup(qosClass: PodWish['class'], uid: string, driver: Driver): string {
  const [kubepods = '', burstable = '', besteffort = ''] = tiers(driver);
  const above = { Guaranteed: kubepods, Burstable: burstable, BestEffort: besteffort }[qosClass];
  if (driver === 'cgroupfs') return `${above}/pod${uid}`;
  const slice = above.split('/').at(-1)?.replace('.slice', '') ?? '';
  return `${above}/${slice}-pod${uid.replaceAll('-', '_')}.slice`;
}

function manifestOf(wish: PodWish, uid: string, id: string): object {
  const { name, request, limit, priority, graceSeconds, metadata, spec } = wish;
  const isGuaranteed = wish.class === 'Guaranteed';
  const requests = { ...(request && { memory: request }), ...(isGuaranteed && { cpu: '100m' }) };
  const limits = { ...(limit && { memory: limit }), ...(isGuaranteed && { cpu: '100m' }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid, ...metadata },
    spec: {
      nodeName: 'node',
      ...(priority !== undefined && { priority }),
      ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
      containers: [{ name: 'app', image: 'app', resources: { requests, limits } }],
      ...spec,
    },
    status: {
      phase: 'Running',
      qosClass: wish.class,
      containerStatuses: [{ name: 'app', containerID: `containerd://${id}`, state: { running: {} } }],
    },
  };
}
