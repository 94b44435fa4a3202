/** A pod sandbox, as a list of them has it. */
export interface Sandbox {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty where whoever made it gave it none. */
  readonly uid: string;
  /** Counts up each time that the sandbox of one pod is made again. */
  readonly attempt: number;
  readonly isReady: boolean;
  /** Nanoseconds since the epoch. */
  readonly createdAtNs: bigint;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
}

/** A container, as a list of them has it. */
export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly createdAtNs: bigint;
  readonly annotations: ReadonlyMap<string, string>;
}

/** What the status of a sandbox adds to that. */
export interface SandboxDetail {
  /** The cgroup that its containers are in, as the runtime was told; undefined where it does not say so. */
  readonly cgroupParent?: string;
  readonly isOnHostNetwork: boolean;
}

/** What the status of a container adds to that. A limit that is absent is none, or the runtime does not say it. */
export interface ContainerDetail {
  readonly memoryLimitBytes?: bigint;
  /** Thousandths of a processor. */
  readonly cpuLimitMilli?: bigint;
}

/** Who answers. */
export interface RuntimeVersion {
  /** As it calls itself: `containerd`, `cri-o`. */
  readonly name: string;
  readonly version: string;
}
