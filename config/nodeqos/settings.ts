import type { MemoryReservationPolicy } from '../kubelet/settings.ts';
import type { Threshold } from '../signal.ts';
import type { Taint } from '../taints/taint.ts';

/** nodeqos' own configuration, every key of it, with the defaults in. Durations in milliseconds, sizes in bytes. */
export interface NodeQosSettings {
  readonly mode: 'dry-run' | 'enforce';
  readonly kubeletConfiguration: { readonly file: string; readonly dropInDir?: string };
  readonly pods: { readonly source: string; readonly maxAgeMs: number };
  readonly stats: { readonly source: string };
  readonly kubelet: KubeletAccess;
  readonly api: ApiAccess;
  readonly runtime: RuntimeAccess;
  readonly memoryQos: {
    readonly enabled: boolean;
    readonly throttlingFactor?: number;
    readonly reservationPolicy?: MemoryReservationPolicy;
    readonly protection: 'kubelet' | 'safe';
    /** A share of the limit, 0 to below 1: 0.1 is 10%. */
    readonly headroom: number;
    readonly writer: 'cgroupfs' | 'systemd' | 'auto';
    readonly maxWritesPerTick: number;
    readonly onStop: 'keep' | 'reset';
  };
  readonly eviction: {
    readonly enabled: boolean;
    /** Replaces all of the kubelet's where it is there. */
    readonly thresholds?: readonly Threshold[];
    readonly pressureTransitionPeriodMs?: number;
    readonly maxPodGracePeriodSeconds?: number;
    readonly alongsideKubelet: 'observe' | 'act';
    readonly evictor: 'auto' | 'dry' | 'cgroup' | 'cri' | 'api';
    readonly budgetRefused: 'pass-over' | 'retry' | 'delete';
    readonly unmeasured: 'skip' | 'evict';
    readonly groups: 'ignore' | 'count';
    readonly protected: {
      readonly namespaces: readonly string[];
      readonly labels: ReadonlyMap<string, string>;
      readonly priorityAtLeast?: number;
    };
    readonly backOffMs: number;
  };
  readonly taints: TaintSettings;
  readonly loop: { readonly intervalMs: number; readonly minIntervalMs: number };
  readonly listen: string;
  readonly stateDir: string;
  /** `file` absent: audit.jsonl in the state folder. */
  readonly audit: { readonly file?: string; readonly maxBytes: bigint; readonly keep: number };
  readonly trace: { readonly enabled: boolean; readonly maxBytes: bigint };
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug' };
}

/** How a kubelet is asked; files as paths of this machine. */
export interface KubeletAccess {
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly clientCertificateFile?: string;
  readonly clientKeyFile?: string;
  readonly serverName?: string;
  /** How long one answer may take. */
  readonly deadlineMs: number;
}

/** How the API server is asked, and what it is told. */
export interface ApiAccess {
  /** Absent: the service account of the pod that nodeqos runs in. */
  readonly kubeconfig?: string;
  readonly events: boolean;
  readonly conditions: boolean;
  readonly taints: boolean;
  readonly deadlineMs: number;
}

/** How the container runtime is asked. */
export interface RuntimeAccess {
  /** A path or a unix: URL; absent: found. */
  readonly endpoint?: string;
  readonly deadlineMs: number;
}

/** Which NoExecute taints the node has, and whether they evict. */
export interface TaintSettings {
  readonly evict: boolean;
  /** The file with the Node. */
  readonly node?: string;
  /** NoExecute, each key once. */
  readonly extra: readonly Taint[];
}
