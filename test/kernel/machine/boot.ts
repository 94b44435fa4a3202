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
  readonly memoryMib: number;
  /** After this it is switched off, whatever it does. */
  readonly longestMs: number;
}

const CONSOLE_TAIL_LINES = 40;

/**
 * A processor without cmpxchg16b: emulated, it loses the flags of a guest now and then, and newer kernels use it in their
 * allocator.
 */
const PROCESSOR = 'qemu64,-cx16';

/** A machine that runs the cases and is gone after the last one. */
export class Machine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodeqos-machine-'));
  readonly #child: ChildProcess;
  readonly #results = new Map<string, CaseResult>();
  readonly #waiting = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #end: string | undefined;
  #exit: number | undefined;

  constructor({ kernel, root, app, memoryMib, longestMs }: MachineParts) {
    const disk = (id: number, file: string, how: string): readonly string[] => [
      ...['-drive', `file=${file},if=none,id=d${id},format=raw,cache=unsafe,${how}`],
      ...['-device', `nvme-ns,drive=d${id},bus=n0,nsid=${id}`],
    ];
    const append = `console=ttyS0 quiet panic=-1 psi=1 root=${ROOT_PARTITION} rw rootwait init=/init`;
    const args = [
      ...['-accel', 'tcg,thread=multi', '-cpu', PROCESSOR, '-smp', '2', '-m', String(memoryMib)],
      ...['-display', 'none', '-nodefaults', '-no-reboot', '-monitor', 'none'],
      ...['-serial', `file:${this.#consoleFile}`, '-serial', 'stdio'],
      ...['-kernel', kernel, '-append', append, '-device', 'nvme,id=n0,serial=vm'],
      ...disk(1, root, 'snapshot=on'),
      ...disk(2, app, 'readonly=on'),
    ];
    this.#child = spawn('qemu-system-x86_64', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.#take(line);
      });
    this.#child.on('error', (error) => {
      this.#ended(error.message);
    });
    this.#child.on('close', (code) => {
      this.#ended(`it ended (qemu: ${code ?? 'killed'}) ${complaint}`.trim());
    });
    this.#timer = setTimeout(() => {
      this.#ended('its time was over');
      this.off();
    }, longestMs);
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

  /** The exit status of the cases' process, when the machine has switched itself off; undefined where it never told. */
  async exitStatus(): Promise<number | undefined> {
    while (this.#end === undefined) await this.#news();
    return this.#exit;
  }

  /** The end of what was said on the console. */
  lastWords(): string {
    try {
      return readFileSync(this.#consoleFile, 'utf8').trimEnd().split('\n').slice(-CONSOLE_TAIL_LINES).join('\n');
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
