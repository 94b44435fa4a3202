import { readlinkSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** So many symbolic links are followed in one path, as by the kernel (MAXSYMLINKS). */
const MOST_LINKS = 40;
/** f_type of filesystems in which a new folder is a new cgroup (linux/magic.h: cgroup2, cgroup v1). */
const CGROUP_MAGICS: readonly number[] = [0x63677270, 0x0027e0eb];

/**
 * Whether what is made at `path` is made at or below the cgroup mount, or in any other cgroup filesystem, where a new folder
 * is a new cgroup. Looks only, and follows symbolic links also where what they lead to is not there yet.
 */
export function isAmongCgroups(path: string, mountPath: string): boolean {
  const place = leadsTo(path);
  const mount = leadsTo(mountPath);
  if (place === mount || mount === '/' || place.startsWith(`${mount}/`)) return true;
  return CGROUP_MAGICS.includes(filesystemType(place) ?? 0);
}

/** Where a path leads, component by component; what is not there, or may not be looked at, stands as it is written. */
function leadsTo(path: string): string {
  const waiting = (path.startsWith('/') ? path : `${resolve('.')}/${path}`).split('/').reverse();
  let place = '/';
  let links = 0;
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part === '' || part === '.') continue;
    const next = part === '..' ? dirname(place) : join(place, part);
    const target = links < MOST_LINKS ? linkTarget(next) : undefined;
    if (target === undefined) {
      place = next;
    } else {
      links += 1;
      if (target.startsWith('/')) place = '/';
      waiting.push(...target.split('/').reverse());
    }
  }
  return place;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The type of the filesystem that holds a path, or would hold it; undefined where that cannot be told. */
function filesystemType(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch {
    return path === '/' ? undefined : filesystemType(dirname(path));
  }
}
