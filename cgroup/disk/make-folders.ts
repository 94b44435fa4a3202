import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './system-error.ts';

/**
 * Makes a folder and those above it that are lacking, each with `mode`; what is there already stays as it is. Gives the
 * topmost one that was made, undefined where none was. Throws what the system has against it.
 *
 * Node's own recursive mkdir begins anew for ever where a folder is there and takes none (ENOENT, as anywhere in /proc):
 * here each folder is tried once more after the one above it, and then the system has the last word.
 */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  try {
    return makeOne(folder, mode);
  } catch (error) {
    const above = dirname(folder);
    if (errorCode(error) !== 'ENOENT' || above === folder) throw error;
    const first = makeFolders(above, mode);
    const made = makeOne(folder, mode);
    return first ?? made;
  }
}

function makeOne(folder: string, mode: number): string | undefined {
  try {
    mkdirSync(folder, { mode });
    return folder;
  } catch (error) {
    // A folder that is there may be refused for another reason first, as on a read-only filesystem.
    if (
      errorCode(error) !== 'ENOENT' &&
      statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ) {
      return undefined;
    }
    throw error;
  }
}
