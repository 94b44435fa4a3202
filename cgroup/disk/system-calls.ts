import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, readSync, write } from 'node:fs';
import { promisify } from 'node:util';

interface FileStat {
  readonly isFile: boolean;
  readonly device: bigint;
  readonly inode: bigint;
  readonly links: bigint;
}

/**
 * The system's calls as those who write to cgroups need them; each throws the system's error. They are quick, and so they are
 * waited for, but for the write: lowering memory.high reclaims inside it and can take long.
 */
export interface SystemCalls {
  open(path: string, flags: number): number;
  stat(fd: number): FileStat;
  /** Reads from the start of the file, as a fresh look; gives the number of bytes. */
  read(fd: number, buffer: Uint8Array): number;
  /** Reads on from where the last such read ended; 0 at the end of the file. */
  readOn(fd: number, buffer: Uint8Array): number;
  /** Writes all at the start of the file in one call. */
  write(fd: number, bytes: Uint8Array): Promise<void>;
  truncate(fd: number, bytes: number): void;
  /** The names of the folders inside an open folder; a symbolic link is none. */
  folders(fd: number): readonly string[];
  close(fd: number): void;
}

const writeInThread = promisify(write);

/** The calls of the machine that nodeqos runs on. */
export const SYSTEM_CALLS: SystemCalls = {
  open: (path, flags) => openSync(path, flags),
  stat: (fd) => {
    const stat = fstatSync(fd, { bigint: true });
    return { isFile: stat.isFile(), device: stat.dev, inode: stat.ino, links: stat.nlink };
  },
  read: (fd, buffer) => readSync(fd, buffer, 0, buffer.length, 0),
  readOn: (fd, buffer) => readSync(fd, buffer, 0, buffer.length, null),
  write: async (fd, bytes) => {
    await writeInThread(fd, bytes, 0, bytes.length, 0);
  },
  truncate: (fd, bytes) => {
    ftruncateSync(fd, bytes);
  },
  folders: (fd) =>
    readdirSync(`/proc/self/fd/${fd}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  close: (fd) => {
    closeSync(fd);
  },
};
