import { readFileSync } from 'node:fs';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { errorCode } from './system-error.ts';

/** Who holds the lock. `token` is new for every taking of it. */
export interface Holder extends ProcessIdentity {
  readonly command: string;
  /** RFC 3339, for people. */
  readonly since: string;
  readonly token: string;
}

/** The lock's file in a state folder. */
export function lockPath(stateFolder: string): string {
  return `${stateFolder}/lock`;
}

/** Who holds the lock of a state folder; `unknown` where that cannot be read. */
export type LockHolder =
  | { readonly kind: 'free' | 'unknown' }
  | { readonly kind: 'held'; readonly pid: number; readonly command: string; readonly since: string };

/** Looks who holds the lock of a state folder at this moment, and takes nothing. A holder that has ended holds nothing. */
export function lockHolder(stateFolder: string): LockHolder {
  let seen: Holder | 'missing' | 'damaged';
  try {
    seen = readHolder(lockPath(stateFolder));
  } catch {
    return { kind: 'unknown' };
  }
  if (seen === 'missing') return { kind: 'free' };
  if (seen === 'damaged') return { kind: 'unknown' };
  if (isRunning(seen) === 'gone') return { kind: 'free' };
  return { kind: 'held', pid: seen.pid, command: seen.command, since: seen.since };
}

/** Who a lock's file names. Throws what the system has against reading it. */
export function readHolder(path: string): Holder | 'missing' | 'damaged' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return 'missing';
    }
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : 'damaged';
  } catch {
    return 'damaged';
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { pid, ...texts } = value as Record<string, unknown>;
  return (
    typeof pid === 'number' &&
    Number.isSafeInteger(pid) &&
    pid > 0 &&
    ['startTime', 'bootId', 'pidNamespace', 'command', 'since', 'token'].every(
      (key) => typeof texts[key] === 'string',
    )
  );
}
