import { constants, statfsSync } from 'node:fs';
import { type Parsed, parsed, refused } from '../../config/result.ts';
import { SYSTEM_CALLS, type SystemCalls } from './system-calls.ts';
import { errorCode, failureSentence } from './system-error.ts';

/** f_type of cgroup2 (linux/magic.h: CGROUP2_SUPER_MAGIC). */
const CGROUP2_MAGIC = 0x63677270;
/** open(2) O_PATH: a handle that names a file without opening its content; Node has no constant for it. */
const O_PATH = 0o10000000;
const NAMES_A_FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const NAMES_A_FILE = O_PATH | constants.O_NOFOLLOW;

/** A cgroup mount, held open: everything is opened below this very folder, whatever its path leads to later. */
export interface Mount {
  readonly path: string;
  readonly fd: number;
  readonly device: bigint;
  /** False on a fake tree, whose files are plain ones: they keep what they are given and have to be cut. */
  readonly isCgroup2: boolean;
  readonly calls: SystemCalls;
}

/**
 * Opens a cgroup mount at `path`, which may lead through symbolic links: it is the operator's word. `isFake` waives the
 * check that it is a cgroup2 filesystem. Gives a sentence where it cannot be used; see closeMount.
 */
export function openMount(path: string, isFake: boolean, calls: SystemCalls = SYSTEM_CALLS): Parsed<Mount> {
  try {
    const fd = calls.open(path, O_PATH | constants.O_DIRECTORY);
    const isCgroup2 = statfsSync(`/proc/self/fd/${fd}`).type === CGROUP2_MAGIC;
    if (!isCgroup2 && !isFake) {
      calls.close(fd);
      return refused(`${path} is not a cgroup2 filesystem: nothing is written there`);
    }
    return parsed({ path, fd, device: calls.stat(fd).device, isCgroup2, calls });
  } catch (error) {
    return refused(failureSentence(path, errorCode(error)));
  }
}

/** Lets go of a mount. */
export function closeMount(mount: Mount): void {
  mount.calls.close(mount.fd);
}

/** Why a place below a mount was not opened, as a sentence. */
export class PlaceError extends Error {}

/**
 * Opens the folder of a cgroup component by component, each below the one before by its handle and never through a symbolic
 * link, so that no rename or link made meanwhile leads out of the mount. Throws PlaceError or the system's error.
 */
export function openCgroup(mount: Mount, cgroup: string): { readonly fd: number; readonly inode: bigint } {
  const { calls } = mount;
  let fd = mount.fd;
  let inode = 0n;
  try {
    for (const part of cgroup.split('/')) {
      const next = calls.open(`/proc/self/fd/${fd}/${part}`, NAMES_A_FOLDER);
      closeBelow(mount, fd);
      fd = next;
      const stat = calls.stat(fd);
      if (stat.device !== mount.device) {
        throw new PlaceError('the cgroup leads to another filesystem; it is left alone');
      }
      inode = stat.inode;
    }
  } catch (error) {
    closeBelow(mount, fd);
    throw error;
  }
  return { fd, inode };
}

function closeBelow(mount: Mount, fd: number): void {
  if (fd !== mount.fd) {
    mount.calls.close(fd);
  }
}

/**
 * Opens `file` in an opened folder: it is named first, looked at (a plain file with one name, on the mount's device), and
 * only then opened, the same one, with `flags`; nothing is ever created.
 */
export function openFileIn(mount: Mount, folder: number, file: string, flags: number): number {
  const { calls } = mount;
  const named = calls.open(`/proc/self/fd/${folder}/${file}`, NAMES_A_FILE);
  try {
    const stat = calls.stat(named);
    if (!stat.isFile || stat.links > 1n || stat.device !== mount.device) {
      throw new PlaceError('this is not a plain file of the mount; it is left alone');
    }
    return calls.open(`/proc/self/fd/${named}`, flags);
  } finally {
    calls.close(named);
  }
}
