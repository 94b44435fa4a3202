import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from './make-folders.ts';
import { errorCode, failureSentence } from './system-error.ts';

/** Something that nodeqos' own files would not do: the system's code and a sentence. */
export interface StateFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Makes the folder of nodeqos' state, durably, where it is not there yet; only its owner may look into it, since what it
 * holds is what will be written to cgroups.
 */
export function makeStateFolder(folder: string): StateFailure | undefined {
  return stateFailure(folder, () => {
    const first = makeFolders(folder, 0o700);
    if (first !== undefined) {
      for (let made = folder; made.length >= first.length; made = dirname(made)) {
        syncFolder(dirname(made));
      }
    }
  });
}

/** Makes the names in a folder durable: a file that was renamed into it survives a power cut only after this. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Does something with `path` and gives what the system had against it, if anything. */
export function stateFailure(path: string, act: () => void): StateFailure | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    return { code, message: failureSentence(path, code) };
  }
}
