import type { HeldProcess, Processes, ProcessFacts } from '../../agent/act/evict/processes.ts';
import type {
  ControlChildren,
  ControlFiles,
  ControlRead,
  ControlWritten,
  HeldCgroup,
  HeldOrNot,
  ReadableControlFile,
  WritableControlFile,
} from '../../cgroup/control-port.ts';
import type { SimCgroup, SimNode } from './sim-node.ts';
import type { Lifeline, SimTime } from './sim-time.ts';

/** Told of everything that is done to a pod's cgroup or processes. */
type TouchWitness = (cgroup: SimCgroup, what: string) => void;

interface ControlParts {
  readonly node: SimNode;
  readonly time: SimTime;
  readonly lifeline: Lifeline;
  readonly touched: TouchWitness;
}

/** How long a pod takes to end after it was asked to, by its temper; undefined: for ever. */
const ENDS_AFTER_MS = { obedient: 700, slow: 20_000, stubborn: undefined, undying: undefined } as const;
const DIES_AFTER_MS = 40;
/** The runtime clears away what has ended. */
const CLEARED_AFTER_MS = 300;

const GONE = { kind: 'vanished', error: 'it is gone' } as const;
const NO_FILE = { kind: 'missing' } as const;

/** The kernel's side of the control files: a sandbox and a container in each pod, with a process in either. */
export class SimControl implements ControlFiles {
  readonly isCgroup2 = true;
  readonly processes: Processes;
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.processes = {
      ownPid: 1,
      facts: (pid) => this.#facts(pid),
      hold: (pid) => this.#holdProcess(pid),
    };
  }

  hold(cgroup: string, inode: bigint): HeldOrNot {
    return this.#parts.lifeline.now('holding a cgroup', () => {
      const there = this.#parts.node.at(cgroup);
      if (there?.inode === inode) return { kind: 'held', held: this.#held(there, 'whole') };
      return { ...GONE, remade: there !== undefined };
    });
  }

  #facts(pid: number): ProcessFacts | undefined {
    return this.#byPid(pid) === undefined ? undefined : { parentPid: 1, startTicks: BigInt(pid) };
  }

  #holdProcess(pid: number): HeldProcess | undefined {
    const cgroup = this.#byPid(pid);
    if (cgroup === undefined) return undefined;
    const { lifeline, touched } = this.#parts;
    return {
      pid,
      signal: (name) =>
        lifeline.now(`sending ${name}`, () => {
          if (!runs(cgroup, partOf(pid))) return { kind: 'gone' };
          touched(cgroup, name);
          if (name === 'SIGKILL') this.#die(cgroup, partOf(pid));
          else this.#askToEnd(cgroup);
          return { kind: 'sent' };
        }),
      release: () => undefined,
    };
  }

  #held(cgroup: SimCgroup, part: Part): HeldCgroup {
    return {
      cgroup: part === 'whole' ? cgroup.cgroup : `${cgroup.cgroup}/${part}`,
      inode: part === 'whole' ? cgroup.inode : cgroup.inode * 1000n + (part === 'container' ? 1n : 2n),
      read: (file) => (cgroup.isRemoved ? GONE : this.#read(cgroup, part, file)),
      write: (file, value) => this.#write(cgroup, part, file, value),
      children: (): ControlChildren => {
        if (cgroup.isRemoved) return GONE;
        return { kind: 'read', names: part === 'whole' ? childrenOf(cgroup) : [] };
      },
      child: (name) => {
        if (cgroup.isRemoved) return { ...GONE, remade: false };
        return { kind: 'held', held: this.#held(cgroup, name === SANDBOX ? 'sandbox' : 'container') };
      },
      release: () => undefined,
    };
  }

  #read(cgroup: SimCgroup, part: Part, file: ReadableControlFile): ControlRead {
    switch (file) {
      case 'cgroup.events':
        return {
          kind: 'read',
          text: `populated ${Number(runs(cgroup, part))}\nfrozen ${Number(cgroup.isFrozen)}\n`,
        };
      case 'cgroup.freeze':
        return part === 'whole' ? { kind: 'read', text: `${Number(cgroup.isFrozen)}\n` } : NO_FILE;
      case 'cgroup.procs':
        return {
          kind: 'read',
          text: part === 'whole' || !runs(cgroup, part) ? '' : `${pidOf(cgroup, part)}\n`,
        };
    }
  }

  #write(
    cgroup: SimCgroup,
    part: Part,
    file: WritableControlFile,
    value: '0' | '1',
  ): Promise<ControlWritten> {
    return this.#parts.lifeline.later(`writing ${file}`, () => {
      if (cgroup.isRemoved) return GONE;
      this.#parts.touched(cgroup, `${file} ${value}`);
      if (file === 'cgroup.kill') this.#die(cgroup, part);
      else cgroup.isFrozen = value === '1';
      return { kind: 'written' };
    });
  }

  #askToEnd(cgroup: SimCgroup): void {
    const ms = ENDS_AFTER_MS[cgroup.temper];
    if (ms === undefined) return;
    this.#parts.time.in(ms, () => {
      this.#end(cgroup, 'whole');
      this.#clear(cgroup);
    });
  }

  #die(cgroup: SimCgroup, part: Part): void {
    if (cgroup.temper === 'undying') return;
    this.#parts.time.in(DIES_AFTER_MS, () => {
      if (part === 'sandbox') cgroup.sandboxRuns = false;
      else this.#end(cgroup, part);
      this.#clear(cgroup);
    });
  }

  /** What was charged to a cgroup is gone from it at once; the node's own sums follow some time later. */
  #end(cgroup: SimCgroup, part: 'whole' | 'container'): void {
    const { node, time } = this.#parts;
    const { memoryBytes } = cgroup.taken;
    cgroup.end(part);
    if (node.sumsLagMs === 0) return;
    node.shift(memoryBytes);
    time.in(node.sumsLagMs, () => {
      node.shift(-memoryBytes);
    });
  }

  #clear(cgroup: SimCgroup): void {
    if (cgroup.isPopulated) return;
    this.#parts.time.in(CLEARED_AFTER_MS, () => {
      if (!cgroup.isRemoved) this.#parts.node.remove(cgroup.cgroup);
    });
  }

  #byPid(pid: number): SimCgroup | undefined {
    return this.#parts.node.cgroups.find((cgroup) => pidOf(cgroup, partOf(pid)) === pid);
  }
}

type Part = 'whole' | 'container' | 'sandbox';

const SANDBOX = 'sandbox';

function childrenOf({ pod }: SimCgroup): readonly string[] {
  return [...pod.containers.map(({ containerId, name }) => containerId?.id ?? name), SANDBOX].sort();
}

function runs(cgroup: SimCgroup, part: Part): boolean {
  if (cgroup.isRemoved) return false;
  if (part === 'whole') return cgroup.isPopulated;
  return part === 'container' ? cgroup.containerRuns : cgroup.sandboxRuns;
}

function pidOf({ inode }: SimCgroup, part: Part): number {
  return Number(inode) * 10 + (part === 'sandbox' ? 2 : 1);
}

function partOf(pid: number): Part {
  return pid % 10 === 2 ? 'sandbox' : 'container';
}
