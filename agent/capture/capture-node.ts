import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { Warning } from '../../cgroup/warning.ts';
import type { TextFile } from '../../config/finding.ts';
import type { Parsed } from '../../config/result.ts';
import { parsed, refused } from '../../config/result.ts';
import type { NodeFilesystems, NodeObject } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';
import type { CapturedInput, CapturedInputs } from '../observe/captured/manifest.ts';
import { MANIFEST_FILE } from '../observe/captured/manifest.ts';
import { formatManifest } from '../observe/captured/manifest-text.ts';
import type { HostFacts } from '../observe/host.ts';
import { cgroupMountPoint } from '../observe/machine.ts';
import { present } from '../observe/present.ts';
import type { NodeRoot } from '../observe/root.ts';
import { FAKE_MARKER } from '../observe/root.ts';
import { podListText } from '../report/trace/pod-document.ts';
import { captureCgroups } from './captured-cgroups.ts';
import { CapturedFiles } from './captured-files.ts';
import { nodeText } from './node-document.ts';
import { redactedConfiguration } from './redacted-configuration.ts';

/** A configuration's texts: its main file where there is one, and its drop-ins in order. */
interface CapturedConfiguration {
  readonly main?: TextFile;
  readonly dropIns: readonly TextFile[];
}

/** What a capture is made from: a root, and what was found out about it with the command line's help. */
export interface CaptureSource {
  readonly root: NodeRoot;
  readonly layouts: readonly CgroupLayout[];
  /** Paths of the reserved cgroups. */
  readonly reserved: readonly string[];
  readonly pageSizeBytes: number;
  readonly filesystems: NodeFilesystems;
  readonly host: HostFacts | undefined;
  readonly kubelet: CapturedConfiguration;
  readonly nodeqos: CapturedConfiguration;
  readonly pods?: {
    readonly name: string;
    readonly pods: readonly Pod[];
    readonly warnings: readonly Warning[];
  };
  readonly node?: { readonly name: string; readonly node: NodeObject };
  readonly statsSummary?: TextFile;
  readonly nodeName?: string;
  readonly memoryCapacityBytes?: bigint;
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
}

/** Files below proc/ that some command reads, but for mounts. */
const CAPTURED_PROC_FILES = [
  'proc/loadavg',
  'proc/meminfo',
  'proc/pressure/memory',
  'proc/sys/kernel/osrelease',
  'proc/sys/kernel/pid_max',
  'proc/sys/kernel/random/boot_id',
  'proc/sys/kernel/threads-max',
] as const;

/**
 * Everything that goes into an archive, the manifest included. Each file is read by itself, since tar takes the size of a
 * kernel file, which is 0, for its length. Refused where a configuration may hold secrets that cannot be told apart.
 */
export function captureNode(source: CaptureSource): Parsed<CapturedFiles> {
  const { root } = source;
  const captured = new CapturedFiles();
  if (root.isFake) {
    captured.add(FAKE_MARKER, '');
  }
  for (const file of CAPTURED_PROC_FILES) {
    captured.copyFile(root.files, file, file);
  }
  captured.copyFile(root.files, 'proc/mounts', 'proc/mounts', cgroupLines);
  captureCgroups(captured, root.cgroups, source.layouts, source.reserved);
  const inputs = addInputs(captured, source);
  if (!inputs.ok) {
    return inputs;
  }
  const manifest = formatManifest({
    root: root.files.nameOf(''),
    cgroupRoot: root.cgroups.nameOf(''),
    cgroupMountPoint: cgroupMountPoint(root),
    pageSizeBytes: source.pageSizeBytes,
    inputs: inputs.value,
    ...(source.filesystems.size === 0 ? {} : { filesystems: source.filesystems }),
    ...present('host', source.host),
    failures: captured.failures,
  });
  captured.add(MANIFEST_FILE, manifest);
  return parsed(captured);
}

/** Other mounts tell of volumes and secrets, and no answer depends on them. */
function cgroupLines(mounts: string): string {
  return mounts.replace(/^(?!\S+ \S+ cgroup2? ).*\n?/gm, '');
}

function addInputs(captured: CapturedFiles, source: CaptureSource): Parsed<CapturedInputs> {
  const { pods, node, statsSummary } = source;
  const kubelet = addConfiguration(captured, source.kubelet, 'var/lib/kubelet/config.yaml');
  if (!kubelet.ok) {
    return kubelet;
  }
  const nodeqos = addConfiguration(captured, source.nodeqos, 'etc/nodeqos/nodeqos.yaml');
  if (!nodeqos.ok) {
    return nodeqos;
  }
  const put = (path: string, name: string, text: string): CapturedInput => {
    captured.add(path, text);
    return { path, name };
  };
  return parsed({
    ...present('kubeletConfig', kubelet.value.main),
    kubeletDropIns: kubelet.value.dropIns,
    ...present('nodeqosConfig', nodeqos.value.main),
    nodeqosDropIns: nodeqos.value.dropIns,
    ...present('pods', pods && put('nodeqos-capture/pods.json', pods.name, podListText(pods.pods))),
    podWarnings: pods?.warnings ?? [],
    ...present('node', node && put('nodeqos-capture/node.json', node.name, nodeText(node.node))),
    ...present(
      'statsSummary',
      statsSummary && put('nodeqos-capture/summary.json', statsSummary.file, statsSummary.text),
    ),
    ...present('nodeName', source.nodeName),
    ...present('memoryCapacityBytes', source.memoryCapacityBytes),
    ...present('cgroupDriver', source.cgroupDriver),
  });
}

interface AddedConfiguration {
  readonly main: CapturedInput | undefined;
  readonly dropIns: readonly CapturedInput[];
}

/** The main file goes where its default place is, drop-ins beside it, numbered so that their order is seen. */
function addConfiguration(
  captured: CapturedFiles,
  texts: CapturedConfiguration,
  path: string,
): Parsed<AddedConfiguration> {
  const places = [
    ...(texts.main === undefined ? [] : [{ path, input: texts.main }]),
    ...texts.dropIns.map((input, index) => ({
      path: `${path}.d/${String(index + 1).padStart(3, '0')}-${baseName(input.file)}`,
      input,
    })),
  ];
  const added: CapturedInput[] = [];
  for (const { path: place, input } of places) {
    const text = redactedConfiguration(input.text);
    if (text === undefined) {
      return refused(
        `${input.file}: its secrets cannot be told apart, since it is not valid YAML; mend it first`,
      );
    }
    captured.add(place, text);
    added.push({ path: place, name: input.file });
  }
  return parsed(
    texts.main === undefined
      ? { main: undefined, dropIns: added }
      : { main: added[0], dropIns: added.slice(1) },
  );
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
