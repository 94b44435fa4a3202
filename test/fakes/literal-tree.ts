import type { DirectoryRead, FileRead, FileTree } from '../../cgroup/file-tree.ts';

/** A folder as a literal: paths and texts; a text of `!EACCES` is a file whose reading fails with that code. */
export class LiteralTree implements FileTree {
  readonly #files: Readonly<Record<string, string>>;

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = files;
  }

  readFile(path: string): FileRead {
    const text = this.#files[path];
    if (text === undefined) return { kind: 'missing' };
    return text.startsWith('!') ? { kind: 'failed', code: text.slice(1) } : { kind: 'read', text };
  }

  readDirectory(path: string): DirectoryRead {
    const prefix = path === '' ? '' : `${path}/`;
    const below = Object.keys(this.#files)
      .filter((file) => file.startsWith(prefix))
      .map((file) => file.slice(prefix.length).split('/'));
    if (below.length === 0) return { kind: 'missing' };
    const names = (isFile: boolean): string[] =>
      [
        ...new Set(below.filter((parts) => (parts.length === 1) === isFile).map(([name = '']) => name)),
      ].sort();
    return { kind: 'read', directories: names(false), files: names(true) };
  }

  inodeOf(path: string): bigint | undefined {
    return this.readDirectory(path).kind === 'missing' ? undefined : 1n;
  }

  nameOf(path: string): string {
    return `/node/${path}`;
  }
}
