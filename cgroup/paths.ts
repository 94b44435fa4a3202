import type { CgroupDriver } from '../config/kubelet/settings.ts';

type ContainerRuntime = 'containerd' | 'cri-o' | 'docker' | 'other';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Where the kubelet's cgroups are, relative to the mount, without a leading slash. */
export interface CgroupLayout {
  readonly driver: CgroupDriver;
  /** The root of all pods, which is also the tier of the Guaranteed ones. */
  readonly kubepods: string;
  readonly burstable: string;
  readonly besteffort: string;
  /** The folders above `kubepods`, outermost first; empty unless cgroupRoot is nested. */
  readonly ancestors: readonly string[];
  /** The cgroup of a pod by its cgroup UID; undefined for a UID that cannot be a part of a name. */
  podCgroup(qosClass: QosClass, cgroupUid: string): string | undefined;
  /** The names a container's cgroup may have inside its pod's, the likeliest first; none for an unknown runtime. */
  containerLeafNames(runtime: ContainerRuntime, id: string): readonly string[];
  /** The cgroup of kubeReservedCgroup or systemReservedCgroup. */
  reservedCgroup(name: string): string | undefined;
}

const SLICE = '.slice';

/**
 * The layout under a driver and a cgroupRoot such as `/` or `/kubelet`, whose parts between slashes are name components
 * (kubelet: cgroup_manager_linux.go). A part that ends in `.slice` loses the ending under systemd.
 */
export function cgroupLayout(driver: CgroupDriver, cgroupRoot: string): CgroupLayout {
  const root = cgroupRoot.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  const toPath = driver === 'systemd' ? systemdPath : (parts: readonly string[]) => parts.join('/');
  const base = driver === 'systemd' ? root.map(withoutSlice) : root;
  const kubepods = [...base, 'kubepods'];
  const tiers = {
    Guaranteed: kubepods,
    Burstable: [...kubepods, 'burstable'],
    BestEffort: [...kubepods, 'besteffort'],
  };
  const folders = {
    Guaranteed: toPath(tiers.Guaranteed),
    Burstable: toPath(tiers.Burstable),
    BestEffort: toPath(tiers.BestEffort),
  };
  return {
    driver,
    kubepods: folders.Guaranteed,
    burstable: folders.Burstable,
    besteffort: folders.BestEffort,
    ancestors: base.map((_, index) => toPath(base.slice(0, index + 1))),
    podCgroup: (qosClass, cgroupUid) =>
      isNamePart(cgroupUid) ? toPath([...tiers[qosClass], `pod${cgroupUid}`]) : undefined,
    containerLeafNames: (runtime, id) => (isNamePart(id) ? leafNames(driver, runtime, id) : []),
    reservedCgroup: (name) => reservedCgroup(driver, name),
  };
}

/**
 * The folder of a slice: one folder for each prefix of its components, dashes inside a component written as underscores
 * (systemd.slice: `a-b.slice` lies inside `a.slice`).
 */
function systemdPath(components: readonly string[]): string {
  const names = components.map((component) => component.replaceAll('-', '_'));
  return names.map((_, index) => `${names.slice(0, index + 1).join('-')}${SLICE}`).join('/');
}

function withoutSlice(name: string): string {
  return name.endsWith(SLICE) ? name.slice(0, -SLICE.length) : name;
}

/** A UID or container ID comes from a file that anybody may have written: it must not lead out of its folder. */
function isNamePart(text: string): boolean {
  return text !== '' && !text.includes('/') && !text.includes('\0') && text !== '.' && text !== '..';
}

/** Container folders of the three runtimes (containerd, CRI-O, cri-dockerd under both drivers). */
function leafNames(driver: CgroupDriver, runtime: ContainerRuntime, id: string): readonly string[] {
  const prefix = LEAF_PREFIXES[runtime];
  if (prefix === undefined) {
    return [];
  }
  if (driver === 'systemd') {
    return [`${prefix}-${id}.scope`];
  }
  // CRI-O's name under cgroupfs has been both; whichever is in the tree is the one.
  return runtime === 'cri-o' ? [`crio-${id}`, id] : [id];
}

const LEAF_PREFIXES: Readonly<Record<ContainerRuntime, string | undefined>> = {
  containerd: 'cri-containerd',
  'cri-o': 'crio',
  docker: 'docker',
  other: undefined,
};

/** Base name under systemd, expanded to the slice's folder; the whole path under cgroupfs (kubelet: CgroupName). */
function reservedCgroup(driver: CgroupDriver, name: string): string | undefined {
  const parts = name.split('/').filter((part) => part !== '');
  const last = parts.at(-1);
  if (last === undefined || parts.includes('..') || parts.includes('.') || name.includes('\0')) {
    return undefined;
  }
  return driver === 'cgroupfs' ? parts.join('/') : systemdPath(withoutSlice(last).split('-'));
}

export interface PodCgroupName {
  readonly qosClass: QosClass;
  readonly cgroupUid: string;
}

/**
 * The pod that a cgroup is of, by its name alone, under either driver and any cgroupRoot; undefined for a cgroup that is
 * not a pod's own (a tier, a container, a slice of somebody else).
 */
export function parsePodCgroup(cgroup: string): PodCgroupName | undefined {
  const last = cgroup.slice(cgroup.lastIndexOf('/') + 1);
  if (last.endsWith(SLICE)) {
    const parts = last.slice(0, -SLICE.length).split('-');
    return podOf(parts.slice(0, -1), (parts.at(-1) ?? '').replaceAll('_', '-'));
  }
  return podOf(cgroup.split('/').slice(0, -1), last);
}

function podOf(above: readonly string[], name: string): PodCgroupName | undefined {
  if (!name.startsWith('pod') || name === 'pod' || !above.includes('kubepods')) {
    return undefined;
  }
  const tier = above.at(-1);
  const cgroupUid = name.slice('pod'.length);
  if (tier === 'burstable') {
    return { qosClass: 'Burstable', cgroupUid };
  }
  return { qosClass: tier === 'besteffort' ? 'BestEffort' : 'Guaranteed', cgroupUid };
}
