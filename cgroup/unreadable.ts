import type { FileTree } from './file-tree.ts';
import type { Warning } from './warning.ts';

/** A file, or with an empty `file` the folder, that could not be read; `code` is the system's. */
export function unreadableFile(tree: FileTree, cgroup: string, file: string, code: string): Warning {
  const path = file === '' ? cgroup : `${cgroup}/${file}`;
  const reason = REASONS[code];
  return {
    code: 'unreadable-file',
    message: `${tree.nameOf(path)} cannot be read: ${reason === undefined ? code : `${reason} (${code})`}`,
    cgroup,
    pod: null,
  };
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EIO: 'input/output error',
  EISDIR: 'it is a folder',
  ELOOP: 'a symbolic link is in its place',
};

/** A limit file whose text is no limit. */
export function noLimit(tree: FileTree, cgroup: string, file: string, text: string): Warning {
  const what = text.trim() === '' ? 'is empty' : 'holds no number of bytes';
  const message = `${tree.nameOf(`${cgroup}/${file}`)} ${what}; its value counts as not known`;
  return { code: 'unreadable-file', message, cgroup, pod: null };
}
