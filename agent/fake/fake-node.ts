import { absoluteAllocatableBytes } from '../../cgroup/allocatable.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { reservedCgroups } from '../../cgroup/reserved.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import type { Pod } from '../model/pod.ts';
import { FAKE_MARKER } from '../observe/root.ts';
import { podListText } from '../report/trace/pod-document.ts';
import { cgroupFiles, rootCgroupFiles } from './cgroup-files.ts';
import { fakeCgroups, rootUsage } from './fake-cgroups.ts';
import { procFiles } from './proc-files.ts';
import type { UsageByContainer } from './usage-file.ts';

/** What a fake node is made from. */
export interface FakeNodeInputs {
  /** All pods that were given, with identities; they are written down for `--pods`. */
  readonly pods: readonly Pod[];
  /** Those of the node that count: they get cgroups. */
  readonly running: readonly Pod[];
  readonly layout: CgroupLayout;
  readonly kubelet: KubeletSettings;
  /** The KubeletConfiguration to copy in. */
  readonly kubeletText: string | undefined;
  readonly usage: UsageByContainer;
  readonly memoryCapacityBytes: bigint;
  readonly kernelRelease: string;
}

/** The pods' file of a fake node. */
export const PODS_FILE = 'pods.json';

/** Where its KubeletConfiguration is, as on any node. */
export const KUBELET_FILE = 'var/lib/kubelet/config.yaml';

/** Where the cgroup2 mount of a fake node is. */
export const CGROUPS_FOLDER = 'sys/fs/cgroup';

const MARKER_TEXT =
  'This folder is a fake node, built by nodeqos fake-tree. No process of this machine is in it.\n';
/** Tasks of a machine beside those in pods: the kernel's own threads, and services'. */
const OTHER_TASKS = 214;

/** Every file of a fake node by its path below the node's root. Same inputs, same files. */
export function fakeNodeFiles(inputs: FakeNodeInputs): ReadonlyMap<string, string> {
  const { kubelet, layout, memoryCapacityBytes } = inputs;
  const allocatable = absoluteAllocatableBytes(memoryCapacityBytes, kubelet);
  const cgroups = fakeCgroups({
    pods: inputs.running,
    layout,
    usage: inputs.usage,
    kubepodsMaxBytes: kubelet.enforceNodeAllocatable.includes('pods') ? allocatable : memoryCapacityBytes,
    reserved: new Map(reservedCgroups(kubelet, layout).map(({ cgroup, bytes }) => [cgroup, bytes])),
  });
  const usage = rootUsage(cgroups);
  const tasks = cgroups
    .filter(({ cgroup }) => !cgroup.includes('/'))
    .reduce((sum, one) => sum + one.tasks, 0);
  const files = new Map([
    [FAKE_MARKER, MARKER_TEXT],
    [PODS_FILE, podListText(inputs.pods)],
    [`${CGROUPS_FOLDER}/${FAKE_MARKER}`, MARKER_TEXT],
  ]);
  if (inputs.kubeletText !== undefined) {
    files.set(KUBELET_FILE, inputs.kubeletText);
  }
  addAll(files, CGROUPS_FOLDER, rootCgroupFiles(usage));
  for (const cgroup of cgroups) {
    addAll(files, `${CGROUPS_FOLDER}/${cgroup.cgroup}`, cgroupFiles(cgroup));
  }
  addAll(
    files,
    'proc',
    procFiles({
      memoryCapacityBytes,
      kernelRelease: inputs.kernelRelease,
      usage,
      tasks: tasks + OTHER_TASKS,
    }),
  );
  return files;
}

function addAll(files: Map<string, string>, folder: string, added: ReadonlyMap<string, string>): void {
  for (const [name, text] of added) {
    files.set(`${folder}/${name}`, text);
  }
}
