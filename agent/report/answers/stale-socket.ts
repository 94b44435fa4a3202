import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { errorCode } from '../../../cgroup/disk/system-error.ts';

/**
 * Makes room for a unix socket: one that a killed process left behind, which nobody answers at, is removed. Gives a sentence
 * where somebody answers, or where something else has that name, which is then left as it is. Rejects with the system's error.
 */
export async function clearStaleSocket(path: string): Promise<string | undefined> {
  const what = await kindOf(path);
  if (what === 'missing') {
    // The system's own answer would be called missing permission by the runtime.
    const isThere = (await kindOf(dirname(path))) !== 'missing';
    return isThere ? undefined : `unix:${path}: there is no such folder for the socket`;
  }
  if (what === 'other') return `unix:${path} is not a socket, so it is left as it is; move it away`;
  const answered = await isAnswered(path);
  if (answered) return `unix:${path} is in use by another program`;
  await rm(path, { force: true });
  return undefined;
}

async function kindOf(path: string): Promise<'missing' | 'socket' | 'other'> {
  try {
    return (await lstat(path)).isSocket() ? 'socket' : 'other';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    throw error;
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = errorCode(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false);
      // A full backlog is somebody's.
      else if (code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}
