import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import {
  isCgroupPath,
  isMemoryFile,
  type KnownLimitPlace,
  type LimitFailure,
  type LimitFiles,
  type LimitPlace,
  type LimitRead,
  type LimitVanished,
  type LimitWritten,
} from '../limit-port.ts';
import { parseLimit } from '../memory-files.ts';
import { type Mount, openCgroup, openFileIn } from './mount.ts';
import { failed, notDone } from './not-done.ts';

/** A limit file is one short number; what is longer than this is no limit file. */
const LONGEST_LIMIT_BYTES = 1024;

/**
 * What may be handed to a kernel. It takes more, and not as it looks: a line break alone is 0, a zero in front makes a number
 * octal, and 2^64 wraps to 0 (kernel: memparse, page_counter_memparse).
 */
const KERNEL_LIMIT = /^(?:max|0|[1-9][0-9]{0,18})\n?$/;

/** The limit files of an open mount. */
export function limitFiles(mount: Mount): LimitFiles {
  return {
    read: (place) => readLimit(mount, place),
    write: (place, text) => writeLimit(mount, place, text),
  };
}

/** Reads one limit file byte for byte, and the inode of its cgroup. */
export async function readLimit(mount: Mount, place: LimitPlace): Promise<LimitRead> {
  return await inLimitFile<LimitRead>(mount, place, constants.O_RDONLY, (fd, inode) => {
    const text = readWhole(mount, fd);
    refuseRemoved(mount, fd);
    return Promise.resolve(
      text === undefined
        ? failed('EFBIG', `${nameOf(mount, place)}: this is too long for a limit file; it is left alone`)
        : { kind: 'read', text, inode },
    );
  });
}

/**
 * Writes one limit file and looks again. `text` is the whole content that the file shall read, with its line break. The
 * file must exist and its cgroup must be the one with the inode of `place`. Only files of the mount are opened: no `..`, no
 * symbolic link, no other filesystem, nothing that is not a plain file; and nothing is ever created (an open that may create
 * says EACCES for a file that a cgroup does not have). The write is one call, since the kernel reads each as a value.
 */
export async function writeLimit(mount: Mount, place: KnownLimitPlace, text: string): Promise<LimitWritten> {
  if (mount.isCgroup2 && !KERNEL_LIMIT.test(text)) {
    return failed('EINVAL', `${nameOf(mount, place)}: ${quoted(text)} is no limit; nothing was written`);
  }
  return await inLimitFile<LimitWritten>(mount, place, constants.O_RDWR, async (fd) => {
    const bytes = Buffer.from(text, 'latin1');
    await mount.calls.write(fd, bytes);
    if (!mount.isCgroup2) {
      // A plain file keeps what is longer than the new text; the kernel's files have no length to cut.
      mount.calls.truncate(fd, bytes.length);
    }
    const found = readWhole(mount, fd);
    refuseRemoved(mount, fd);
    return found !== undefined && isSameLimit(found, text)
      ? { kind: 'written' }
      : otherValue(nameOf(mount, place), found, text);
  });
}

/**
 * A limit file of a removed cgroup answers ENODEV from then on to who has it open. A plain file goes on taking everything,
 * and nobody ever finds it again: a fake tree has to say what the kernel says.
 */
function refuseRemoved(mount: Mount, fd: number): void {
  if (!mount.isCgroup2 && mount.calls.stat(fd).links === 0n) {
    throw Object.assign(new Error('the file was removed while it was open'), { code: 'ENODEV' });
  }
}

function otherValue(name: string, found: string | undefined, text: string): LimitFailure {
  const now = found === undefined ? 'something else' : quoted(found);
  return failed(
    'EREADBACK',
    `${name}: found ${now} after writing ${quoted(text)}: another writer, or another page size than planned`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.trimEnd());
}

function isSameLimit(found: string, wanted: string): boolean {
  return found === wanted || (parseLimit(found) !== undefined && parseLimit(found) === parseLimit(wanted));
}

/** Opens a limit file, hands it over, closes everything, and turns what the system says into values. */
async function inLimitFile<T>(
  mount: Mount,
  place: LimitPlace,
  flags: number,
  use: (fd: number, inode: bigint) => Promise<T>,
): Promise<T | LimitVanished | LimitFailure> {
  const name = nameOf(mount, place);
  if (!isCgroupPath(place.cgroup) || !isMemoryFile(place.file)) {
    return failed(
      'EXDEV',
      `${name} is not memory.min, memory.low or memory.high of a cgroup: it is left alone`,
    );
  }
  try {
    const { fd: folder, inode } = openCgroup(mount, place.cgroup);
    try {
      if (place.inode !== undefined && place.inode !== inode) {
        return {
          kind: 'vanished',
          error: `${mount.path}/${place.cgroup} was removed and made anew meanwhile`,
        };
      }
      const file = openFileIn(mount, folder, place.file, flags);
      try {
        return await use(file, inode);
      } finally {
        mount.calls.close(file);
      }
    } finally {
      mount.calls.close(folder);
    }
  } catch (error) {
    return notDone(name, error);
  }
}

/** The content from the start, one character a byte so that it can be put back as it was; undefined when it is too long. */
function readWhole(mount: Mount, fd: number): string | undefined {
  const buffer = Buffer.allocUnsafe(LONGEST_LIMIT_BYTES + 1);
  const length = mount.calls.read(fd, buffer);
  return length > LONGEST_LIMIT_BYTES ? undefined : buffer.toString('latin1', 0, length);
}

function nameOf(mount: Mount, place: LimitPlace): string {
  return `${mount.path}/${place.cgroup}/${place.file}`;
}
