import type { DirectoryRead, FileRead, FileTree } from '../../../cgroup/file-tree.ts';

interface Listing {
  readonly directories: Set<string>;
  readonly files: Set<string>;
  readonly inode: bigint;
}

/** A folder in memory: what an archive unpacks to. Adding gives false where a name is taken, and changes nothing then. */
export class MemoryFolder implements FileTree {
  private readonly texts = new Map<string, string>();
  private readonly listings = new Map<string, Listing>([['', emptyListing(1n)]]);
  private readonly name: (path: string) => string;

  constructor(name: (path: string) => string) {
    this.name = name;
  }

  addFolder(path: string): boolean {
    if (this.listings.has(path)) {
      return true;
    }
    const [parent, base] = splitPath(path);
    if (this.texts.has(path) || !this.addFolder(parent)) {
      return false;
    }
    this.listings.get(parent)?.directories.add(base);
    this.listings.set(path, emptyListing(BigInt(this.listings.size + 1)));
    return true;
  }

  addFile(path: string, text: string): boolean {
    const [parent, base] = splitPath(path);
    if (this.texts.has(path) || this.listings.has(path) || !this.addFolder(parent)) {
      return false;
    }
    this.listings.get(parent)?.files.add(base);
    this.texts.set(path, text);
    return true;
  }

  readFile(path: string): FileRead {
    const text = this.texts.get(path);
    if (text !== undefined) {
      return { kind: 'read', text };
    }
    return this.listings.has(path) ? { kind: 'failed', code: 'EISDIR' } : { kind: 'missing' };
  }

  readDirectory(path: string): DirectoryRead {
    const listing = this.listings.get(path);
    if (listing !== undefined) {
      return { kind: 'read', directories: [...listing.directories].sort(), files: [...listing.files].sort() };
    }
    return this.texts.has(path) ? { kind: 'failed', code: 'ENOTDIR' } : { kind: 'missing' };
  }

  inodeOf(path: string): bigint | undefined {
    return this.listings.get(path)?.inode;
  }

  nameOf(path: string): string {
    return this.name(path);
  }
}

function emptyListing(inode: bigint): Listing {
  return { directories: new Set(), files: new Set(), inode };
}

function splitPath(path: string): [parent: string, base: string] {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
}
