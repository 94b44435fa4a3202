import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ExtractEvents } from 'tar-stream';
import { extract } from 'tar-stream';
import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { Parsed } from '../../../config/result.ts';
import { parsed, refused } from '../../../config/result.ts';
import { MemoryFolder } from './memory-folder.ts';

/** What an archive may unpack to, so that a few kilobytes cannot fill the memory. */
export interface ArchiveLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
}

/** Enough for a node of several thousand pods. */
export const ARCHIVE_LIMITS: ArchiveLimits = { unpackedBytes: 1024 * 1024 * 1024, entries: 1_000_000 };

const DEEPEST_PATH = 64;
const LONGEST_PATH = 4096;

/**
 * Reads a .tar.gz into memory as a folder to read from. Refused with a sentence: what is no gzip or no tar, a truncated
 * one, entries that are neither file nor folder, names that are absolute or lead out of the archive, doubled names, and
 * more than the limits. Nothing is ever written to a disk.
 */
export async function readArchive(
  bytes: Uint8Array,
  nameOf: (path: string) => string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Parsed<FileTree>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    return refused('is not a gzip-compressed archive');
  }
  const folder = new MemoryFolder(nameOf);
  try {
    const message = await unpack(bytes, folder, limits);
    return message === undefined ? parsed(folder) : refused(message);
  } catch (error) {
    return refused(`cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Fills the folder; gives what is wrong with the first bad entry. Throws what zlib and the tar reader throw. */
async function unpack(
  bytes: Uint8Array,
  folder: MemoryFolder,
  limits: ArchiveLimits,
): Promise<string | undefined> {
  let unpackedBytes = 0;
  let entries = 0;
  const gunzip = createGunzip();
  const reader = extract();
  gunzip.on('data', (chunk: Buffer) => {
    unpackedBytes += chunk.length;
    if (unpackedBytes > limits.unpackedBytes) {
      gunzip.destroy(new Error(`it holds more than ${limits.unpackedBytes} bytes`));
    }
  });
  gunzip.on('error', (error) => {
    reader.destroy(error);
  });
  Readable.from([bytes]).pipe(gunzip).pipe(reader);
  try {
    for await (const entry of reader) {
      entries += 1;
      const message =
        entries > limits.entries
          ? `holds more than ${limits.entries} entries`
          : await takeEntry(entry, folder, limits);
      if (message !== undefined) {
        return message;
      }
    }
    return entries === 0 ? 'holds nothing' : undefined;
  } finally {
    gunzip.destroy();
    reader.destroy();
  }
}

/** An entry while its header has been read and its content has not. */
type Entry = ExtractEvents['entry'][1];

/** Puts one entry into the folder; gives a sentence's end where it cannot be. */
async function takeEntry(
  entry: Entry,
  folder: MemoryFolder,
  limits: ArchiveLimits,
): Promise<string | undefined> {
  const { name, type, size } = entry.header;
  const path = entryPath(name);
  if (path === undefined) {
    return `holds the name ${JSON.stringify(name.slice(0, 200))}, which is not a path within it`;
  }
  if (type === 'directory') {
    entry.resume();
    return folder.addFolder(path) ? undefined : `holds ${JSON.stringify(path)} as a file and as a folder`;
  }
  if (type !== 'file' && type !== 'contiguous-file') {
    return `holds ${JSON.stringify(path)}, which is a ${type}; only files and folders are read`;
  }
  if (size > limits.unpackedBytes) {
    return `holds ${JSON.stringify(path)} with ${size} bytes; at most ${limits.unpackedBytes} are read`;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of entry) {
    chunks.push(chunk as Buffer);
  }
  return path !== '' && folder.addFile(path, Buffer.concat(chunks).toString('utf8'))
    ? undefined
    : `holds ${JSON.stringify(path)} twice, or as a file and as a folder`;
}

/** The name as a path below the archive's top, '' for the top; undefined where it leads elsewhere or is too deep. */
function entryPath(name: string): string | undefined {
  if (name.startsWith('/') || name.includes('\0') || name.length > LONGEST_PATH) {
    return undefined;
  }
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') || parts.length > DEEPEST_PATH ? undefined : parts.join('/');
}
