import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CaseResult } from '../guest/result.ts';
import { ROOT_PARTITION } from './disk-image.ts';

/** What a machine is made of. */
export interface MachineParts {
  readonly kernel: string;
  readonly root: string;
  readonly app: string;
  /** The path of its first process. */
  readonly init: string;
  readonly memoryMib: number;
  /** The names of the cases in their order, each with its place among all that the machine holds. */
  readonly cases: ReadonlyMap<string, number>;
  /** After this it is switched off, whatever it does. */
  readonly longestMs: number;
}

const CONSOLE_TAIL_LINES = 40;

/**
 * A processor without cmpxchg16b: emulated, it loses the flags of a guest now and then, and newer kernels use it in their
 * allocator.
 */
const PROCESSOR = 'qemu64,-cx16';

/**
 * What an emulated processor pays dearly for, and nobody here needs: page tables that are changed at every system call, so
 * that nobody looks into the kernel, and pages that are cleared twice.
 */
const QUICK = 'mitigations=off init_on_alloc=0';

/** Even so an emulated kernel panics once in some dozens of boots; that says nothing about a case, and is told. */
const MOST_PANICS = 2;

/** A machine that runs the cases and is gone after the last one. */
export class Machine {
  readonly #parts: MachineParts;
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodeqos-machine-'));
  readonly #results = new Map<string, CaseResult>();
  readonly #waiting = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #child: ChildProcess;
  #panics = 0;
  #end: string | undefined;
  #exit: number | undefined;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#child = this.#boot();
    this.#timer = setTimeout(() => {
      this.#ended('its time was over');
      this.off();
    }, parts.longestMs);
  }

  /** What came of a case; rejects with the last words of the machine where it ended before. */
  async result(name: string): Promise<CaseResult> {
    for (;;) {
      const result = this.#results.get(name);
      if (result !== undefined) return result;
      if (this.#end !== undefined)
        throw new Error(`the machine did not come to this case: ${this.#end}\n${this.lastWords()}`);
      await this.#news();
    }
  }

  /** Prints what a case has measured; rejects with why it failed. */
  async passed(name: string): Promise<void> {
    const { notes, passed, error } = await this.result(name);
    for (const note of notes) console.log(`  ${note}`);
    if (!passed) throw new Error(error ?? 'no reason was told');
  }

  /** The exit status of the cases' process, when the machine has switched itself off; undefined where it never told. */
  async exitStatus(): Promise<number | undefined> {
    while (this.#end === undefined) await this.#news();
    return this.#exit;
  }

  /** The end of what was said on the console. */
  lastWords(): string {
    try {
      return readFileSync(this.#consoleFile, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-CONSOLE_TAIL_LINES)
        .join('\n');
    } catch {
      return 'nothing was said on its console';
    }
  }

  /** Pulls the plug, where it is still on, and clears up. */
  off(): void {
    this.#child.kill('SIGKILL');
    clearTimeout(this.#timer);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Starts it with the cases of which there is no result. */
  #boot(): ChildProcess {
    const { kernel, root, app, init, memoryMib, cases } = this.#parts;
    const left = [...cases].flatMap(([name, place]) => (this.#results.has(name) ? [] : [place]));
    const disk = (id: number, file: string, how: string): readonly string[] => [
      ...['-drive', `file=${file},if=none,id=d${id},format=raw,cache=unsafe,${how}`],
      ...['-device', `nvme-ns,drive=d${id},bus=n0,nsid=${id}`],
    ];
    const start = `psi=1 root=${ROOT_PARTITION} rw rootwait init=${init} cases=${left.join()}`;
    const append = `console=ttyS0 quiet panic=-1 ${QUICK} ${start}`;
    const args = [
      ...['-accel', 'tcg,thread=multi,tb-size=512', '-cpu', PROCESSOR, '-smp', '1', '-m', String(memoryMib)],
      ...['-display', 'none', '-nodefaults', '-no-reboot', '-monitor', 'none'],
      ...['-serial', `file:${this.#consoleFile}`, '-serial', 'stdio'],
      ...['-kernel', kernel, '-append', append, '-device', 'nvme,id=n0,serial=vm'],
      ...disk(1, root, 'snapshot=on'),
      ...disk(2, app, 'readonly=on'),
    ];
    const child = spawn('qemu-system-x86_64', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#take(line);
    });
    child.on('error', (error) => {
      this.#ended(error.message);
    });
    child.on('close', (code) => {
      if (!this.#bootsAgain()) this.#ended(`it ended (qemu: ${code ?? 'killed'}) ${complaint}`.trim());
    });
    return child;
  }

  #bootsAgain(): boolean {
    const words = this.lastWords();
    const isPanic = this.#end === undefined && words.includes('Kernel panic');
    if (!isPanic || this.#panics === MOST_PANICS) return false;
    this.#panics += 1;
    console.log(`the kernel of the machine panicked, and is booted again\n${words}`);
    this.#child = this.#boot();
    return true;
  }

  get #consoleFile(): string {
    return join(this.#folder, 'console.log');
  }

  /** A line that is no JSON is left out: the console may have been noisy while the port was set up. */
  #take(line: string): void {
    const said = parse(line);
    if (said === undefined) return;
    if ('exit' in said) this.#exit = said.exit;
    else this.#results.set(said.case, said);
    this.#tell();
  }

  #ended(why: string): void {
    this.#end ??= why;
    clearTimeout(this.#timer);
    this.#tell();
  }

  #tell(): void {
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }

  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
    });
  }
}

function parse(line: string): CaseResult | { readonly exit: number } | undefined {
  try {
    return JSON.parse(line) as CaseResult | { readonly exit: number };
  } catch {
    return undefined;
  }
}
