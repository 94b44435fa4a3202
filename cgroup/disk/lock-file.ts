import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Holder, lockPath, readHolder } from './lock-holder.ts';
import { isRunning, ownIdentity } from './process-identity.ts';
import { makeStateFolder, type StateFailure, stateFailure } from './state-folder.ts';
import { errorCode, takesNothing } from './system-error.ts';

export type Lock =
  /** `isOurs`: whether it still is, since somebody can remove the folder that it lies in. */
  | { readonly kind: 'held'; isOurs(): boolean; release(): void }
  /** Somebody else writes; the sentence names who, with which command and since when. */
  | { readonly kind: 'busy'; readonly message: string }
  | ({ readonly kind: 'failed' } & StateFailure);

/** Takers that died while taking over from the dead; more in a row than this is not an accident. */
const DEEPEST_TAKEOVER = 4;
const ATTEMPTS = 8;

/**
 * Takes the lock of a state folder for `command`, so that there is one writer. The lock is a file with the holder's PID and
 * start time, made whole under another name and then linked into place, which only one process can do; it is never seen
 * half-written. A lock whose holder is gone is taken over. Where the filesystem takes no new file, a living holder's lock that
 * is there all the same makes it busy; `failed` with such a code then says that no holder is known.
 */
export function takeLock(stateFolder: string, command: string, nowMs: number): Lock {
  const failure = makeStateFolder(stateFolder);
  if (failure !== undefined) {
    return { kind: 'failed', ...failure };
  }
  const path = lockPath(stateFolder);
  const lock = takeOnDisk(path, command, nowMs);
  if (lock.kind !== 'failed' || !takesNothing(lock.code)) return lock;
  let other: Lock | undefined;
  const unread = stateFailure(path, () => {
    other = heldByOther(path);
  });
  return unread === undefined ? (other ?? lock) : { kind: 'failed', ...unread };
}

function takeOnDisk(path: string, command: string, nowMs: number): Lock {
  const holder: Holder = {
    ...ownIdentity(),
    command,
    since: new Date(nowMs).toISOString(),
    token: randomUUID(),
  };
  const own = `${path}.${holder.token}`;
  let lock: Lock | undefined;
  const failed = stateFailure(path, () => {
    try {
      writeDurably(own, `${JSON.stringify(holder)}\n`);
      lock = takeWith({ path, own, token: holder.token }, 0);
      if (lock.kind === 'held') removeLeftovers(path);
    } finally {
      rmSync(own, { force: true });
    }
  });
  return lock ?? { kind: 'failed', code: failed?.code ?? 'EIO', message: failed?.message ?? path };
}

/** The lock of somebody who may live, looked at and not taken; undefined where there is none. */
function heldByOther(path: string): Lock | undefined {
  const seen = readHolder(path);
  if (seen === 'missing') return undefined;
  if (seen === 'damaged') return { kind: 'busy', message: damagedSentence(path) };
  const state = isRunning(seen);
  return state === 'gone' ? undefined : { kind: 'busy', message: busySentence(path, seen, state) };
}

interface Taking {
  readonly path: string;
  /** A file of this taker that holds its name, to be linked. */
  readonly own: string;
  readonly token: string;
}

function takeWith(taking: Taking, depth: number): Lock {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (linkOnce(taking)) {
      return {
        kind: 'held',
        isOurs: () => isTakers(taking),
        release: () => {
          release(taking);
        },
      };
    }
    const seen = readHolder(taking.path);
    if (seen === 'damaged') {
      return { kind: 'busy', message: damagedSentence(taking.path) };
    }
    if (seen !== 'missing') {
      const state = isRunning(seen);
      if (state !== 'gone' || depth === DEEPEST_TAKEOVER) {
        return { kind: 'busy', message: busySentence(taking.path, seen, state) };
      }
      const lock = takeOver(taking, seen, depth);
      if (lock !== undefined) {
        return lock;
      }
    }
  }
  return { kind: 'busy', message: `${taking.path}: the lock changes hands all the time; try again` };
}

/**
 * Takes a lock over from a dead holder. Two takers may see the same dead one, and the slower must not take the lock from
 * the faster: so a taker first takes a lock on taking over (in the same way), and under it looks again whether the lock is
 * still the dead one's. Then nobody else changes it: the dead do not, and others cannot link over it.
 */
function takeOver(taking: Taking, dead: Holder, depth: number): Lock | undefined {
  const guard = takeWith({ ...taking, path: `${taking.path}.takeover` }, depth + 1);
  if (guard.kind !== 'held') {
    return guard;
  }
  try {
    const seen = readHolder(taking.path);
    if (typeof seen !== 'string' && seen.token === dead.token) {
      const copy = `${taking.own}.over`;
      linkSync(taking.own, copy);
      renameSync(copy, taking.path);
      return {
        kind: 'held',
        isOurs: () => isTakers(taking),
        release: () => {
          release(taking);
        },
      };
    }
    return undefined;
  } finally {
    guard.release();
  }
}

/** The names of takers' own files: with `.over`, one that was about to take over. */
const OWN_FILE = /^lock\.[0-9a-f-]{36}(?:\.over)?$/;

/** Removes what takers left that were killed while they took the lock. What may be a living one's stays. */
function removeLeftovers(path: string): void {
  stateFailure(path, () => {
    const folder = dirname(path);
    for (const name of readdirSync(folder).filter((one) => OWN_FILE.test(one))) {
      const seen = readHolder(`${folder}/${name}`);
      if (typeof seen !== 'string' && isRunning(seen) === 'gone')
        rmSync(`${folder}/${name}`, { force: true });
    }
  });
}

function linkOnce(taking: Taking): boolean {
  try {
    linkSync(taking.own, taking.path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** Lets go. A lock that cannot be removed (a filesystem that became read-only) is taken over once this process has ended. */
function release(taking: Taking): void {
  stateFailure(taking.path, () => {
    if (isTakers(taking)) {
      rmSync(taking.path, { force: true });
    }
  });
}

function isTakers({ path, token }: Taking): boolean {
  const seen = readHolder(path);
  return typeof seen !== 'string' && seen.token === token;
}

function damagedSentence(path: string): string {
  return `${path}: this lock cannot be read; remove it if no nodeqos runs`;
}

function busySentence(path: string, holder: Holder, state: 'running' | 'gone' | 'unknown'): string {
  const who = `nodeqos ${holder.command} (PID ${holder.pid}) has written here since ${holder.since}`;
  const doubt =
    state === 'unknown'
      ? `, in a PID namespace that is not seen from here; remove ${path} if it is gone`
      : '';
  return `${path}: ${who}${doubt}; only one may write, try again when it has ended`;
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
