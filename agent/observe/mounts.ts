/** One line of /proc/mounts. */
export interface Mount {
  readonly mountPoint: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Reads /proc/mounts; a line that is none is left out. Octal escapes of blanks in paths are undone (fstab(5)). */
export function parseMounts(text: string): readonly Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const [, mountPoint, type, options] = line.split(' ');
    if (mountPoint !== undefined && type !== undefined && options !== undefined) {
      mounts.push({ mountPoint: unescapeOctal(mountPoint), type, options: options.split(',') });
    }
  }
  return mounts;
}

/**
 * The cgroup2 mount that a folder lies in: the one with the longest mount point at or above it, the later of two on the
 * same point, since it covers the other. Undefined where there is none.
 */
export function cgroup2MountAt(mounts: readonly Mount[], folder: string): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts) {
    const isAbove = folder === mount.mountPoint || folder.startsWith(`${mount.mountPoint}/`);
    const isNearer = found === undefined || mount.mountPoint.length >= found.mountPoint.length;
    if (mount.type === 'cgroup2' && isAbove && isNearer) {
      found = mount;
    }
  }
  return found;
}

/** Whether the memory controller is bound to the old hierarchy, which makes a hybrid host or a cgroup v1 one. */
export function memoryIsOnV1(mounts: readonly Mount[]): boolean {
  return mounts.some((mount) => mount.type === 'cgroup' && mount.options.includes('memory'));
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
