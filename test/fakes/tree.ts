import { compareBytewise } from '../../cgroup/byte-order.ts';
import type { DirectoryRead, FileRead, FileTree } from '../../cgroup/file-tree.ts';

/** A file's text, or the code of the error that reading it gives. */
export type FakeFile = string | { readonly failed: string };

/** A FileTree in memory. A path that ends in a slash is a folder without files in it. */
export class FakeTree implements FileTree {
  readonly #files = new Map<string, FakeFile>();
  readonly #folders = new Set<string>(['']);
  readonly #failedFolders = new Map<string, string>();
  /** Every path that was read, in order. */
  readonly reads: string[] = [];

  constructor(files: Readonly<Record<string, FakeFile>> = {}) {
    for (const [path, file] of Object.entries(files)) {
      this.write(path, file);
    }
  }

  write(path: string, file: FakeFile): this {
    if (path.endsWith('/')) {
      this.#addFolders(path);
      return this;
    }
    this.#files.set(path, file);
    this.#addFolders(path);
    return this;
  }

  failFolder(path: string, code: string): this {
    this.#failedFolders.set(path, code);
    return this;
  }

  remove(path: string): this {
    for (const name of this.#files.keys()) {
      if (name === path || name.startsWith(`${path}/`)) {
        this.#files.delete(name);
      }
    }
    for (const name of this.#folders) {
      if (name === path || name.startsWith(`${path}/`)) {
        this.#folders.delete(name);
      }
    }
    return this;
  }

  readFile(path: string): FileRead {
    this.reads.push(path);
    const file = this.#files.get(path);
    if (file === undefined) {
      return { kind: 'missing' };
    }
    return typeof file === 'string' ? { kind: 'read', text: file } : { kind: 'failed', code: file.failed };
  }

  readDirectory(path: string): DirectoryRead {
    const code = this.#failedFolders.get(path);
    if (code !== undefined) {
      return { kind: 'failed', code };
    }
    if (!this.#folders.has(path)) {
      return { kind: 'missing' };
    }
    return {
      kind: 'read',
      directories: childrenOf(path, this.#folders),
      files: childrenOf(path, this.#files.keys()),
    };
  }

  inodeOf(path: string): bigint | undefined {
    return this.#folders.has(path) || this.#files.has(path) ? BigInt(path.length + 1) : undefined;
  }

  nameOf(path: string): string {
    return `/node/${path}`;
  }

  #addFolders(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      this.#folders.add(path.slice(0, end));
    }
  }
}

function childrenOf(folder: string, paths: Iterable<string>): readonly string[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const names = [...paths]
    .filter((path) => path.startsWith(prefix) && path !== folder)
    .map((path) => path.slice(prefix.length))
    .filter((name) => name !== '' && !name.includes('/'));
  return names.sort(compareBytewise);
}

/** The values of one cgroup; what is left out is the kernel's default and a usage of 0. */
export interface FakeCgroup {
  readonly min?: bigint | 'max';
  readonly low?: bigint | 'max';
  readonly high?: bigint | 'max';
  readonly current?: bigint;
  readonly inactiveFile?: bigint;
}

/** A cgroup2 mount in memory, with the files of each cgroup as a kernel has them. */
export function cgroupTree(cgroups: Readonly<Record<string, FakeCgroup>>): FakeTree {
  const tree = new FakeTree({ 'cgroup.controllers': 'cpuset cpu io memory pids\n' });
  for (const [cgroup, values] of Object.entries(cgroups)) {
    addCgroup(tree, cgroup, values);
  }
  return tree;
}

/** Adds one cgroup to a tree. */
export function addCgroup(tree: FakeTree, cgroup: string, values: FakeCgroup = {}): void {
  tree.write(`${cgroup}/memory.min`, `${values.min ?? 0n}\n`);
  tree.write(`${cgroup}/memory.low`, `${values.low ?? 0n}\n`);
  tree.write(`${cgroup}/memory.high`, `${values.high ?? 'max'}\n`);
  tree.write(`${cgroup}/memory.max`, 'max\n');
  tree.write(`${cgroup}/memory.current`, `${values.current ?? 0n}\n`);
  tree.write(`${cgroup}/memory.stat`, `anon 0\nfile 0\ninactive_file ${values.inactiveFile ?? 0n}\n`);
}
