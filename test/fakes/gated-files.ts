import { placeKey } from '../../cgroup/journal.ts';
import type {
  KnownLimitPlace,
  LimitFiles,
  LimitPlace,
  LimitRead,
  LimitWritten,
} from '../../cgroup/limit-port.ts';

/** Limit files of which some writes block, as lowering memory.high does in a kernel, until they are let through. */
export class GatedFiles implements LimitFiles {
  /** The places of the writes that have begun and not ended. */
  readonly writing = new Set<string>();
  /** The most writes of memory.high that were going on at once. */
  mostHighs = 0;
  readonly #files: LimitFiles;
  readonly #isGated: (key: string) => boolean;
  readonly #gates = new Map<string, () => void>();

  constructor(files: LimitFiles, isGated: (key: string) => boolean) {
    this.#files = files;
    this.#isGated = isGated;
  }

  read(place: LimitPlace): Promise<LimitRead> {
    return this.#files.read(place);
  }

  async write(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    const key = placeKey(place);
    this.writing.add(key);
    const highs = [...this.writing].filter((one) => one.endsWith('memory.high')).length;
    this.mostHighs = Math.max(this.mostHighs, highs);
    if (this.#isGated(key)) {
      await new Promise<void>((resolve) => {
        this.#gates.set(key, resolve);
      });
    }
    const written = await this.#files.write(place, text);
    this.writing.delete(key);
    return written;
  }

  /** Lets a blocked write go on. */
  open(key: string): void {
    this.#gates.get(key)?.();
  }
}
