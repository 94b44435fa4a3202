import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_EVERY_MS = 5;
/** The files whose numbers are sums over the cgroups below. */
const COUNTED_FILES = ['memory.current', 'memory.stat', 'pids.current'];

/** What becomes of a cgroup of a fake tree whose processes were killed. */
export type AfterKill = 'empties' | 'removes';

/**
 * Plays the kernel, and whoever removes dead cgroups, on a fake tree: where cgroup.kill is written, the cgroup and those
 * inside it have no processes any more and use no memory, and those above use that much less; or the folder goes.
 */
export class TreeKernel {
  /** The cgroups that were killed, in order, by their paths below the mount. */
  readonly killed: string[] = [];
  readonly #mount: string;
  readonly #after: AfterKill;
  readonly #timer: NodeJS.Timeout;

  constructor(mount: string, after: AfterKill = 'empties') {
    this.#mount = mount;
    this.#after = after;
    this.#timer = setInterval(() => {
      this.#look('');
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(cgroup: string): void {
    for (const name of foldersOf(this.#path(cgroup))) {
      const child = cgroup === '' ? name : `${cgroup}/${name}`;
      this.#look(child);
      if (read(join(this.#path(child), 'cgroup.kill')).startsWith('1')) this.#kill(child);
    }
  }

  #kill(cgroup: string): void {
    this.killed.push(cgroup);
    const freed = figuresOf(this.#path(cgroup));
    const above = cgroup.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/'));
    for (const folder of above) lower(this.#path(folder), freed);
    if (this.#after === 'removes') {
      rmSync(this.#path(cgroup), { recursive: true });
    } else {
      this.#empty(cgroup);
    }
  }

  #empty(cgroup: string): void {
    const folder = this.#path(cgroup);
    for (const name of foldersOf(folder)) this.#empty(`${cgroup}/${name}`);
    lower(folder, figuresOf(folder));
    writeFileSync(join(folder, 'cgroup.kill'), '');
    writeFileSync(join(folder, 'cgroup.procs'), '');
    writeFileSync(join(folder, 'cgroup.events'), 'populated 0\nfrozen 0\n');
  }

  #path(cgroup: string): string {
    return join(this.#mount, cgroup);
  }
}

function foldersOf(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** What a cgroup uses, its own and of those below, by file and by key where a file has keys. */
type Figures = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

function figuresOf(folder: string): Figures {
  return new Map(COUNTED_FILES.map((file) => [file, new Map(linesOf(join(folder, file)))]));
}

function linesOf(path: string): readonly (readonly [key: string, value: bigint])[] {
  return read(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, Math.max(space, 0)), BigInt(line.slice(space + 1))] as const;
    });
}

function lower(folder: string, by: Figures): void {
  for (const [file, values] of by) {
    const path = join(folder, file);
    if (existsSync(path)) {
      const lines = linesOf(path).map(([key, value]) => {
        const left = value - (values.get(key) ?? 0n);
        return key === '' ? `${left}\n` : `${key} ${left}\n`;
      });
      writeFileSync(path, lines.join(''));
    }
  }
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
