import type { CgroupDriver } from '../../../config/kubelet/settings.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { Signal } from '../../../config/signal.ts';

/** All that the doctor found out. A field that is absent could not be looked at here; nothing absent counts as "none". */
export interface DoctorFacts {
  readonly root: RootFacts;
  readonly kernel: KernelFacts;
  readonly cgroup: CgroupFacts;
  readonly pressure: PressureFacts;
  readonly systemd: SystemdFacts;
  readonly kubelet: KubeletFacts;
  readonly runtime: RuntimeFacts;
  readonly writers: WriterFacts;
  readonly own: OwnFacts;
}

/** What was looked at: this machine, a folder that looks like a node, or what a capture took of one. */
interface RootFacts {
  readonly kind: 'host' | 'folder' | 'capture';
  readonly name: string;
}

export interface KernelFacts {
  readonly release?: string;
  readonly memoryCapacityBytes?: bigint;
  readonly pageSizeBytes?: number;
  /** SwapTotal of /proc/meminfo. */
  readonly swapTotalBytes?: bigint;
  /** Whether pidfd_open(2) gave a descriptor of the doctor's own process, else the system's code. */
  readonly pidfd?: 'works' | { readonly code: string };
}

/** Where the memory controller is: on cgroup v2 alone, on the old hierarchy beside a cgroup2 mount, or without one. */
export type Hierarchy = 'unified' | 'hybrid' | 'v1' | 'none';

export interface CgroupFacts {
  /** What the cgroup2 mount is called. */
  readonly mountPoint: string;
  readonly hierarchy?: Hierarchy;
  /** Of the cgroup2 mount in use. */
  readonly options?: readonly string[];
  /** Why the root is not usable as cgroup v2 with its memory controller, as a sentence. */
  readonly fault?: string;
  /** What reading cgroup.controllers of the root gave. */
  readonly rootRead: 'read' | 'missing' | { readonly code: string };
  /** The root cgroup, the folders above the pods' cgroup, that one, and its tiers, in tree order. */
  readonly levels: readonly CgroupLevel[];
  /** The pods' cgroup, relative to the mount. */
  readonly kubepods: string;
  /** Whether a cgroup has these files; absent where no cgroup tells. */
  readonly files: Readonly<Partial<Record<CgroupFile, boolean>>>;
  /** Whether a limit of the pods' cgroup may be written by this user, else the system's code. */
  readonly limitWrite?: 'allowed' | { readonly code: string };
  /** min and low of the folders above the pods' cgroup, outermost first, in bytes; absent where not read. */
  readonly ancestors: readonly AncestorProtection[];
}

/** Files that came to cgroup v2 one after the other. */
export type CgroupFile = 'cgroup.kill' | 'cgroup.freeze' | 'memory.reclaim' | 'memory.peak';

export interface CgroupLevel {
  /** Relative to the mount; '' is the root. */
  readonly cgroup: string;
  readonly role: 'root' | 'above' | 'kubepods' | 'tier';
  readonly isThere: boolean;
  /** cgroup.controllers: what the parent hands down to it. */
  readonly controllers?: readonly string[];
  /** cgroup.subtree_control: what it hands down. */
  readonly handsDown?: readonly string[];
}

export interface AncestorProtection {
  readonly cgroup: string;
  readonly min?: bigint | 'max';
  readonly low?: bigint | 'max';
}

export interface PressureFacts {
  /** What reading /proc/pressure/memory gave. */
  readonly memory: 'read' | 'missing' | { readonly code: string };
  readonly file: string;
  /** `psi=` of the kernel's command line. */
  readonly bootOption?: string;
  /** CONFIG_PSI and CONFIG_PSI_DEFAULT_DISABLED of the kernel's configuration. */
  readonly built?: 'no' | 'off-by-default' | 'on';
  /** The window in seconds of the shortest trigger that could be armed, else the system's code. Absent: not tried. */
  readonly trigger?: { readonly windowSeconds: number } | { readonly code: string };
}

export interface SystemdFacts {
  readonly driver: {
    /** The driver that the cgroup tree is laid out by. */
    readonly found?: CgroupDriver;
    /** By KubeletConfiguration, or the kubelet's default. */
    readonly configured: CgroupDriver;
    readonly isStated: boolean;
    /** The one that is gone by. */
    readonly used: CgroupDriver;
  };
  /** Whether systemd answers on the system bus. Absent: not asked. */
  readonly bus?: { readonly version: string } | { readonly lack: string };
}

/** How the reading of a configuration ended. `message` is a sentence with file and line. */
export type ConfigurationLook =
  | { readonly kind: 'valid'; readonly file: string; readonly warnings: number }
  | { readonly kind: 'absent'; readonly place: string }
  | { readonly kind: 'refused'; readonly message: string; readonly more: number }
  | { readonly kind: 'unreadable'; readonly message: string };

