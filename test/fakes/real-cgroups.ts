import { type ChildProcess, spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const CGROUP2_MAGIC = 0x63677270;
/** The mount of a host with cgroup v2 alone, and of one that has the old hierarchies as well. */
const MOUNTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];

/** A cgroup2 mount of this machine in which a cgroup can be made, or why there is none. */
export function usableMount(): { readonly mount: string } | { readonly lack: string } {
  for (const mount of MOUNTS) {
    try {
      if (statfsSync(mount).type === CGROUP2_MAGIC) {
        const trial = join(mount, `nodeqos-trial-${process.pid}`);
        mkdirSync(trial);
        rmdirSync(trial);
        return { mount };
      }
    } catch {
      // The next one, or none.
    }
  }
  return { lack: 'no cgroup can be made on this machine' };
}

/** Cgroups below one folder of a real mount, with processes of this test in them; all of it goes with `remove`. */
export class RealCgroups {
  readonly mount: string;
  readonly top: string;
  readonly #children: ChildProcess[] = [];

  constructor(mount: string, top: string) {
    this.mount = mount;
    this.top = top;
  }

  path(cgroup: string): string {
    return join(this.mount, cgroup);
  }

  make(cgroup: string): bigint {
    mkdirSync(this.path(cgroup), { recursive: true });
    return statSync(this.path(cgroup), { bigint: true }).ino;
  }

  /** Starts a shell script in a cgroup and waits for its first line. */
  async run(cgroup: string, script: string): Promise<ChildProcess> {
    const child = spawn('sh', ['-c', `read go; echo started; ${script}`], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#children.push(child);
    writeFileSync(join(this.path(cgroup), 'cgroup.procs'), `${child.pid ?? 0}\n`);
    child.stdin.write('go\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return child;
  }

  read(cgroup: string, file: string): string {
    return readFileSync(join(this.path(cgroup), file), 'utf8');
  }

  async remove(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    writeFileSync(join(this.path(this.top), 'cgroup.kill'), '1\n');
    for (
      let attempt = 0;
      attempt < 100 && this.read(this.top, 'cgroup.events').includes('populated 1');
      attempt += 1
    ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    removeBelow(this.path(this.top));
  }
}

function removeBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeBelow(join(folder, entry.name));
  }
  rmdirSync(folder);
}
