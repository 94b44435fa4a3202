import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { sortBytewise } from '../byte-order.ts';
import type {
  ControlChildren,
  ControlFiles,
  ControlRead,
  ControlWritten,
  HeldCgroup,
  HeldOrNot,
  ReadableControlFile,
  WritableControlFile,
} from '../control-port.ts';
import { isCgroupPath, type LimitFailure, type LimitVanished } from '../limit-port.ts';
import { type Mount, openCgroup, openFileIn } from './mount.ts';
import { failed, notDone } from './not-done.ts';

/** cgroup.procs of a pod with very many processes is longer than this, and is read in several rounds. */
const BUFFER_BYTES = 64 * 1024;
/** A file of a fake tree could be anything; the PIDs of 2^22 processes, each with its line break, fit in this. */
const LONGEST_FILE_BYTES = 32 * 1024 * 1024;

/**
 * The control files of an open mount. A cgroup is opened once, component by component (see openCgroup), compared with the
 * inode that it must have, and held by its handle: everything after that goes through the handle, so that a cgroup that is
 * made under the same name meanwhile is never touched.
 */
export function controlFiles(mount: Mount): ControlFiles {
  return {
    isCgroup2: mount.isCgroup2,
    hold: (cgroup, inode) => hold(mount, cgroup, inode),
  };
}

function hold(mount: Mount, cgroup: string, inode: bigint): HeldOrNot {
  const name = `${mount.path}/${cgroup}`;
  if (!isCgroupPath(cgroup)) {
    return failed('EXDEV', `${name} is not a cgroup below the mount: it is left alone`);
  }
  try {
    const opened = openCgroup(mount, cgroup);
    if (opened.inode !== inode) {
      mount.calls.close(opened.fd);
      return { kind: 'vanished', remade: true, error: `${name} was removed and made anew meanwhile` };
    }
    return { kind: 'held', held: new OpenCgroup(mount, cgroup, opened) };
  } catch (error) {
    return notHeld(name, error);
  }
}

/** A cgroup by its handle. */
class OpenCgroup implements HeldCgroup {
  readonly cgroup: string;
  readonly inode: bigint;
  readonly #mount: Mount;
  readonly #fd: number;

  constructor(mount: Mount, cgroup: string, opened: { readonly fd: number; readonly inode: bigint }) {
    this.cgroup = cgroup;
    this.inode = opened.inode;
    this.#mount = mount;
    this.#fd = opened.fd;
  }

  read(file: ReadableControlFile): ControlRead {
    try {
      const fd = openFileIn(this.#mount, this.#fd, file, constants.O_RDONLY);
      try {
        const text = readWhole(this.#mount, fd);
        return text === undefined
          ? failed('EFBIG', `${this.#nameOf(file)}: this is too long for a control file; it is left alone`)
          : { kind: 'read', text };
      } finally {
        this.#mount.calls.close(fd);
      }
    } catch (error) {
      return this.#notDone(file, error);
    }
  }

  async write(file: WritableControlFile, value: '0' | '1'): Promise<ControlWritten> {
    const { calls, isCgroup2 } = this.#mount;
    try {
      const fd = openFileIn(this.#mount, this.#fd, file, constants.O_WRONLY);
      try {
        const bytes = Buffer.from(`${value}\n`, 'latin1');
        await calls.write(fd, bytes);
        if (!isCgroup2) {
          // A plain file keeps what is longer than the new text; the kernel's files have no length to cut.
          calls.truncate(fd, bytes.length);
        }
        return { kind: 'written' };
      } finally {
        calls.close(fd);
      }
    } catch (error) {
      return this.#notDone(file, error);
    }
  }

  children(): ControlChildren {
    try {
      return { kind: 'read', names: sortBytewise([...this.#mount.calls.folders(this.#fd)]) };
    } catch (error) {
      return notDone(this.#nameOf(''), error);
    }
  }

  child(name: string): HeldOrNot {
    const cgroup = `${this.cgroup}/${name}`;
    if (name.includes('/') || !isCgroupPath(name)) {
      return failed('EXDEV', `${this.#nameOf(name)} is not a cgroup in this one: it is left alone`);
    }
    try {
      return { kind: 'held', held: new OpenCgroup(this.#mount, cgroup, this.#openChild(name)) };
    } catch (error) {
      return notHeld(this.#nameOf(name), error);
    }
  }

  release(): void {
    this.#mount.calls.close(this.#fd);
  }

  #openChild(name: string): { readonly fd: number; readonly inode: bigint } {
    return openCgroup({ ...this.#mount, fd: this.#fd }, name);
  }

  #nameOf(file: string): string {
    return `${this.#mount.path}/${this.cgroup}${file === '' ? '' : `/${file}`}`;
  }

  #notDone(file: string, error: unknown): { readonly kind: 'missing' } | LimitVanished | LimitFailure {
    const result = notDone(this.#nameOf(file), error);
    return result.kind === 'vanished' && !this.#isGone() ? { kind: 'missing' } : result;
  }

  /** A file that is not there is either a file that this kernel does not have, or the cgroup itself is gone. */
  #isGone(): boolean {
    const { calls, isCgroup2 } = this.#mount;
    if (!isCgroup2) {
      return calls.stat(this.#fd).links === 0n;
    }
    try {
      // Every cgroup has this one; a folder of the kernel keeps its link count when it is removed.
      calls.close(openFileIn(this.#mount, this.#fd, 'cgroup.events', constants.O_RDONLY));
      return false;
    } catch {
      return true;
    }
  }
}

/** The content read to its end, since the kernel hands out a page of PIDs at a time; undefined when it is too long. */
function readWhole(mount: Mount, fd: number): string | undefined {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const pieces: string[] = [];
  let total = 0;
  for (;;) {
    const length = mount.calls.readOn(fd, buffer);
    total += length;
    if (length === 0 || total > LONGEST_FILE_BYTES) {
      return length === 0 ? pieces.join('') : undefined;
    }
    pieces.push(buffer.toString('latin1', 0, length));
  }
}

function notHeld(name: string, error: unknown): HeldOrNot {
  const result = notDone(name, error);
  return result.kind === 'vanished' ? { ...result, remade: false } : result;
}
