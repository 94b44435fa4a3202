import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { memoryStatText } from '../../agent/fake/memory-stat.ts';
import { addUsage, type MemoryUsage, NO_USAGE } from '../../agent/fake/memory-usage.ts';
import { flatKeyedValue, parseCounter } from '../../cgroup/parse.ts';

const MIB = 1024n * 1024n;
const LOOK_EVERY_MS = 10;
/** Texts are padded with empty lines to so many bytes, so that a file is replaced by one write and never seen cut off. */
const PADDED_BYTES = { 'memory.current': 32, 'memory.stat': 2048 } as const;

/** How a pod takes it to be killed: it is gone after so many milliseconds, or never. */
export type Dying = number | 'never';

interface Leaf {
  usage: MemoryUsage;
  isAlive: boolean;
}

/**
 * The kernel of a fake node on disk: ends the processes of a cgroup that `cgroup.kill` was written to, takes what they used
 * out of every counter above, and lets a test say what a container uses. Files are changed in place, as a kernel does, so
 * nobody is woken by it. The memory comes back before the cgroup says that it is empty.
 */
export class LiveKernel {
  /** The cgroups that `cgroup.kill` was written to, in order. */
  readonly killed: string[] = [];
  readonly #mount: string;
  readonly #leaves = new Map<string, Leaf>();
  readonly #dying = new Map<string, Dying>();
  #timer: NodeJS.Timeout | undefined;

  constructor(mount: string) {
    this.#mount = mount;
    this.look();
    this.#timer = setInterval(() => {
      this.#watch();
    }, LOOK_EVERY_MS);
  }

  /** Takes in cgroups that were made, and forgets those that were removed. */
  look(): void {
    for (const cgroup of this.#leaves.keys()) {
      if (!existsSync(join(this.#mount, cgroup))) this.#leaves.delete(cgroup);
    }
    for (const cgroup of cgroupsBelow(this.#mount)) {
      if (!this.#leaves.has(cgroup) && this.#read(cgroup, 'cgroup.procs') !== '') {
        this.#leaves.set(cgroup, { usage: this.#usageOf(cgroup), isAlive: true });
      }
    }
    this.#countAll();
  }

  /** Lets a leaf use so many MiB of anonymous memory, and nothing else. */
  use(leaf: string, mebibytes: number): void {
    const known = this.#leaves.get(leaf);
    if (known === undefined) throw new Error(`${leaf} is no cgroup with processes`);
    const bytes = BigInt(mebibytes) * MIB;
    known.usage = { currentBytes: bytes, anonBytes: bytes, fileBytes: 0n, inactiveFileBytes: 0n };
    this.#count(leaf);
  }

  /** How a pod's processes will take it to be killed; at once unless it is said. */
  dies(pod: string, dying: Dying): void {
    this.#dying.set(pod, dying);
  }

  /** The pods that were killed, in order. */
  get killedPods(): readonly string[] {
    return this.killed.filter((cgroup) => !this.#leaves.has(cgroup));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #watch(): void {
    for (const cgroup of [...this.#leaves.keys(), ...this.#parents()]) {
      const path = join(this.#mount, cgroup, 'cgroup.kill');
      if (!existsSync(path) || !readFileSync(path, 'latin1').startsWith('1')) continue;
      replace(path, '');
      this.killed.push(cgroup);
      const dying = this.#dying.get(cgroup) ?? this.#dying.get(parentOf(cgroup)) ?? 0;
      if (dying === 0) this.#end(cgroup);
      else if (dying !== 'never')
        setTimeout(() => {
          this.#end(cgroup);
        }, dying).unref();
    }
  }

  #end(cgroup: string): void {
    for (const [path, leaf] of this.#leaves) {
      if (path !== cgroup && !path.startsWith(`${cgroup}/`)) continue;
      leaf.usage = NO_USAGE;
      leaf.isAlive = false;
      this.#count(path);
      replace(join(this.#mount, path, 'cgroup.procs'), '');
      this.#empty(path);
    }
    if ([...this.#leaves].every(([path, { isAlive }]) => !path.startsWith(`${cgroup}/`) || !isAlive)) {
      this.#empty(cgroup);
    }
  }

  #empty(cgroup: string): void {
    replace(join(this.#mount, cgroup, 'cgroup.events'), 'populated 0\nfrozen 0\n');
  }

  /**
   * The counters of a leaf and of everything above it. The node's come first: memory that a pod does not use any more is
   * never missing in both.
   */
  #count(leaf: string): void {
    const parts = leaf.split('/');
    for (let depth = 0; depth <= parts.length; depth += 1) this.#write(parts.slice(0, depth).join('/'));
  }

  #countAll(): void {
    for (const cgroup of ['', ...cgroupsBelow(this.#mount)]) this.#write(cgroup);
  }

  #write(cgroup: string): void {
    const usage = [...this.#leaves]
      .filter(([path]) => cgroup === '' || path === cgroup || path.startsWith(`${cgroup}/`))
      .map(([, leaf]) => leaf.usage)
      .reduce(addUsage, NO_USAGE);
    const texts = { 'memory.current': `${usage.currentBytes}\n`, 'memory.stat': memoryStatText(usage) };
    for (const file of ['memory.current', 'memory.stat'] as const) {
      const path = join(this.#mount, cgroup, file);
      if (existsSync(path)) replace(path, texts[file].padEnd(PADDED_BYTES[file], '\n'));
    }
  }

  #usageOf(cgroup: string): MemoryUsage {
    const stat = this.#read(cgroup, 'memory.stat');
    return {
      currentBytes: parseCounter(this.#read(cgroup, 'memory.current')) ?? 0n,
      anonBytes: flatKeyedValue(stat, 'anon') ?? 0n,
      fileBytes: flatKeyedValue(stat, 'file') ?? 0n,
      inactiveFileBytes: flatKeyedValue(stat, 'inactive_file') ?? 0n,
    };
  }

  #parents(): ReadonlySet<string> {
    return new Set([...this.#leaves.keys()].map(parentOf).filter((cgroup) => cgroup !== ''));
  }

  #read(cgroup: string, file: string): string {
    return readFileSync(join(this.#mount, cgroup, file), 'latin1');
  }
}

function cgroupsBelow(mount: string): readonly string[] {
  return readdirSync(mount, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(mount.length + 1))
    .toSorted();
}

function parentOf(cgroup: string): string {
  return cgroup.slice(0, Math.max(0, cgroup.lastIndexOf('/')));
}

/** One write over what is there; what was longer is cut off afterwards. */
function replace(path: string, text: string): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, text, 0, 'latin1');
  ftruncateSync(descriptor, text.length);
  closeSync(descriptor);
}
