/** What a read of one file gave. Missing and failed are two things, and neither is an empty text. */
export type FileRead =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'missing' }
  /** `code` is the system's: EACCES, EIO, ENODEV for a cgroup that went away under an open file, EOPNOTSUPP for PSI that is off. */
  | { readonly kind: 'failed'; readonly code: string };

export type DirectoryRead =
  | { readonly kind: 'read'; readonly directories: readonly string[]; readonly files: readonly string[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly code: string };

/**
 * A folder to read from: a node's root, a cgroup2 mount, or a captured node in an archive. Paths are relative, without a
 * leading slash; '' is the folder itself. Nothing throws for what a machine can do to a reader. Names come sorted bytewise.
 */
export interface FileTree {
  readFile(path: string): FileRead;
  readDirectory(path: string): DirectoryRead;
  /** The inode number, which tells a cgroup from another one of the same name made later; undefined when it is gone. */
  inodeOf(path: string): bigint | undefined;
  /** Where a tree knows cheaply that a directory has no directories in it: true. False says nothing. */
  isLeaf?(path: string): boolean;
  /** What a person would call `path` here, for messages. */
  nameOf(path: string): string;
}

/** The part of a tree below a folder, as a tree of its own. */
export function subtree(tree: FileTree, folder: string): FileTree {
  const below = (path: string): string => (path === '' ? folder : `${folder}/${path}`);
  return {
    readFile: (path) => tree.readFile(below(path)),
    readDirectory: (path) => tree.readDirectory(below(path)),
    inodeOf: (path) => tree.inodeOf(below(path)),
    isLeaf: (path) => tree.isLeaf?.(below(path)) === true,
    nameOf: (path) => tree.nameOf(below(path)),
  };
}
