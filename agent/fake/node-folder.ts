import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../cgroup/disk/make-folders.ts';
import { FAKE_MARKER } from '../observe/root.ts';
import { LIMIT_FILES } from './cgroup-files.ts';
import { CGROUPS_FOLDER } from './fake-node.ts';

/** What a folder is to a builder of fake nodes. */
export type FolderState = 'free' | 'fake' | 'taken';

/**
 * Whether a fake node may be built in a folder: free if it is absent or empty, fake if it already holds one, taken
 * otherwise. Throws what the system throws.
 */
export function folderState(folder: string): FolderState {
  if (!existsSync(folder)) {
    return 'free';
  }
  const names = readdirSync(folder);
  if (names.includes(FAKE_MARKER)) {
    return 'fake';
  }
  return names.length === 0 ? 'free' : 'taken';
}

/**
 * Writes a fake node's files. In a folder that holds one already the node goes on: cgroups stay the same ones (their
 * folders are not made again, so their inodes stay), what an agent wrote into min, low and high stays, and cgroups of pods
 * that are gone are removed. Throws what the system throws.
 */
export function writeFakeNode(folder: string, files: ReadonlyMap<string, string>, state: FolderState): void {
  const cgroupFolder = join(folder, CGROUPS_FOLDER);
  const wanted = new Set<string>();
  for (const path of files.keys()) {
    wanted.add(dirname(join(folder, path)));
  }
  if (state === 'fake' && existsSync(cgroupFolder)) {
    removeOthers(cgroupFolder, wanted);
  }
  for (const path of wanted) {
    makeFolders(path);
  }
  for (const [path, text] of files) {
    const name = join(folder, path);
    if (!(state === 'fake' && isLimit(path) && existsSync(name))) {
      writeFileSync(name, text);
    }
  }
}

function removeOthers(folder: string, wanted: ReadonlySet<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      continue;
    }
    if (wanted.has(path)) {
      removeOthers(path, wanted);
    } else {
      rmSync(path, { recursive: true });
    }
  }
}

function isLimit(path: string): boolean {
  return LIMIT_FILES.some((file) => path.endsWith(`/${file}`));
}
