import type { FileTree } from '../../cgroup/file-tree.ts';
import { flatKeyedValue, parseCounter } from '../../cgroup/parse.ts';
import type { Warning } from '../../cgroup/warning.ts';

/** Keys of memory.stat: those without which something is not known, and others. */
interface StatKeys<K extends string> {
  readonly needed: readonly K[];
  readonly wanted?: readonly K[];
}

/** Reads cgroup files and keeps a sentence for each that could not be read, or lacks what it should have. */
export class CgroupReader {
  readonly warnings: Warning[] = [];
  readonly #cgroups: FileTree;

  constructor(cgroups: FileTree) {
    this.#cgroups = cgroups;
  }

  /** The text of a file; undefined where there is none. `pod` is namespace/name, for the warning. */
  text(cgroup: string, file: string, pod: string | null, consequence: string): string | undefined {
    const path = cgroup === '' ? file : `${cgroup}/${file}`;
    const read = this.#cgroups.readFile(path);
    if (read.kind === 'read') return read.text;
    const cause = read.kind === 'missing' ? 'is not there' : `could not be read (${read.code})`;
    this.#warn('unreadable-file', cgroup, pod, `${this.#cgroups.nameOf(path)} ${cause}: ${consequence}`);
    return undefined;
  }

  /** A file that holds one counter. */
  counter(cgroup: string, file: string, pod: string | null, consequence: string): bigint | undefined {
    const text = this.text(cgroup, file, pod, consequence);
    if (text === undefined) return undefined;
    const counter = parseCounter(text);
    if (counter === undefined) {
      this.#warn(
        'unreadable-file',
        cgroup,
        pod,
        `${this.#nameOf(cgroup, file)} holds no number: ${consequence}`,
      );
    }
    return counter;
  }

  /**
   * Keys of memory.stat. One that is missing is unknown, where the kubelet would take 0: without inactive_file a pod full
   * of page cache would look as if it used all of it. Of one that is merely wanted nothing is said.
   */
  memoryStat<K extends string>(
    cgroup: string,
    { needed, wanted = [] }: StatKeys<K>,
    pod: string | null,
    consequence: string,
  ): { readonly [P in K]?: bigint } {
    const text = this.text(cgroup, 'memory.stat', pod, consequence);
    if (text === undefined) return {};
    const values: { [P in K]?: bigint } = {};
    for (const key of [...needed, ...wanted]) {
      const value = flatKeyedValue(text, key);
      if (value !== undefined) values[key] = value;
    }
    const missing = needed.filter((key) => values[key] === undefined);
    if (missing.length > 0) {
      const file = this.#nameOf(cgroup, 'memory.stat');
      this.#warn(
        'memory-stat-incomplete',
        cgroup,
        pod,
        `${file} has no ${missing.join(', ')}: ${consequence}`,
      );
    }
    return values;
  }

  #nameOf(cgroup: string, file: string): string {
    return this.#cgroups.nameOf(cgroup === '' ? file : `${cgroup}/${file}`);
  }

  #warn(code: string, cgroup: string, pod: string | null, message: string): void {
    this.warnings.push({ code, message, cgroup, pod });
  }
}
