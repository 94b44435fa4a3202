import { readFile, stat } from 'node:fs/promises';
import { EXIT, Failure } from '../exit.ts';

/** What a capture may take packed; unpacked it may take more (archive-tree.ts). */
const ARCHIVE_BYTES = 256 * 1024 * 1024;

/** What a root's path is. Throws Failure 65 for what is neither, 66 where there is nothing, 77 without permission. */
export async function kindOfPath(path: string, name: string): Promise<'folder' | 'file'> {
  const found = await attempt(() => stat(path), name);
  if (found.isDirectory()) {
    return 'folder';
  }
  if (!found.isFile()) {
    throw new Failure(EXIT.badData, `${name} is neither a folder nor a file; --root cannot be read from it`);
  }
  if (found.size > ARCHIVE_BYTES) {
    throw new Failure(
      EXIT.badData,
      `${name} is larger than ${ARCHIVE_BYTES} bytes; unpack it and give the folder with --root`,
    );
  }
  return 'file';
}

/** An archive's bytes as they lie on the disk. Throws as kindOfPath does. */
export async function readPacked(path: string, name: string): Promise<Uint8Array> {
  return attempt(() => readFile(path), name);
}

async function attempt<T>(read: () => Promise<T>, name: string): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    switch (code) {
      case 'ENOENT':
      case 'ENOTDIR':
        throw new Failure(EXIT.noInput, `${name} is not there; --root takes /, a folder or an archive`);
      case 'EACCES':
      case 'EPERM':
        throw new Failure(EXIT.notPermitted, `${name} may not be read by this user (${code})`);
      default:
        throw new Failure(EXIT.ioError, `${name} cannot be read (${code})`);
    }
  }
}
