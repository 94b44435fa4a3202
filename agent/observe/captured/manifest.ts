import type { Warning } from '../../../cgroup/warning.ts';
import type { NodeFilesystems } from '../../model/node.ts';
import type { HostFacts } from '../host.ts';

/** A file or folder of the captured node that was there and could not be read; the capture answers as the node did. */
export interface CapturedFailure {
  /** Relative to the root, without a leading slash; always as in the archive. */
  readonly path: string;
  /** The system's code: EACCES, EIO, EOPNOTSUPP. */
  readonly code: string;
}

/** Where in the captured root an input lies, and what it was called on the node: messages keep naming it so. */
export interface CapturedInput {
  /** Relative to the root, without a leading slash. */
  readonly path: string;
  readonly name: string;
}

/** What was given on the command line of `capture` or found by it, so that nothing has to be given again. */
export interface CapturedInputs {
  readonly kubeletConfig?: CapturedInput;
  readonly kubeletDropIns: readonly CapturedInput[];
  readonly nodeqosConfig?: CapturedInput;
  readonly nodeqosDropIns: readonly CapturedInput[];
  readonly pods?: CapturedInput;
  /** What reading the pods had to say; the captured ones are clean and say nothing. */
  readonly podWarnings: readonly Warning[];
  readonly node?: CapturedInput;
  readonly statsSummary?: CapturedInput;
  readonly nodeName?: string;
  /** `--memory-capacity`, where it was given. */
  readonly memoryCapacityBytes?: bigint;
  /** `--cgroup-driver`, where it was given and not `auto`. */
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
}

/**
 * `nodeqos-capture.json`, at the top of an archive or of its unpacked folder: what the files of a captured node do not say
 * themselves. There is no time in it, so that an unchanged node gives the same archive again.
 */
export interface CaptureManifest {
  /** What the root was called on the node: `/`, or the folder of a fake node. Names in messages start with it. */
  readonly root: string;
  /** What the cgroup2 mount was called on the node. In the archive it is always at `sys/fs/cgroup`. */
  readonly cgroupRoot: string;
  /** Where the node's own /proc/mounts has that mount. */
  readonly cgroupMountPoint: string;
  readonly pageSizeBytes: number;
  readonly inputs: CapturedInputs;
  /** Absent where the disks of the node were not observed. */
  readonly filesystems?: NodeFilesystems;
  /** Facts for people; absent where the captured node was not a machine itself. */
  readonly host?: HostFacts;
  readonly failures: readonly CapturedFailure[];
}

/** The manifest's name at the top of a captured root. */
export const MANIFEST_FILE = 'nodeqos-capture.json';

/** Where the cgroup2 mount lies in a captured root. */
export const CAPTURED_CGROUPS = 'sys/fs/cgroup';