export interface KubeletFacts {
  /** By what a live one was recognised; null: none lives here. */
  readonly alive?: string | null;
  readonly configuration: ConfigurationLook;
  /** status.nodeInfo.kubeletVersion of a Node object, such as v1.36.1. */
  readonly version?: string;
  /** featureGates.MemoryQoS; absent: not stated. */
  readonly gate?: boolean;
  /** Absent: off. */
  readonly readOnlyPort?: number;
  /** Credentials for the kubelet's authenticated port and for the API server, each with whether it can be read. */
  readonly credentials: readonly CredentialLook[];
}

export interface CredentialLook {
  readonly of: 'kubelet' | 'api';
  readonly path: string;
  readonly state: 'readable' | 'missing' | { readonly code: string };
}

interface RuntimeFacts {
  /** Absent: not looked, since sockets are of a running machine. */
  readonly sockets?: readonly SocketLook[];
}

export interface SocketLook {
  readonly path: string;
  /** Whose socket it is, for people: containerd, CRI-O. */
  readonly runtime: string;
  /** Who names it: where such runtimes put it, or a configuration. */
  readonly from: 'usual-place' | 'KubeletConfiguration' | 'nodeqos.yaml';
  readonly state: 'open' | 'denied' | 'missing' | 'no-socket';
}

export interface WriterFacts {
  /** Drop-ins of systemd that set memory limits of the pods' units. */
  readonly units?: readonly UnitSetting[];
  /** Folders of drop-ins that this user may not look into. */
  readonly hiddenUnits: readonly string[];
  /** By what systemd-oomd was recognised; null: it does not run. */
  readonly oomd?: string | null;
  /** Other agents by the names of their processes or cgroups, sorted. */
  readonly agents?: readonly AgentLook[];
  /** PIDs of other nodeqos that run and do not hold the lock, ascending. */
  readonly otherNodeqos?: readonly number[];
  readonly values: ForeignValues;
}

export interface UnitSetting {
  readonly file: string;
  /** Sorted: MemoryHigh, MemoryMin. */
  readonly keys: readonly string[];
}

export interface AgentLook {
  readonly name: string;
  /** What such an agent does to memory: it ends processes, or writes limits. */
  readonly does: 'kills' | 'limits';
  /** `process 812` or a cgroup. */
  readonly where: string;
}

/** Values below the pods' cgroup that are not the kernel's defaults and that no journal of nodeqos holds. */
export interface ForeignValues {
  /** `cgroup/file`, in tree order. Absent: the tree was not read. */
  readonly found?: readonly string[];
  /** Values that are the journal's. */
  readonly own: number;
  /** Why the journal was not read, as a sentence; absent: it was, or there is none. */
  readonly journalLack?: string;
}

export interface OwnFacts {
  readonly configuration: ConfigurationLook;
  readonly settings: Pick<NodeQosSettings, 'mode' | 'eviction' | 'memoryQos' | 'listen'>;
  /** What pods.source names, or what `auto` would take. */
  readonly podsSource: string;
  readonly podsLook: SourceLook;
  readonly statsLook: SourceLook;
  /** Why no runtime could be asked on a root that is a folder; absent: that is looked at by its sockets. */
  readonly runtimeLack?: string;
  /** Whether the policy in force gives any memory.high, and any memory.min or memory.low. */
  readonly policy: { readonly throttles: boolean; readonly protects: boolean };
  /** Signals with a threshold, and those that could be observed at this look; both sorted. */
  readonly signals: { readonly wanted: readonly Signal[]; readonly observed: readonly Signal[] };
  /** Absent: the state stayed on the node. */
  readonly stateFolder?: StateFolderLook;
  readonly lock?:
    | { readonly kind: 'free' | 'unknown' }
    | { readonly kind: 'held'; readonly pid: number; readonly command: string; readonly since: string };
  /** Of the doctor's own process; absent on a node that is not this machine. */
  readonly user?: { readonly uid: number; readonly capabilities: readonly string[] };
  /** Why there is no native part; absent: there is one. */
  readonly nativeLack?: string;
  readonly node: { readonly version: string; readonly isSupported: boolean };
  /** Absent: not looked. */
  readonly listen?: ListenLook;
}

/** Whether a source of nodeqos.yaml can be had, as far as looking tells; `none`: only --pods helps. */
export type SourceLook =
  | { readonly kind: 'there'; readonly found: string; readonly takes?: string }
  | { readonly kind: 'lacking'; readonly found: string; readonly remedy: string }
  | { readonly kind: 'none'; readonly found: string };

export interface StateFolderLook {
  readonly path: string;
  /** `to-be-made`: it is not there, and its nearest folder may be written. */
  readonly state: 'writable' | 'to-be-made' | 'no-folder' | { readonly code: string };
}

export interface ListenLook {
  /** Who is there already, whoever it is. */
  readonly isTaken: boolean;
  /** Whether other machines can ask. */
  readonly isOpen: boolean;
}
