import { compareBytewise } from '../../cgroup/byte-order.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { isFinished } from '../decide/critical.ts';
import { qosClassInForce } from '../decide/qos-class.ts';
import { memoryLimitBytes, memoryRequestBytes, podMemoryLimitBytes } from '../decide/resources.ts';
import type { Container, Pod } from '../model/pod.ts';
import type { FakeCgroup } from './cgroup-files.ts';
import { lotOf, sandboxId } from './identities.ts';
import type { MemoryUsage } from './memory-usage.ts';
import { addUsage, NO_USAGE, plausibleUsage, usageOf } from './memory-usage.ts';
import type { UsageByContainer } from './usage-file.ts';

/** What the cgroups of a fake node are made from. */
export interface FakeCgroupInputs {
  /** The node's pods, with defaults and identities. */
  readonly pods: readonly Pod[];
  readonly layout: CgroupLayout;
  /** What is not in it is made up from requests and limits. */
  readonly usage: UsageByContainer;
  /** memory.max of the cgroup of all pods. */
  readonly kubepodsMaxBytes: bigint;
  /** memory.max of the reserved cgroups by their paths. */
  readonly reserved: ReadonlyMap<string, bigint>;
}

const KIB = 1024n;
const MIB = 1024n * KIB;
const FIRST_PROCESS_ID = 2001;

/** A pause process and the bookkeeping of its namespaces. */
const SANDBOX_USAGE = usageOf(40n * KIB, 0n, 280n * KIB);

/** Everything of a node besides its pods, and what it uses. */
const SYSTEM: readonly (readonly [string, MemoryUsage])[] = [
  ['init.scope', usageOf(6n * MIB, 2n * MIB, MIB)],
  ['system.slice/containerd.service', usageOf(96n * MIB, 120n * MIB, 24n * MIB)],
  ['system.slice/kubelet.service', usageOf(84n * MIB, 48n * MIB, 16n * MIB)],
  ['system.slice/sshd.service', usageOf(4n * MIB, 2n * MIB, MIB)],
  ['system.slice/systemd-journald.service', usageOf(12n * MIB, 60n * MIB, 4n * MIB)],
];

/**
 * The cgroups of a node that runs these pods, parents before their children, bytewise by path. Limits of memory are as the
 * kubelet sets them (kubelet: ResourceConfigForPod, node container manager); sums are consistent at every level.
 */
export function fakeCgroups(inputs: FakeCgroupInputs): readonly FakeCgroup[] {
  const tree = new CgroupSums();
  for (const [cgroup, usage] of SYSTEM) {
    tree.addLeaf({ cgroup, usage, maxBytes: null, isContainer: false });
  }
  for (const [cgroup, bytes] of inputs.reserved) {
    tree.addFolder(cgroup, bytes);
  }
  const { kubepods, burstable, besteffort } = inputs.layout;
  tree.addFolder(kubepods, inputs.kubepodsMaxBytes);
  tree.addFolder(burstable, null);
  tree.addFolder(besteffort, null);
  for (const pod of inputs.pods) {
    if (!isFinished(pod)) {
      addPod(tree, pod, inputs);
    }
  }
  return tree.cgroups();
}

/** The usage of the root, which is that of its children together. */
export function rootUsage(cgroups: readonly FakeCgroup[]): MemoryUsage {
  return cgroups
    .filter(({ cgroup }) => !cgroup.includes('/'))
    .map(({ usage }) => usage)
    .reduce(addUsage, NO_USAGE);
}

