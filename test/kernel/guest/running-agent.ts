import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { sleep, until } from './machine.ts';

/** A record of the audit log, as far as a case knows it. */
export interface AuditRecord {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** What a case looks at in /state. */
export interface AgentState {
  readonly conditions: readonly string[];
  readonly signals: readonly { readonly signal: string; readonly available: number }[];
  readonly memAvailableBytes: number;
  readonly agent: Readonly<Record<string, unknown>>;
  readonly memoryQos: { readonly write: number; readonly keep: number; readonly missing: number } | null;
  readonly troubles: readonly string[];
}

/** An emulated machine needs seconds to start a Node. */
const LONGEST_WAIT_MS = 90_000;

/** Where an agent answers and what it writes to, and what it is told besides its options. */
export interface AgentPlaces {
  readonly socket: string;
  readonly audit: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `run` of the shipped binary as a process, and what it has put down so far. */
export class RunningAgent {
  readonly child: ChildProcess;
  said = '';
  readonly #socket: string;
  readonly #audit: string;

  constructor(args: readonly string[], { socket, audit, env = {} }: AgentPlaces) {
    this.#socket = socket;
    this.#audit = audit;
    this.child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A fault of the agent's own shows where it is.
      env: { PATH: '/bin', NODEQOS_DEBUG: '1', ...env },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
      });
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The records so far, of one kind or all. */
  records(kind?: string): readonly AuditRecord[] {
    const lines = existsSync(this.#audit) ? readFileSync(this.#audit, 'utf8').split('\n').slice(0, -1) : [];
    const records = lines.map((line) => JSON.parse(line) as AuditRecord);
    return kind === undefined ? records : records.filter((record) => record.kind === kind);
  }

  /** Waits for so many records of a kind; gives them. */
  async recorded(kind: string, count = 1): Promise<readonly AuditRecord[]> {
    await until(() => this.records(kind).length >= count || !this.isRunning, `${count} ${kind}`).catch(() => {
      throw new Error(this.#unseen(`${count} records of ${kind}`));
    });
    if (this.records(kind).length < count) throw new Error(this.#unseen(`${count} records of ${kind}`));
    return this.records(kind);
  }

  /** Waits until it has said something: a line comes after its record. */
  async says(wanted: RegExp): Promise<void> {
    await until(() => wanted.test(this.said) || !this.isRunning, String(wanted)).catch(() => undefined);
    if (!wanted.test(this.said)) throw new Error(this.#unseen(String(wanted)));
  }

  /** Waits for a state in which something holds; gives it. */
  async state(isMet: (state: AgentState) => boolean, what: string): Promise<AgentState> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const text = await this.#ask().catch(() => undefined);
      const state = text === undefined ? undefined : (JSON.parse(text) as AgentState);
      if (state !== undefined && isMet(state)) return state;
      if (performance.now() > endMs || !this.isRunning)
        throw new Error(this.#unseen(`${what}; last: ${text ?? 'no answer'}`));
      await sleep(100);
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  #unseen(what: string): string {
    const records = this.records().map((record) => JSON.stringify(record).slice(0, 400));
    return `not seen: ${what}\n${this.said}\n${records.join('\n')}`;
  }

  /** Gives the answer, undefined where there was no tick yet. */
  async #ask(): Promise<string | undefined> {
    return await new Promise((resolve, reject) => {
      const where = { socketPath: this.#socket, path: '/state', headers: { Host: 'localhost' } };
      const asking = request({ ...where, agent: false, timeout: 20_000 }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve(response.statusCode === 200 ? text : undefined);
        });
      });
      asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
      asking.on('error', reject);
      asking.end();
    });
  }
}
