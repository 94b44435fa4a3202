import type { Warning } from '../../../cgroup/warning.ts';
import type { Io } from './io.ts';

/** Says each warning on stderr. */
export function sayWarnings(io: Io, warnings: readonly Warning[]): void {
  for (const { message } of warnings) io.warn(message);
}