function addPod(tree: CgroupSums, pod: Pod, inputs: FakeCgroupInputs): void {
  const qosClass = qosClassInForce(pod);
  const folder = pod.cgroupUid === undefined ? undefined : inputs.layout.podCgroup(qosClass, pod.cgroupUid);
  if (folder === undefined) {
    return;
  }
  const limitBytes = podMemoryLimitBytes(pod);
  tree.addFolder(folder, qosClass === 'BestEffort' ? null : limitBytes);
  const sandbox = sandboxLeaf(pod, inputs.layout);
  if (sandbox !== undefined) {
    tree.addLeaf({
      cgroup: `${folder}/${sandbox}`,
      usage: SANDBOX_USAGE,
      maxBytes: null,
      isContainer: false,
    });
  }
  for (const container of pod.containers) {
    const leaf = containerLeaf(container, inputs.layout);
    if (leaf !== undefined) {
      const maxBytes = memoryLimitBytes(container) ?? podLevelLimitBytes(pod, limitBytes);
      const usage = usageOfContainer(pod, container, maxBytes, inputs.usage);
      tree.addLeaf({ cgroup: `${folder}/${leaf}`, usage, maxBytes, isContainer: true });
    }
  }
}

/** The cgroup of the pod's sandbox, beside those of its containers; CRI-O drops it by default (drop_infra_ctr). */
function sandboxLeaf(pod: Pod, layout: CgroupLayout): string | undefined {
  const started = pod.containers.find(({ containerId }) => containerId !== undefined);
  const runtime = started?.containerId?.runtime ?? 'containerd';
  return runtime === 'cri-o' ? undefined : layout.containerLeafNames(runtime, sandboxId(pod))[0];
}

/** A container that has ended has no cgroup any more. */
function containerLeaf({ containerId, terminated }: Container, layout: CgroupLayout): string | undefined {
  return containerId === undefined || terminated
    ? undefined
    : layout.containerLeafNames(containerId.runtime, containerId.id)[0];
}

/** A container without a limit of its own gets that of the pod, where the pod states one. */
function podLevelLimitBytes(pod: Pod, limitBytes: bigint | null): bigint | null {
  return pod.podLevel?.limits.has('memory') === true ? limitBytes : null;
}

function usageOfContainer(
  pod: Pod,
  container: Container,
  maxBytes: bigint | null,
  usage: UsageByContainer,
): MemoryUsage {
  const key = `${pod.namespace}/${pod.name}/${container.name}`;
  return usage.get(key) ?? plausibleUsage(memoryRequestBytes(container), maxBytes, lotOf(key));
}

type Leaf = Pick<FakeCgroup, 'cgroup' | 'usage' | 'maxBytes' | 'isContainer'>;

/** A tree of cgroups whose counters grow with every leaf that is put in. */
class CgroupSums {
  private readonly byPath = new Map<string, FakeCgroup>();
  private nextProcessId = FIRST_PROCESS_ID;

  addFolder(cgroup: string, maxBytes: bigint | null): void {
    for (const path of withParents(cgroup)) {
      const known = this.byPath.get(path);
      const isIt = path === cgroup;
      this.byPath.set(path, {
        ...(known ?? emptyCgroup(path)),
        maxBytes: isIt ? maxBytes : (known?.maxBytes ?? null),
      });
    }
  }

  addLeaf({ cgroup, usage, maxBytes, isContainer }: Leaf): void {
    this.addFolder(cgroup, maxBytes);
    for (const path of withParents(cgroup)) {
      const known = this.byPath.get(path) ?? emptyCgroup(path);
      const isLeaf = path === cgroup;
      this.byPath.set(path, {
        ...known,
        usage: addUsage(known.usage, usage),
        tasks: known.tasks + 1,
        isContainer: isLeaf && isContainer,
        processIds: isLeaf ? [this.nextProcessId] : known.processIds,
      });
    }
    this.nextProcessId += 1;
  }

  cgroups(): readonly FakeCgroup[] {
    return [...this.byPath.values()].sort((a, b) => compareBytewise(a.cgroup, b.cgroup));
  }
}

function emptyCgroup(cgroup: string): FakeCgroup {
  return { cgroup, usage: NO_USAGE, maxBytes: null, isContainer: false, processIds: [], tasks: 0 };
}

/** The cgroup and every one above it, outermost first. */
function withParents(cgroup: string): readonly string[] {
  const parts = cgroup.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
