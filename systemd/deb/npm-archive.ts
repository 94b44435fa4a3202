import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../cgroup/disk/make-folders.ts';

/** One version of a package as the package manager has it, and what its archive must be. */
export interface PinnedArchive {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity: `sha512-` and the digest in base64. */
  readonly integrity: string;
}

const CACHE = 'node_modules/.cache/nodeqos-package';

/**
 * The folder with a pinned package, unpacked; fetched once and kept in node_modules/.cache. Throws where the archive is not
 * the one that was pinned, also when it comes out of the cache.
 */
export function unpackedArchive(pinned: PinnedArchive): string {
  const label = `${pinned.name.replace('@', '').replace('/', '-')}-${pinned.version}`;
  const archive = resolve(CACHE, `${label}.tgz`);
  makeFolders(CACHE);
  if (!existsSync(archive)) {
    execFileSync(
      'npm',
      [
        'pack',
        '--silent',
        '--ignore-scripts',
        '--pack-destination',
        CACHE,
        `${pinned.name}@${pinned.version}`,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== pinned.integrity) {
    throw new Error(
      `${archive} is ${found}, and ${pinned.integrity} was pinned; remove it to fetch it again`,
    );
  }
  const folder = resolve(CACHE, label);
  // The digest in the name: what was unpacked from another archive is not taken for this one.
  const unpacked = join(folder, found.slice('sha512-'.length, 'sha512-'.length + 12).replaceAll(/\W/g, '_'));
  if (!existsSync(unpacked)) {
    rmSync(folder, { recursive: true, force: true });
    const unfinished = `${unpacked}.unfinished`;
    makeFolders(unfinished);
    execFileSync('tar', ['-xzf', archive, '--no-same-owner', '--strip-components=1', '-C', unfinished]);
    execFileSync('mv', [unfinished, unpacked]);
  }
  return unpacked;
}
