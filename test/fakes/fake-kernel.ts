import type { HeldProcess, Processes } from '../../agent/act/evict/processes.ts';
import type { Clock } from '../../agent/ports.ts';
import type {
  ControlFiles,
  ControlRead,
  ControlWritten,
  HeldCgroup,
  HeldOrNot,
  WritableControlFile,
} from '../../cgroup/control-port.ts';

/** How a process takes it. */
export interface FakeProcess {
  readonly pid: number;
  readonly parentPid?: number;
  readonly startTicks?: bigint;
  /** Milliseconds from SIGTERM to its end; undefined: it ignores it. */
  readonly endsInMs?: number;
  /** Milliseconds from being killed to its end; undefined: never, it is stuck in the kernel. */
  readonly diesInMs?: number | undefined;
}

interface Cgroup {
  readonly inode: bigint;
  isThere: boolean;
  freeze: '0' | '1';
  readonly pids: Set<number>;
}

/** What this kernel does not have or does not do. */
export interface KernelLimits {
  readonly isCgroup2?: boolean;
  readonly hasKill?: boolean;
  readonly hasFreeze?: boolean;
  readonly canFreeze?: boolean;
  /** Signals are refused with this code. */
  readonly signals?: string;
  /** Writes are refused with this sentence. */
  readonly writes?: string;
}

/**
 * Cgroups with processes that freeze, end and are killed, in a time that passes only while somebody sleeps. All that was
 * done to them is in `log`, with the milliseconds.
 */
export class FakeKernel implements Clock {
  readonly log: string[] = [];
  readonly #limits: KernelLimits;
  readonly #cgroups = new Map<string, Cgroup>();
  readonly #processes = new Map<number, FakeProcess & { held: boolean }>();
  readonly #events: { readonly atMs: number; readonly happen: () => void }[] = [];
  #nowMs = 0;
  #nextInode = 100n;
  /** Opened and not released. */
  held = 0;

  constructor(limits: KernelLimits = {}) {
    this.#limits = limits;
  }

