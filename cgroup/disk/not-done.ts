import type { LimitFailure, LimitVanished } from '../limit-port.ts';
import { PlaceError } from './mount.ts';
import { errorCode, failureSentence } from './system-error.ts';

/** What the system, or a place that was not opened, had against something with a file of a cgroup. */
export function notDone(name: string, error: unknown): LimitVanished | LimitFailure {
  if (error instanceof PlaceError) {
    return failed('EXDEV', `${name}: ${error.message}`);
  }
  const code = errorCode(error);
  // ENODEV is what an open file of a removed cgroup says.
  return code === 'ENOENT' || code === 'ENODEV'
    ? { kind: 'vanished', error: `${name} is gone` }
    : failed(code, failureSentence(name, code));
}

/** A failure with a code and a sentence. */
export function failed(code: string, error: string): LimitFailure {
  return { kind: 'failed', code, error };
}
