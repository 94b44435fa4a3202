import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { compareBytewise } from '../../cgroup/byte-order.ts';
import type { CapturedFiles } from './captured-files.ts';

/** An archive, and what it takes before it is compressed. */
interface ArchiveBytes {
  readonly packed: Uint8Array;
  readonly unpackedBytes: number;
}

/**
 * The archive's bytes: every folder before what is in it, bytewise by path, all of them root's and of no time, so that the
 * same files give the same bytes.
 */
export async function archiveBytes(captured: CapturedFiles): Promise<ArchiveBytes> {
  const { files, folders } = captured;
  const archive = pack();
  const entries = new Map<string, string | undefined>();
  for (const path of [...folders, ...files.keys()]) {
    for (const folder of withParents(path)) {
      entries.set(folder, files.get(folder));
    }
  }
  for (const [path, text] of [...entries].sort(([a], [b]) => compareBytewise(a, b))) {
    const owner = { mtime: new Date(0), uid: 0, gid: 0 };
    if (text === undefined) {
      archive.entry({ name: path, type: 'directory', mode: 0o755, ...owner });
    } else {
      archive.entry({ name: path, mode: 0o644, ...owner }, text);
    }
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) {
    chunks.push(chunk as Uint8Array);
  }
  const unpacked = Buffer.concat(chunks);
  return { packed: gzipSync(unpacked), unpackedBytes: unpacked.length };
}

/**
 * Writes a file that only its owner may read, whole or not at all: under another name first, then under its own. Gives
 * false where the name is taken and `replace` is not given. Throws what the system throws.
 */
export function writeWhole(path: string, bytes: Uint8Array, replace: boolean): boolean {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(descriptor, bytes, written);
      }
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (replace) {
      renameSync(temporary, path);
      return true;
    }
    return linkUnlessTaken(temporary, path);
  } finally {
    removeIfThere(temporary);
  }
}

/** A link, unlike a rename, never takes a name from a file that came up meanwhile. */
function linkUnlessTaken(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || existsSync(path)) {
      return false;
    }
    if (code !== 'EPERM' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') {
      throw error;
    }
    // A stick with FAT on it has no links.
    renameSync(temporary, path);
    return true;
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw error;
    }
  }
}

function withParents(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
