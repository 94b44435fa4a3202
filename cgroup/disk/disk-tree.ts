import { closeSync, constants, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { sortBytewise } from '../byte-order.ts';
import type { DirectoryRead, FileRead, FileTree } from '../file-tree.ts';

/** Kernel files of interest are far smaller than this; larger ones are read in several rounds. */
const BUFFER_BYTES = 64 * 1024;
/**
 * A kernel file hands out at least this much at once if it has more, and so does a file on a disk: a shorter read was the
 * whole file, and a second call to see its end is saved.
 */
const WHOLE_IF_SHORTER_BYTES = 1024;
/** Without O_NONBLOCK, a named pipe in a folder from somewhere else would hold the reader for ever. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;
/** A cgroup tree has no links of its own: one in a folder that somebody prepared would lead into other people's files. */
const CGROUP_READ_FLAGS = READ_FLAGS | constants.O_NOFOLLOW;
/** A folder without subfolders has two links: its own name and its `.` (kernfs, tmpfs, ext4, xfs). */
const LINKS_OF_A_LEAF = 2;

const MISSING = { kind: 'missing' } as const;
/** What most limit files hold: the kernel's defaults. They are told by their bytes, which spares making a text. */
const ZERO = { kind: 'read', text: '0\n' } as const;
const MAX = { kind: 'read', text: 'max\n' } as const;
const DIGIT_ZERO = 48;
const LINE_FEED = 10;
const MAX_LINE_LENGTH = 4;
const MAX_LINE = 0x6d61780a;
const OUTSIDE = { kind: 'failed', code: 'EINVAL' } as const;

/**
 * A folder of this machine as a FileTree. One open, read and close for each file and no stat; every failure of the system
 * is a value. A symlink is never listed as a directory, so that a walk stays inside the folder and ends; in a cgroup tree a
 * link in the place of a file is `failed` with ELOOP.
 */
export function diskTree(folder: string, kind: 'any' | 'cgroups' = 'any'): FileTree {
  const flags = kind === 'cgroups' ? CGROUP_READ_FLAGS : READ_FLAGS;
  const base = folder === '/' ? '' : folder.replace(/\/+$/, '');
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const nameOf = (path: string): string => (path === '' ? base || '/' : `${base}/${path}`);
  // The whole name is made once and looked at once: thousands of long paths a second are noticed.
  const leaves = (name: string): boolean => hasParentStep(name, base.length);
  return {
    readFile: (path) => {
      const name = nameOf(path);
      return leaves(name) ? OUTSIDE : readWhole(name, buffer, flags);
    },
    readDirectory: (path) => {
      const name = nameOf(path);
      return leaves(name) ? OUTSIDE : listDirectory(name);
    },
    inodeOf: (path) => {
      const name = nameOf(path);
      return leaves(name) ? undefined : inode(name);
    },
    isLeaf: (path) => {
      const name = nameOf(path);
      return !leaves(name) && hasLeafLinks(name);
    },
    nameOf,
  };
}

/** Whether a path could lead out of the folder by its names alone: it has a `..` after the folder's own name. */
function hasParentStep(name: string, from: number): boolean {
  return name.includes('..', from) && name.slice(from).split('/').includes('..');
}

function readWhole(name: string, buffer: Buffer, flags: number): FileRead {
  let descriptor: number;
  try {
    descriptor = openSync(name, flags);
  } catch (error) {
    return failure(error);
  }
  try {
    const length = readSync(descriptor, buffer, 0, BUFFER_BYTES, null);
    if (length >= WHOLE_IF_SHORTER_BYTES) {
      return { kind: 'read', text: readRest(descriptor, buffer, length) };
    }
    return defaultIn(buffer, length) ?? { kind: 'read', text: buffer.toString('utf8', 0, length) };
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(descriptor);
  }
}

function defaultIn(buffer: Buffer, length: number): FileRead | undefined {
  if (length === 2 && buffer[0] === DIGIT_ZERO && buffer[1] === LINE_FEED) {
    return ZERO;
  }
  return length === MAX_LINE_LENGTH && buffer.readUInt32BE(0) === MAX_LINE ? MAX : undefined;
}

/** Reads on until nothing is left; pieces are joined as bytes, since a character may lie across two of them. */
function readRest(descriptor: number, buffer: Buffer, first: number): string {
  const pieces: Buffer[] = [Buffer.from(buffer.subarray(0, first))];
  for (;;) {
    const length = readSync(descriptor, buffer, 0, BUFFER_BYTES, null);
    if (length === 0) {
      return Buffer.concat(pieces).toString('utf8');
    }
    pieces.push(Buffer.from(buffer.subarray(0, length)));
  }
}

function listDirectory(name: string): DirectoryRead {
  try {
    const directories: string[] = [];
    const files: string[] = [];
    for (const entry of readdirSync(name, { withFileTypes: true })) {
      (entry.isDirectory() ? directories : files).push(entry.name);
    }
    return {
      kind: 'read',
      directories: sortBytewise(directories),
      files: sortBytewise(files),
    };
  } catch (error) {
    return failure(error);
  }
}

function inode(name: string): bigint | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** Link counts tell a folder without subfolders at the price of one stat; where they do not, it is simply listed. */
function hasLeafLinks(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.nlink === LINKS_OF_A_LEAF;
  } catch {
    return false;
  }
}

/** ENOTDIR is a path through a file: what was asked for is not there. ENODEV is a cgroup that went away under an open file. */
function failure(
  error: unknown,
): { readonly kind: 'missing' } | { readonly kind: 'failed'; readonly code: string } {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
  return code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : { kind: 'failed', code };
}
