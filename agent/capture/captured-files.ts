import type { FileTree } from '../../cgroup/file-tree.ts';
import type { CapturedFailure } from '../observe/captured/manifest.ts';

/** What goes into an archive: texts by path, folders, and what was there but could not be read. */
export class CapturedFiles {
  private readonly textByPath = new Map<string, string>();
  private readonly folderPaths = new Set<string>();
  private readonly failureByPath = new Map<string, string>();

  get files(): ReadonlyMap<string, string> {
    return this.textByPath;
  }

  get folders(): ReadonlySet<string> {
    return this.folderPaths;
  }

  get failures(): readonly CapturedFailure[] {
    return [...this.failureByPath].map(([path, code]) => ({ path, code }));
  }

  add(path: string, text: string): void {
    this.textByPath.set(path, text);
  }

  /**
   * Copies one file of a tree, `edit`ed where that is asked for. One that cannot be read is put in empty, so that listings
   * are the node's, and noted as failed; one that is missing stays missing.
   */
  copyFile(tree: FileTree, from: string, to: string, edit = (text: string): string => text): void {
    const read = tree.readFile(from);
    if (read.kind === 'read') {
      this.add(to, edit(read.text));
    } else if (read.kind === 'failed') {
      this.add(to, '');
      this.failureByPath.set(to, read.code);
    }
  }

  /** Puts in a folder of a tree by itself and gives the names of the folders in it, none where it cannot be listed. */
  copyFolder(tree: FileTree, from: string, to: string): readonly string[] {
    const read = tree.readDirectory(from);
    if (read.kind === 'missing') {
      return [];
    }
    this.folderPaths.add(to);
    if (read.kind === 'failed') {
      this.failureByPath.set(to, read.code);
      return [];
    }
    return read.directories;
  }
}
