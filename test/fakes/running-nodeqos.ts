import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { BINARY } from '../e2e/binary.ts';

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The shipped bundle as a process beside the tests, and what it has said so far. */
export class RunningNodeqos {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  #told = new Set<() => void>();

  constructor(
    args: readonly string[],
    command: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) {
    const words = [...command, process.execPath, BINARY, ...args];
    this.child = spawn(words[0] ?? '', words.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      this.#tell();
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until it has said something; throws when it ends or is silent for too long. */
  async says(text: string | RegExp, timeoutMs = 15_000): Promise<void> {
    await this.until(
      () => {
        const all = `${this.stdout}\n${this.stderr}`;
        return typeof text === 'string' ? all.includes(text) : text.test(all);
      },
      `it says ${String(text)}`,
      timeoutMs,
    );
  }

  /** Waits until something holds; looks again whenever the agent says something, and now and then. */
  async until(isMet: () => boolean, what: string, timeoutMs = 15_000): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!isMet()) {
      const why = performance.now() > endMs ? 'in time' : this.isRunning ? undefined : 'before it ended';
      if (why !== undefined) {
        throw new Error(`not ${why}: ${what}\n--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`);
      }
      await this.#somethingOrSoon();
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    this.child.kill(signal);
    return await this.ended;
  }

  #tell(): void {
    for (const tell of this.#told) tell();
  }

  async #somethingOrSoon(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, 20);
      const told = this.#told;
      function done(): void {
        clearTimeout(timer);
        told.delete(done);
        resolve();
      }
      told.add(done);
    });
  }
}
