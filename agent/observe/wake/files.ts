import type { WakeSource } from '../../ports.ts';

/** Wakes after a change of files or folders at the paths, which need not be there yet. */
export function filesWake(
  _name: string,
  _paths: readonly string[],
  _failed: (sentence: string) => void,
): WakeSource {
  throw new Error('not yet');
}
