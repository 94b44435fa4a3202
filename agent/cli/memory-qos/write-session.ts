import { isAmongCgroups } from '../../../cgroup/disk/among-cgroups.ts';
import { type JournalFile, openJournalFile } from '../../../cgroup/disk/journal-file.ts';
import { type Lock, takeLock } from '../../../cgroup/disk/lock-file.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { isPermission, takesNothing } from '../../../cgroup/disk/system-error.ts';
import type { LimitFiles } from '../../../cgroup/limit-port.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { readBootId } from '../../observe/machine.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { nodeLimits, type WriterSetting } from './limit-writer.ts';

/** Where a root can be written: its cgroup mount, and the folder of nodeqos' own state. */
export interface WritablePlaces {
  readonly cgroupMountPath: string;
  readonly stateFolder: string;
}

/** What a command that writes holds while it does. */
export interface WriteSession {
  readonly files: LimitFiles;
  readonly journal: JournalFile;
  /** Whether the process has been told to end. */
  interrupted(): boolean;
}

/** Who writes, and what tells it to stop. */
export interface Writer {
  readonly command: string;
  readonly signal: AbortSignal;
  /** `memoryQos.writer`. */
  readonly limitWriter: WriterSetting;
  /**
   * Told why there is no lock, where a full or read-only disk takes none and no living holder is known: the command then goes
   * on without one. Absent: it is refused.
   */
  readonly withoutLock?: (why: string) => void;
}

const DEFAULT_STATE_FOLDER = '/var/lib/nodeqos';

/**
 * Where to write, with the state folder that nodeqos.yaml names, below the root. Throws Failure 64 for a captured node:
 * what is written there changes no node, and the capture would no longer say what the node had.
 */
export function writablePlaces(root: NodeRoot, stateDir: string): WritablePlaces {
  const { cgroupMountPath, stateFolder } = root;
  if (cgroupMountPath === undefined || stateFolder === undefined || root.capture !== undefined) {
    throw new Failure(
      EXIT.usage,
      `${root.name} is a captured node, which cannot be written to; use plan on it`,
    );
  }
  return { cgroupMountPath, stateFolder: `${stateFolder.slice(0, -DEFAULT_STATE_FOLDER.length)}${stateDir}` };
}

/** Opens the journal of a root; changes nothing yet. Throws Failure 65 for one that cannot be trusted, 74, 77. */
export function openJournal(root: NodeRoot, places: WritablePlaces): JournalFile {
  const opening = openJournalFile(places.stateFolder, readBootId(root.files) ?? null, (cgroup) =>
    root.cgroups.inodeOf(cgroup),
  );
  switch (opening.kind) {
    case 'open':
      return opening.journal;
    case 'damaged':
      throw new Failure(EXIT.badData, opening.message);
    case 'failed':
      throw new Failure(statusOf(opening.code), opening.message);
  }
}

/**
 * Takes the lock, opens the journal and the mount, and hands them to `act`; lets go of everything at the end, also when the
 * process is told to end meanwhile. Throws Failure: 75 when somebody else writes, 69, 65, 74, 77.
 */
export async function withWriteSession<T>(
  root: NodeRoot,
  places: WritablePlaces,
  writer: Writer,
  act: (session: WriteSession) => Promise<T>,
): Promise<T> {
  const { stateFolder, cgroupMountPath } = places;
  if (isAmongCgroups(stateFolder, cgroupMountPath)) {
    const why = `lies among cgroups (the mount is ${cgroupMountPath}), where a new folder is a new cgroup`;
    throw new Failure(
      EXIT.badData,
      `stateDir: ${stateFolder} ${why}; name a place outside of the mount in nodeqos.yaml`,
    );
  }
  const release = lockFor(writer, takeLock(stateFolder, writer.command, Date.now()));
  process.once('exit', release);
  try {
    const mount = mountOf(root, places);
    const { files, close } = nodeLimits({ root, mount, writer: () => writer.limitWriter });
    try {
      return await act({
        files,
        journal: openJournal(root, places),
        interrupted: () => writer.signal.aborted,
      });
    } finally {
      close();
      closeMount(mount);
    }
  } finally {
    release();
    process.removeListener('exit', release);
  }
}

/** What lets go of the lock in the end. Throws Failure where there is none and the writer does not go on without it. */
function lockFor({ withoutLock }: Writer, lock: Lock): () => void {
  switch (lock.kind) {
    case 'held':
      return () => {
        lock.release();
      };
    case 'busy':
      throw new Failure(EXIT.tryAgain, lock.message);
    case 'failed':
      if (withoutLock === undefined || !takesNothing(lock.code)) {
        throw new Failure(statusOf(lock.code), lock.message);
      }
      withoutLock(lock.message);
      return () => undefined;
  }
}

/** The mount of a root, opened only to look: for --dry-run, which takes no lock. The caller closes it. Throws Failure 69. */
export function mountOf(root: NodeRoot, places: WritablePlaces): Mount {
  const mount = openMount(places.cgroupMountPath, root.kind !== 'host' || root.isFake);
  if (!mount.ok) {
    throw new Failure(EXIT.unavailable, mount.message);
  }
  return mount.value;
}

/** The exit status for a call of the system that failed. */
export function statusOf(code: string): ExitStatus {
  return isPermission(code) ? EXIT.notPermitted : EXIT.ioError;
}
