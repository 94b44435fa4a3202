import { type FSWatcher, watch } from 'chokidar';

/** Several writes of one change, such as a file that is replaced together with a drop-in, are told as one. */
const SETTLING_MS = 150;

/**
 * Calls `onChange` after files or folders at the paths were made, changed or removed, once for what comes close together,
 * until the signal aborts; then it resolves. Paths that are not there yet are waited for. Rejects if watching fails.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) {
    return;
  }
  const watcher = watch([...paths], { ignoreInitial: true, depth: 5 });
  let settling: NodeJS.Timeout | undefined;
  watcher.on('all', () => {
    clearTimeout(settling);
    settling = setTimeout(onChange, SETTLING_MS);
  });
  try {
    await untilAborted(watcher, signal);
  } finally {
    clearTimeout(settling);
    await watcher.close();
  }
}

function untilAborted(watcher: FSWatcher, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
    watcher.on('error', (error) => {
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}
