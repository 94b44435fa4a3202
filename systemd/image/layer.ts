import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

/** A file, a symbolic link or a folder of an image; root's. */
export type LayerEntry =
  /** `mode` are the permissions. */
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number };

/** A file that everybody may read, unless `mode` says otherwise. */
export function fileEntry(path: string, content: string | Uint8Array, mode = 0o644): LayerEntry {
  return { kind: 'file', path, mode, content: typeof content === 'string' ? Buffer.from(content) : content };
}

/** A symbolic link; `target` is as it stands in it. */
export function linkEntry(path: string, target: string): LayerEntry {
  return { kind: 'link', path, target };
}

/** A folder; those above a file need not be named. */
export function folderEntry(path: string, mode = 0o755): LayerEntry {
  return { kind: 'folder', path, mode };
}

/**
 * The tar archive of entries, with every folder that they lie in; in order of their paths, owned by root, all of one time
 * (seconds since 1970). The same entries give the same bytes, in whatever order they come. Throws for a path that is there
 * twice, is absolute, or leads upwards.
 */
export async function tarOf(entries: readonly LayerEntry[], epochSeconds: number): Promise<Uint8Array> {
  const archive = pack();
  for (const entry of complete(entries)) {
    const header = { ...headerOf(entry), uid: 0, gid: 0, mtime: new Date(epochSeconds * 1000) };
    if (entry.kind === 'file') archive.entry(header, Buffer.from(entry.content));
    else archive.entry(header);
  }
  archive.finalize();
  return await buffer(archive);
}

function headerOf(entry: LayerEntry): Partial<Header> & { name: string } {
  switch (entry.kind) {
    case 'file':
      return { name: entry.path, type: 'file', mode: entry.mode };
    case 'link':
      return { name: entry.path, type: 'symlink', mode: 0o777, linkname: entry.target };
    case 'folder':
      return { name: `${entry.path}/`, type: 'directory', mode: entry.mode };
  }
}

function complete(entries: readonly LayerEntry[]): readonly LayerEntry[] {
  const found = new Map<string, LayerEntry>();
  for (const entry of entries) {
    const parts = entry.path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..'))
      throw new Error(`${entry.path} is no path of an image`);
    if (found.has(entry.path)) throw new Error(`${entry.path} is in the image twice`);
    found.set(entry.path, entry);
  }
  for (const path of [...found.keys()]) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      if (!found.has(folder)) found.set(folder, folderEntry(folder));
    }
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
