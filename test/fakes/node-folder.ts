import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files of a folder by path, as they are to be or as they are. */
export type Files = Readonly<Record<string, string>>;

/** A fake node in a temporary folder, to be used as `--root`. Its files are what they are said to be, byte for byte. */
export class NodeFolder {
  readonly root = mkdtempSync(join(tmpdir(), 'nodeqos-node-'));
  readonly mount = join(this.root, 'sys/fs/cgroup');
  readonly state = join(this.root, 'var/lib/nodeqos');

  constructor(cgroupFiles: Files = {}, files: Files = {}) {
    this.write({
      '.nodeqos-fake': '',
      'proc/meminfo': 'MemTotal:       16777216 kB\nMemAvailable:   12582912 kB\n',
      'sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
      'sys/fs/cgroup/cgroup.subtree_control': 'cpu memory pids\n',
      ...files,
    });
    this.writeCgroups(cgroupFiles);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'latin1');
  }

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text, 'latin1');
    }
  }

  writeCgroups(files: Files): void {
    this.write(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`sys/fs/cgroup/${name}`, text])),
    );
  }

  /** Every file below the cgroup mount and what it reads, byte for byte. */
  cgroups(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(this.mount, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        found[path.slice(this.mount.length + 1)] = readFileSync(path, 'latin1');
      }
    }
    return found;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
