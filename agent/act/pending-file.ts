import type { StateFailure } from '../../cgroup/disk/state-folder.ts';
import type { PendingRelease } from '../model/eviction.ts';

/** An eviction that was begun, and the very cgroup that it is of. */
export interface PendingEviction extends PendingRelease {
  readonly cgroup: string | undefined;
  readonly inode: bigint | undefined;
}

/** Evictions that were begun and not seen to end, on disk so that the next agent knows of them. */
export interface PendingFile {
  readonly pending: readonly PendingEviction[];
  /** Durable when it resolves; a failure leaves the entry out of the file, not out of `pending`. */
  add(eviction: PendingEviction): Promise<StateFailure | undefined>;
  /** By the pod: UID where both have one, else namespace and name. */
  remove(pod: Pick<PendingRelease, 'namespace' | 'name' | 'uid'>): Promise<StateFailure | undefined>;
}

export interface OpenedPendingFile {
  readonly file: PendingFile;
  /** What was wrong with the file that was there: its entries are lost. */
  readonly trouble?: string;
}

/** Opens the pending evictions of a state folder; those of another boot are dropped, since their pods ended with it. */
export function openPendingFile(_stateFolder: string, _bootId: string | null): OpenedPendingFile {
  throw new Error('not yet');
}
