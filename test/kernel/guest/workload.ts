import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { MIB, MOUNT, numberIn, until } from './machine.ts';

/** Joins a cgroup before it becomes what it is to be, so that all of its memory is charged there. */
const JOIN = 'echo $$ >"$1/cgroup.procs"; echo 500 >/proc/self/oom_score_adj; shift; exec "$@"';

/** Takes as many MiB more as each line says, and says when it has them; one process, without children. */
const HOG = `BEGIN { mib = "x"; while (length(mib) < ${MIB}) mib = mib mib; print "ready"; fflush() }
{ for (k = 0; k < $1; k++) held[n++] = mib n; print "has " n; fflush() }`;

/** A first process that says that it was asked to end, and ends then with its child. */
const POLITE = 'trap "echo asked; kill \$!; wait; exit 0" TERM; exec 3<&0; awk "$0" <&3 & wait; wait';

/** Forks for as long as it runs, and goes on where it cannot. */
const BOMB = 'BEGIN { while (1) system("sleep 1000 &") }';

/** A process of a test in a cgroup. */
export class Workload {
  readonly child: ChildProcess;
  #said = '';
  #hasMib = 0;

  constructor(cgroup: string, command: readonly string[], isHeard = true) {
    const args = ['-c', JOIN, 'sh', `${MOUNT}/${cgroup}`, ...command];
    this.child = spawn('/bin/sh', args, { stdio: ['pipe', isHeard ? 'pipe' : 'ignore', 'inherit'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    // One that is killed closes its pipe while a line may be on its way.
    this.child.stdin?.on('error', () => undefined);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The signal that ended it; null where it runs or ended by itself. */
  get endedBy(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  says(text: string): boolean {
    return this.#said.includes(text);
  }

  /** Orders memory, and does not wait until it is there. */
  order(mib: number): void {
    this.#hasMib += mib;
    this.child.stdin?.write(`${mib}\n`);
  }

  /** Takes memory and waits until it is there. */
  async grow(mib: number): Promise<void> {
    this.order(mib);
    const all = `has ${this.#hasMib}\n`;
    await until(() => this.says(all) || !this.isRunning, `a process that ${all.trim()} MiB`);
    if (!this.isRunning)
      throw new Error(`the process ended (${this.endedBy}) before it had ${this.#hasMib} MiB`);
  }

  async ended(): Promise<void> {
    if (this.isRunning) await once(this.child, 'exit');
  }
}

/** A process that holds memory of its own, and takes more when it is told. */
export async function hog(cgroup: string, mib: number): Promise<Workload> {
  return await startedHog(new Workload(cgroup, ['awk', HOG]), mib);
}

/** The same, deaf to SIGTERM. */
export async function deafHog(cgroup: string, mib: number): Promise<Workload> {
  const command = ['sh', '-c', 'trap "" TERM; exec "$@"', 'sh', 'awk', HOG];
  return await startedHog(new Workload(cgroup, command), mib);
}

/** The same, and says `asked` when it gets SIGTERM. */
export async function politeHog(cgroup: string, mib: number): Promise<Workload> {
  return await startedHog(new Workload(cgroup, ['sh', '-c', POLITE, HOG]), mib);
}

async function startedHog(process: Workload, mib: number): Promise<Workload> {
  await until(() => process.says('ready') || !process.isRunning, 'a process that is ready');
  if (mib > 0) await process.grow(mib);
  return process;
}

/** A process that forks without end; pids.max of the cgroup is what holds it. */
export function forkBomb(cgroup: string): Workload {
  return new Workload(cgroup, ['awk', BOMB]);
}

let files = 0;

/** A file that is all holes: it takes no room on the disk, and as much page cache as any other when it is read. */
function sparseFile(mib: number): string {
  files += 1;
  const path = `/data/sparse-${files}`;
  writeFileSync(path, '');
  truncateSync(path, mib * MIB);
  return path;
}

/** A process that fills page cache that is charged to a cgroup. */
export function startReading(cgroup: string, mib: number): Workload {
  return new Workload(cgroup, ['cat', sparseFile(mib)], false);
}

/** The same, and waits until it is there. */
export async function readFileIn(cgroup: string, mib: number): Promise<Workload> {
  const reader = startReading(cgroup, mib);
  await reader.ended();
  return reader;
}

/** The same, and reads it again, so that the kernel takes it for used. */
export async function readFileAgain(cgroup: string, mib: number): Promise<void> {
  const path = sparseFile(mib);
  for (let round = 0; round < 3; round += 1) await new Workload(cgroup, ['cat', path], false).ended();
}

/** Fills page cache up to a size of the cgroup, whatever is charged to it already. */
export async function fillTo(cgroup: string, mib: number): Promise<void> {
  const missing = mib * MIB - numberIn(cgroup, 'memory.current');
  await readFileIn(cgroup, missing / MIB);
}
