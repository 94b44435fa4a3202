import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { StateFailure } from './state-folder.ts';
import { errorCode, failureSentence } from './system-error.ts';

const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const AT_THE_END = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/**
 * Replaces a file in `folder` in one step, for its owner alone: a new file, made durable, renamed over the old one, and the
 * folder made durable. Waits for the disk without holding up the process. Rejects with the system's error; the old file
 * then is as it was.
 */
export async function replaceDurably(folder: string, path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  try {
    const file = await open(fresh, FRESH, 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    // What is in the way of the new file may be in the way of its removal too; the first reason is the one to tell.
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
  const names = await open(folder, 'r');
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}

/**
 * Adds text at the end of a file and makes it durable. What a full disk let through of it is cut off again, so that the file
 * stays whole. Rejects with the system's error.
 */
export async function appendDurably(path: string, text: string): Promise<void> {
  const file = await open(path, AT_THE_END);
  try {
    const { size } = await file.stat();
    try {
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      await file.truncate(size);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** Does something with `path` and gives what the system had against it, if anything. */
export async function failureOf(path: string, act: () => Promise<void>): Promise<StateFailure | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    return { code, message: failureSentence(path, code) };
  }
}
