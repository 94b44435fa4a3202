import type { LimitFailure, LimitVanished } from './limit-port.ts';

/** Control files that may be read. */
export type ReadableControlFile = 'cgroup.events' | 'cgroup.freeze' | 'cgroup.procs';

/** Control files that may be written: `cgroup.kill` takes 1 only. */
export type WritableControlFile = 'cgroup.freeze' | 'cgroup.kill';

/** `missing`: the cgroup is there and has no such file, as cgroup.kill before Linux 5.14. */
export type ControlRead =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'missing' }
  | LimitVanished
  | LimitFailure;

export type ControlWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'missing' }
  | LimitVanished
  | LimitFailure;

/** The names of the cgroups inside one, sorted bytewise. */
export type ControlChildren =
  | { readonly kind: 'read'; readonly names: readonly string[] }
  | LimitVanished
  | LimitFailure;

/**
 * One cgroup, held: whatever happens to its name, this is the one that was opened. One that is removed is vanished for ever,
 * also when another of the same name is made. Nothing throws for what a machine can do.
 */
export interface HeldCgroup {
  /** Relative to the mount. */
  readonly cgroup: string;
  readonly inode: bigint;
  read(file: ReadableControlFile): ControlRead;
  write(file: WritableControlFile, value: '0' | '1'): Promise<ControlWritten>;
  children(): ControlChildren;
  /** Opens a cgroup inside this one by its name. */
  child(name: string): HeldOrNot;
  /** Lets go. The cgroups opened inside it are held by themselves. */
  release(): void;
}

/** `vanished` has `remade` where there is another cgroup of that name by now. */
export type HeldOrNot =
  | { readonly kind: 'held'; readonly held: HeldCgroup }
  | (LimitVanished & { readonly remade: boolean })
  | LimitFailure;

/** The control files of one cgroup mount. */
export interface ControlFiles {
  /** False on a fake tree, in which nothing runs. */
  readonly isCgroup2: boolean;
  /** Opens the cgroup with that inode and no other. */
  hold(cgroup: string, inode: bigint): HeldOrNot;
}
