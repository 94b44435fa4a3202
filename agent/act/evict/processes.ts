/** What signalling a process gave; `code` is the system's. */
export type Signalled =
  | { readonly kind: 'sent' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly code: string };

/** One process, held as far as the kernel lets one: by a pidfd, it is this process and no later one with its PID. */
export interface HeldProcess {
  readonly pid: number;
  signal(name: 'SIGTERM' | 'SIGKILL'): Signalled;
  release(): void;
}

/** What tells the first process of a container from its others. */
export interface ProcessFacts {
  readonly parentPid: number;
  /** Field 22 of /proc/PID/stat: clock ticks from boot to its start. */
  readonly startTicks: bigint;
}

/** The processes of this machine, by the PIDs of the namespace that nodeqos is in. */
export interface Processes {
  readonly ownPid: number;
  /** undefined: no such process is seen. */
  facts(pid: number): ProcessFacts | undefined;
  /** undefined: it is gone. */
  hold(pid: number): HeldProcess | undefined;
}
