import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../exit.ts';
import type { Pod } from '../model/pod.ts';
import type { PodLook } from '../ports.ts';

/** Where a list of pods comes from. */
export interface PodListSource {
  /** Files and manifest folders whose change means that pods have to be read again, as paths of this machine. */
  readonly paths: readonly string[];
  /** Reads them; undefined where nothing says which pods run. May throw Failure. */
  read(): readonly Pod[] | undefined;
}

/**
 * A list of pods that is read again only when its files changed, since parsing them at every look costs more than all else.
 * While the source does not answer, or answers with something that is no list of pods, the last good one is kept and grows old.
 */
export class PodList {
  readonly #source: PodListSource;
  #signature: string | undefined;
  #pods: readonly Pod[] | undefined;
  #goodAtMs: number | undefined;
  #lack: string | undefined;

  constructor(source: PodListSource) {
    this.#source = source;
  }

  /** The list as of now. Throws nothing that a source can cause. */
  look(nowMs: number): PodLook {
    // Taken before the reading: a change that comes in between is seen by the next look.
    const signature = this.#source.paths.map(signatureOf).join('\n');
    if (signature !== this.#signature) {
      this.#signature = signature;
      this.#read();
    }
    if (this.#lack === undefined) this.#goodAtMs = nowMs;
    return {
      pods: this.#pods,
      ageMs: this.#goodAtMs === undefined ? 0 : nowMs - this.#goodAtMs,
      ...(this.#lack === undefined ? {} : { lack: this.#lack }),
    };
  }

  /** Reads the source at the next look, whatever its files say. */
  forget(): void {
    this.#signature = undefined;
  }

  #read(): void {
    try {
      this.#pods = this.#source.read();
      this.#lack = undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#lack = error.message;
    }
  }
}

/** What changes whenever a file, or anything in a folder of manifests, is changed, replaced or removed. */
function signatureOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    const own = `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    return stat.isDirectory()
      ? [
          own,
          ...readdirSync(path)
            .sort()
            .map((name) => fileSignature(join(path, name))),
        ].join('\n')
      : own;
  } catch (error) {
    return `${path} ${codeOf(error)}`;
  }
}

function fileSignature(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    return `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch (error) {
    return `${path} ${codeOf(error)}`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
