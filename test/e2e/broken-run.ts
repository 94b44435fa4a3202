import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readJournalFile } from '../../cgroup/disk/journal-file.ts';
import { LivingNode, type LivingPod } from '../fakes/living-node.ts';
import { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { SimRandom } from '../fakes/sim-random.ts';

/** Whether a mount namespace can be made. */
export const canMount: boolean =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

/** How soon the loop looks, and with that how soon a test is done. */
const QUICK = 'loop: {interval: 100ms, minInterval: 20ms}\n';

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface State {
  readonly troubles: readonly string[];
  readonly memoryQos: { readonly write: number; readonly keep: number; readonly inFlight: number } | null;
  readonly pending: readonly { readonly name: string }[];
  readonly agent: {
    readonly blindTicks: number;
    readonly configurationValid: boolean;
    readonly configurationError?: string;
  };
}

/** An enforcing `run` on a fake node of which something is broken, in a mount namespace of its own where that is needed. */
export class BrokenRun {
  readonly node: LivingNode;
  #agent: RunningNodeqos | undefined;

  constructor(yaml = '', pods = 10) {
    const random = new SimRandom(7);
    this.node = new LivingNode({ pods, random, diesInMs: () => 30 });
    this.node.configure(`${QUICK}${yaml}`);
    this.node.start();
  }

  get agent(): RunningNodeqos {
    if (this.#agent === undefined) throw new Error('it was not started');
    return this.#agent;
  }

  /** Starts the agent after the commands of a shell, for which ROOT, STATE and MOUNT are set. */
  start(mounts?: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}): this {
    const { root, state, mount } = this.node;
    const places = ['--root', root, '--pods', join(root, 'pods.json'), '--listen', `unix:${root}/socket`];
    const script = `ROOT='${root}' STATE='${state}' MOUNT='${mount}'\n${mounts ?? ''}\nexec "$@"`;
    const before = mounts === undefined ? [] : ['unshare', '-m', 'sh', '-ec', script, 'sh'];
    this.#agent = new RunningNodeqos(['run', '--enforce', ...places, ...more], before, env);
    return this;
  }

  /** A path as the agent sees it, whatever it has mounted. */
  seen(path: string): string {
    return `/proc/${this.agent.child.pid ?? 0}/root${path}`;
  }

  /** Does something to the mounts that the agent sees. */
  inside(script: string): void {
    const { root, state, mount } = this.node;
    const pid = String(this.agent.child.pid ?? 0);
    const done = spawnSync('nsenter', ['-t', pid, '-m', 'sh', '-ec', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ROOT: root, STATE: state, MOUNT: mount },
    });
    expect([done.status, done.stderr]).toEqual([0, '']);
  }

  /** Asks the agent at its socket. */
  async ask(path: string): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const request = get({ socketPath: `${this.node.root}/socket`, path }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body });
        });
      });
      request.on('error', reject);
    });
  }

  async state(): Promise<State> {
    return JSON.parse((await this.ask('/state')).body) as State;
  }

  /** Waits until something can be said of the agent's state. */
  async untilState(isMet: (state: State) => boolean, what: string, timeoutMs = 15_000): Promise<State> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const state = await this.state().catch(() => undefined);
      if (state !== undefined && isMet(state)) return state;
      if (performance.now() > endMs || !this.agent.isRunning) {
        const { stdout, stderr } = this.agent;
        throw new Error(`not in time: ${what}\n${JSON.stringify(state)}\n${stdout}\n${stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Waits until a trouble is on record. */
  async untilTrouble(text: string): Promise<void> {
    await this.untilState(({ troubles }) => troubles.some((one) => one.includes(text)), text);
  }

  async untilWritten(timeoutMs?: number): Promise<void> {
    const isDone = ({ memoryQos }: State): boolean =>
      memoryQos !== null && memoryQos.write === 0 && memoryQos.keep > 0 && memoryQos.inFlight === 0;
    await this.untilState(isDone, 'everything is written', timeoutMs);
  }

  /** Lets memory run short and waits until the right pod, and only that one, was killed. */
  async evicts(): Promise<LivingPod> {
    const before = this.node.killed.length;
    const hog = this.node.hunger();
    await this.agent.until(() => !this.node.isShort, `${hog.name} is evicted`);
    expect(this.node.killed.slice(before)).toEqual([hog.name]);
    this.node.replace(hog);
    return hog;
  }

  /** Every value that is not as it was is in the journal, with what it was. */
  expectJournalled(): void {
    const read = readJournalFile(this.seen(this.node.state));
    const records = read.kind === 'read' ? read.reading.journal.records : new Map<string, never>();
    for (const key of this.node.changed()) {
      const original = this.node.originals.get(key);
      const record = records.get(key);
      expect([key, record?.before, record?.inode]).toEqual([key, original?.text, original?.inode]);
    }
  }

  /** How many lines of the log hold a text. */
  lines(text: string): number {
    return `${this.agent.stdout}${this.agent.stderr}`.split('\n').filter((line) => line.includes(text))
      .length;
  }

  /** The kinds of the audit log's records, or of another one that the agent sees. */
  audit(path = join(this.node.state, 'audit.jsonl')): readonly string[] {
    const lines = readFileSync(this.seen(path), 'utf8').trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as { readonly kind: string }).kind);
  }

  /** Ends the agent, which has to end well whatever is broken. */
  async stop(): Promise<void> {
    const { agent } = this;
    expect(await agent.kill('SIGTERM'), agent.stderr).toEqual({ code: 0, signal: null });
    expect(agent.stderr).not.toMatch(/internal error|^\s+at /m);
  }

  async remove(): Promise<void> {
    if (this.#agent?.isRunning === true) await this.#agent.kill();
    this.node.remove();
  }
}

/** A test with a run of its own, which is gone at its end. */
export function withRun(
  test: (run: BrokenRun) => Promise<void>,
  yaml = '',
  pods?: number,
): () => Promise<void> {
  return async () => {
    const run = new BrokenRun(yaml, pods);
    try {
      await test(run);
    } finally {
      await run.remove();
    }
  };
}
