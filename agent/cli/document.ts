import type { Warning } from '../../cgroup/warning.ts';
import type { Io } from './io.ts';

/** The version of every document that nodeqos prints. */
export const API_VERSION = 'nodeqos.dev/v1alpha1';

/** Says each warning on stderr. */
export function sayWarnings(io: Io, warnings: readonly Warning[]): void {
  for (const { message } of warnings) io.warn(message);
}
