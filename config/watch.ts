import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

/** Several writes of one change, such as a file that is replaced together with a drop-in, are told as one. */
const SETTLING_MS = 150;
/** How often the paths are looked at beside the system's own notices. */
const LOOK_EVERY_MS = 1000;
/** Folders inside folders are watched down to here. */
const DEPTH = 5;

/**
 * Calls `onChange` after files or folders at the paths were made, changed or removed, once for what comes close together,
 * until the signal aborts; then it resolves. Paths that are not there yet, or not any more, are waited for. Rejects if
 * watching fails.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) {
    return;
  }
  let known = paths.map(pathSignature).join('\n');
  let settling: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      known = paths.map(pathSignature).join('\n');
      onChange();
    }, SETTLING_MS);
  };
  const watcher = watch([...paths], { ignoreInitial: true, depth: DEPTH });
  watcher.on('all', changed);
  // The system's notices are of what is there, not of names: of a file that was removed and comes back they say nothing.
  const looking = setInterval(() => {
    if (paths.map(pathSignature).join('\n') !== known) changed();
  }, LOOK_EVERY_MS);
  try {
    await untilAborted(watcher, signal);
  } finally {
    clearInterval(looking);
    clearTimeout(settling);
    await watcher.close();
  }
}

/** What changes whenever a file, or anything right inside a folder, is made, changed, replaced or removed. Throws nothing. */
export function pathSignature(path: string): string {
  return orCode(path, () => {
    const stat = statSync(path, { bigint: true });
    const own = statSignature(path, stat);
    const names = stat.isDirectory() ? readdirSync(path).sort() : [];
    return [own, ...names.map((name) => entrySignature(join(path, name)))].join('\n');
  });
}

function entrySignature(path: string): string {
  return orCode(path, () => statSignature(path, statSync(path, { bigint: true })));
}

function statSignature(path: string, { ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** What a look gives, or the system's code in its place. */
function orCode(path: string, look: () => string): string {
  try {
    return look();
  } catch (error) {
    return `${path} ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}`;
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
