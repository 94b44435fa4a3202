import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DirectoryRead, FileRead, FileTree } from '../../cgroup/file-tree.ts';
import type { TextFile } from '../../config/finding.ts';
import { EXIT, Failure } from '../exit.ts';

/** What reading inputs needs of a tree. */
export type InputTree = Pick<FileTree, 'readFile' | 'readDirectory' | 'nameOf'>;

/** The paths of this machine, as a person gives them to a command: absolute, or relative to where it was started. */
export const HOST_PATHS: InputTree = {
  readFile: readHostFile,
  readDirectory: readHostDirectory,
  nameOf: (path) => path,
};

/**
 * Reads a file that a person named. Throws a Failure with a sentence: 66 for one that is missing or a folder (`instead`
 * says what to do about that), 77 for one that may not be read, 65 for one too long to hold, 74 for anything else that
 * the system says.
 */
export function readInputFile(
  path: string,
  tree: InputTree = HOST_PATHS,
  instead = 'a file was expected',
): TextFile {
  const file = tree.nameOf(path);
  const read = tree.readFile(path);
  switch (read.kind) {
    case 'read':
      return { file, text: read.text };
    case 'missing':
      throw new Failure(EXIT.noInput, `${file}: there is no such file; check the path`);
    case 'failed':
      throw failedRead(file, read.code, instead);
  }
}

/** The Failure for a system's error code at a file that a person named. */
export function failedRead(file: string, code: string, instead = 'a file was expected'): Failure {
  switch (code) {
    case 'EISDIR':
      return new Failure(EXIT.noInput, `${file}: this is a folder; ${instead}`);
    case 'ENOTDIR':
      return new Failure(EXIT.noInput, `${file}: there is no such file; a part of the path is not a folder`);
    case 'EACCES':
    case 'EPERM':
      return new Failure(EXIT.notPermitted, `${file}: not permitted to read it; run as a user who may`);
    case 'ERR_STRING_TOO_LONG':
    case 'ERR_FS_FILE_TOO_LARGE':
      return new Failure(EXIT.badData, `${file}: the file is too long to be read; split it`);
    default:
      return new Failure(EXIT.ioError, `${file}: reading it failed (${code})`);
  }
}

function readHostFile(path: string): FileRead {
  try {
    return { kind: 'read', text: readFileSync(path, 'utf8') };
  } catch (error) {
    return missingOrFailed(error);
  }
}

/** Symbolic links count as what they lead to; pipes, sockets and devices are listed as neither file nor folder. */
function readHostDirectory(path: string): DirectoryRead {
  try {
    const entries = readdirSync(path).map((name) => ({ name, stats: statOf(join(path, name)) }));
    const directories = entries.filter(({ stats }) => stats?.isDirectory() === true);
    const files = entries.filter(({ stats }) => stats?.isFile() === true);
    return { kind: 'read', directories: sortedNames(directories), files: sortedNames(files) };
  } catch (error) {
    return missingOrFailed(error);
  }
}

function statOf(path: string): ReturnType<typeof statSync> {
  return statSync(path, { throwIfNoEntry: false });
}

function sortedNames(entries: readonly { readonly name: string }[]): readonly string[] {
  return entries.map(({ name }) => name).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function missingOrFailed(error: unknown): { kind: 'missing' } | { kind: 'failed'; code: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) {
    throw error;
  }
  return code === 'ENOENT' ? { kind: 'missing' } : { kind: 'failed', code };
}
