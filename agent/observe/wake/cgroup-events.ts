import { type FSWatcher, watch } from 'node:fs';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type { WakeSource } from '../../ports.ts';

/** The one file of these folders whose change matters: limits are hit and processes killed anywhere below (kernel: memory.events). */
const EVENTS_FILE = 'memory.events';

/**
 * Wakes when the cgroup of a pod comes or goes, and when memory.events of all pods change, by inotify on kubepods and its
 * tiers. Their folders need not be there yet: those above are watched for them. Nothing is opened; a watch that the system
 * does not give is told, and the loop still looks by itself.
 */
export function cgroupWake(mountPath: string, layout: CgroupLayout): WakeSource {
  const below = (cgroup: string): string => `${mountPath}/${cgroup}`;
  const tiers = [layout.kubepods, layout.burstable, layout.besteffort].map(below);
  const above = [mountPath, ...layout.ancestors.map(below)];
  return {
    name: 'cgroups',
    start: (wake, signal) => new FolderWatches({ tiers, above, wake }, signal).start(),
  };
}

interface Watched {
  /** What happens in these wakes. */
  readonly tiers: readonly string[];
  /** These are watched only because a tier may be made, or made again, in them. */
  readonly above: readonly string[];
  readonly wake: () => void;
}

/** Watches on folders, made again when a folder is: the watch of one that is removed says nothing about its successor. */
class FolderWatches {
  readonly #watched: Watched;
  readonly #signal: AbortSignal;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(watched: Watched, signal: AbortSignal) {
    this.#watched = watched;
    this.#signal = signal;
  }

  start(): string | undefined {
    if (this.#signal.aborted) {
      return undefined;
    }
    this.#signal.addEventListener(
      'abort',
      () => {
        for (const folder of [...this.#watchers.keys()]) {
          this.#unwatch(folder);
        }
      },
      { once: true },
    );
    const { above, tiers } = this.#watched;
    const codes = [...above, ...tiers].map((folder) => this.#watch(folder));
    const code = codes.find((one) => one !== undefined && one !== 'ENOENT');
    return code === undefined
      ? undefined
      : `changes in the cgroup tree wake nobody between two ticks: the system gives no watch (${code})`;
  }

  /** Gives the system's code where there is no watch. */
  #watch(folder: string): string | undefined {
    this.#unwatch(folder);
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        this.#happened(folder, event, name);
      });
      watcher.on('error', () => {
        this.#unwatch(folder);
      });
      this.#watchers.set(folder, watcher);
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #happened(folder: string, event: string, name: string | null): void {
    const { tiers, wake } = this.#watched;
    const isNaming = event === 'rename';
    const remade = isNaming && name !== null ? `${folder}/${name}` : undefined;
    const isOwn = remade !== undefined && this.#isWatched(remade);
    if (isOwn) {
      this.#watchFrom(remade);
    }
    if (isOwn || (tiers.includes(folder) && (isNaming || name === EVENTS_FILE))) {
      wake();
    }
  }

  #isWatched(folder: string): boolean {
    return this.#watched.tiers.includes(folder) || this.#watched.above.includes(folder);
  }

  /** A folder that came or went, and every watched one inside it, which came or went with it. */
  #watchFrom(folder: string): void {
    for (const one of [...this.#watched.above, ...this.#watched.tiers]) {
      if (one === folder || one.startsWith(`${folder}/`)) {
        this.#watch(one);
      }
    }
  }
}
