import { watchFiles } from '../../../config/watch.ts';
import type { WakeSource } from '../../ports.ts';

/**
 * Wakes after a change of files or folders at the paths, which need not be there yet. Watching that fails later, such as for
 * want of watches, is told to `failed` as a sentence; the loop still looks by itself.
 */
export function filesWake(
  name: string,
  paths: readonly string[],
  failed: (sentence: string) => void,
): WakeSource {
  return {
    name,
    start: (wake, signal) => {
      if (paths.length > 0) {
        watchFiles(paths, wake, signal).catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          failed(`changes of ${paths.join(', ')} wake nobody between two ticks: ${why}`);
        });
      }
      return undefined;
    },
  };
}