  /** Makes a cgroup, or makes it anew, with processes in it; gives its inode. */
  cgroup(path: string, ...processes: readonly FakeProcess[]): bigint {
    this.remove(path);
    const inode = this.#nextInode;
    this.#nextInode += 1n;
    this.#cgroups.set(path, {
      inode,
      isThere: true,
      freeze: '0',
      pids: new Set(processes.map(({ pid }) => pid)),
    });
    for (const process of processes) {
      this.#processes.set(process.pid, { diesInMs: 10, ...process, held: false });
    }
    return inode;
  }

  /** Removes a cgroup with everything in it. */
  remove(path: string): void {
    for (const [name, cgroup] of this.#cgroups) {
      if (name === path || name.startsWith(`${path}/`)) {
        cgroup.isThere = false;
        cgroup.pids.clear();
        this.#cgroups.delete(name);
      }
    }
  }

  /** Freezes from outside. */
  freeze(path: string): void {
    const cgroup = this.#cgroups.get(path);
    if (cgroup !== undefined) cgroup.freeze = '1';
  }

  isFrozen(path: string): boolean {
    return this.#cgroups.get(path)?.freeze === '1';
  }

  at(atMs: number, happen: () => void): this {
    this.#events.push({ atMs, happen });
    return this;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const untilMs = this.#nowMs + ms;
    while (!signal.aborted) {
      const next = this.#events.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#events.splice(this.#events.indexOf(next), 1);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.happen();
    }
    this.#nowMs = signal.aborted ? this.#nowMs : untilMs;
    await Promise.resolve();
  }

  get control(): ControlFiles {
    return {
      isCgroup2: this.#limits.isCgroup2 ?? true,
      hold: (path, inode) => {
        const cgroup = this.#cgroups.get(path);
        if (cgroup === undefined) return { kind: 'vanished', remade: false, error: `${path} is gone` };
        return cgroup.inode === inode
          ? { kind: 'held', held: this.#hold(path, cgroup) }
          : { kind: 'vanished', remade: true, error: `${path} was removed and made anew meanwhile` };
      },
    };
  }

  get processes(): Processes {
    return {
      ownPid: 1,
      facts: (pid) => {
        const process = this.#processes.get(pid);
        return (
          process && { parentPid: process.parentPid ?? 7, startTicks: process.startTicks ?? BigInt(pid) }
        );
      },
      hold: (pid) => (this.#processes.has(pid) ? this.#holdProcess(pid) : undefined),
    };
  }

  #hold(path: string, cgroup: Cgroup): HeldCgroup {
    this.held += 1;
    const gone = { kind: 'vanished', error: `${path} is gone` } as const;
    return {
      cgroup: path,
      inode: cgroup.inode,
      read: (file) => (cgroup.isThere ? this.#read(path, cgroup, file) : gone),
      write: (file, value) => Promise.resolve(cgroup.isThere ? this.#write(path, cgroup, file, value) : gone),
      children: () => (cgroup.isThere ? { kind: 'read', names: this.#childNames(path) } : gone),
      child: (name): HeldOrNot => {
        const child = this.#cgroups.get(`${path}/${name}`);
        return child === undefined
          ? { kind: 'vanished', remade: false, error: `${path}/${name} is gone` }
          : { kind: 'held', held: this.#hold(`${path}/${name}`, child) };
      },
      release: () => {
        this.held -= 1;
      },
    };
  }

  #childNames(path: string): readonly string[] {
    return [...this.#cgroups.keys()]
      .filter((name) => name.startsWith(`${path}/`) && !name.slice(path.length + 1).includes('/'))
      .map((name) => name.slice(path.length + 1))
      .sort();
  }

  #read(path: string, cgroup: Cgroup, file: string): ControlRead {
    switch (file) {
      case 'cgroup.procs':
        return { kind: 'read', text: [...cgroup.pids].map((pid) => `${pid}\n`).join('') };
      case 'cgroup.freeze':
        return this.#limits.hasFreeze === false
          ? { kind: 'missing' }
          : { kind: 'read', text: `${cgroup.freeze}\n` };
      default: {
        const populated = this.#below(path).length > 0 ? 1 : 0;
        const frozen = this.#isHeldBack(path) && this.#limits.canFreeze !== false ? 1 : 0;
        return { kind: 'read', text: `populated ${populated}\nfrozen ${frozen}\n` };
      }
    }
  }

  #write(path: string, cgroup: Cgroup, file: WritableControlFile, value: '0' | '1'): ControlWritten {
    if (this.#limits.writes !== undefined) {
      return { kind: 'failed', code: 'EACCES', error: this.#limits.writes };
    }
    if (file === 'cgroup.kill') {
      if (this.#limits.hasKill === false) return { kind: 'missing' };
      this.#note(`kill ${path}`);
      for (const pid of this.#below(path)) this.#endIn(pid, this.#processes.get(pid)?.diesInMs);
      return { kind: 'written' };
    }
    this.#note(`${value === '1' ? 'freeze' : 'thaw'} ${path}`);
    cgroup.freeze = value;
    return { kind: 'written' };
  }

  #holdProcess(pid: number): HeldProcess {
    this.held += 1;
    return {
      pid,
      signal: (name) => {
        const process = this.#processes.get(pid);
        if (process === undefined) return { kind: 'gone' };
        if (this.#limits.signals !== undefined) return { kind: 'failed', code: this.#limits.signals };
        this.#note(`${name} ${pid}`);
        this.#endIn(pid, name === 'SIGKILL' ? process.diesInMs : process.endsInMs);
        return { kind: 'sent' };
      },
      release: () => {
        this.held -= 1;
      },
    };
  }

  #below(path: string): readonly number[] {
    return [...this.#cgroups]
      .filter(([name]) => name === path || name.startsWith(`${path}/`))
      .flatMap(([, { pids }]) => [...pids]);
  }

  #isHeldBack(path: string): boolean {
    return [...this.#cgroups].some(
      ([name, { freeze }]) => freeze === '1' && (path === name || path.startsWith(`${name}/`)),
    );
  }

  #endIn(pid: number, ms: number | undefined): void {
    if (ms !== undefined) {
      this.at(this.#nowMs + ms, () => {
        this.#processes.delete(pid);
        for (const { pids } of this.#cgroups.values()) pids.delete(pid);
      });
    }
  }

  #note(what: string): void {
    this.log.push(`${Math.round(this.#nowMs)} ${what}`);
  }
}
