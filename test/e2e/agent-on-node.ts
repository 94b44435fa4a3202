import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { LiveKernel } from '../fakes/live-kernel.ts';
import { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import type { BinaryRun } from './binary.ts';

/** A record of the audit log, as far as a test knows it. */
export interface AuditRecord {
  readonly time: string;
  readonly kind: string;
  readonly mode: string;
  readonly [field: string]: unknown;
}

/** An answer of the agent. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** What a test looks at in /state. */
export interface State {
  readonly conditions: readonly string[];
  readonly signals: readonly { readonly signal: string; readonly available: number }[];
  readonly thresholds: readonly {
    readonly signal: string;
    readonly type: string;
    readonly met: boolean;
    readonly metSinceMs: number | null;
  }[];
  readonly agent: Readonly<Record<string, unknown>>;
  readonly memoryQos: { readonly write: number; readonly keep: number; readonly missing: number } | null;
  readonly pods: { readonly count: number };
  readonly troubles: readonly string[];
  readonly pending: readonly unknown[];
  readonly tick: { readonly nextInMs: number };
}

/** The fixture's node with a kernel, and an agent on it that is asked at a socket. */
export class AgentOnNode {
  readonly node = new FixtureNode();
  readonly kernel = new LiveKernel(this.node.mount);
  readonly socket = this.node.path('agent.sock');
  readonly #agents: RunningNodeqos[] = [];

  /** Starts `run` on the node, quick and listening at the socket unless other options say so; `command` runs it. */
  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    command: readonly string[] = [],
  ): RunningNodeqos {
    const quick = args.includes('--interval') ? [] : ['--interval', '100ms'];
    const listen = args.includes('--listen') ? [] : ['--listen', `unix:${this.socket}`];
    const all = ['run', '--root', this.node.root, ...quick, ...listen, ...args];
    const agent = new RunningNodeqos(all, command, env);
    this.#agents.push(agent);
    return agent;
  }

  /** Starts it and waits for its first tick. */
  async started(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningNodeqos> {
    const agent = this.start(args, env);
    await this.state(agent, () => true, 'a first tick');
    return agent;
  }

  /** nodeqos.yaml: the fixture's Memory QoS and more lines. */
  configure(...lines: readonly string[]): void {
    const head = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';
    this.node.write('etc/nodeqos/nodeqos.yaml', `${head}${lines.map((line) => `${line}\n`).join('')}`);
  }

  /** The records of the audit log so far, of one kind or all. */
  records(kind?: string): readonly AuditRecord[] {
    const path = join(this.node.state, 'audit.jsonl');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    const records = lines.map((line) => JSON.parse(line) as AuditRecord);
    return kind === undefined ? records : records.filter((record) => record.kind === kind);
  }

  /** Waits for the audit log to have so many records of a kind; gives them. */
  async recorded(agent: RunningNodeqos, kind: string, count = 1): Promise<readonly AuditRecord[]> {
    await agent.until(() => this.records(kind).length >= count, `${count} records of ${kind}`);
    return this.records(kind);
  }

  /** What the agent answers at its socket. */
  async ask(path: string, method = 'GET'): Promise<Answer> {
    return await answerOf({ socketPath: this.socket }, path, method);
  }

  /** Waits for a state of the agent in which something holds; gives it. */
  async state(agent: RunningNodeqos, isMet: (state: State) => boolean, what: string): Promise<State> {
    const endMs = performance.now() + 15_000;
    for (;;) {
      const answer = await this.ask('/state').catch(() => undefined);
      const state = answer?.status === 200 ? (JSON.parse(answer.text) as State) : undefined;
      if (state !== undefined && isMet(state)) return state;
      if (performance.now() > endMs || !agent.isRunning) {
        throw new Error(
          `not seen: ${what}\n${answer?.text ?? 'no answer'}\n${agent.stdout}\n${agent.stderr}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends every agent that still runs, and removes the node. */
  async remove(): Promise<void> {
    for (const agent of this.#agents) if (agent.isRunning) await agent.kill();
    this.kernel.stop();
    this.node.remove();
  }
}

type Where = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Asks somebody once. Rejects where nobody answers. */
export async function answerOf(
  where: Where,
  path: string,
  method = 'GET',
  host = 'localhost',
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const headers = { Host: host };
    const asking = request({ ...where, path, method, headers, agent: false, timeout: 5000 }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const type = response.headers['content-type'] ?? '';
        resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(parts).toString('utf8') });
      });
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.on('error', reject);
    asking.end();
  });
}

/** The cgroups of the fixture's pods, and the container in each whose usage decides. */
export const FLOUR = podOf(
  'kubepods-besteffort',
  '5f0c1a10_0000_4000_8000_000000000004',
  'e4b5c2fb49e7385d5416dcc816aea6ab6b3e3bc98456fadefa529a97fc7197dc',
);
export const ORDERS = podOf(
  'kubepods-burstable',
  '5f0c1a10_0000_4000_8000_000000000002',
  '22f530378575e907a411479393498d7a09d5a7ab1bc60ebed00760206626b920',
);
export const RECIPES = podOf(
  'kubepods-burstable',
  '5f0c1a10_0000_4000_8000_000000000003',
  'ca3cf63b2c2c8a0c2c64083e25faf4b12464b585e659f898b0d36e223b243875',
);

function podOf(
  tier: string,
  uid: string,
  container: string,
): { readonly pod: string; readonly leaf: string } {
  const pod = `kubepods.slice/${tier}.slice/${tier}-pod${uid}.slice`;
  return { pod, leaf: `${pod}/cri-containerd-${container}.scope` };
}

/** Runs a command beside the kernel, which has to go on meanwhile. */
export async function beside(args: readonly string[]): Promise<BinaryRun> {
  const run = new RunningNodeqos(args);
  const { code } = await run.ended;
  return { status: code, stdout: run.stdout, stderr: run.stderr };
}

/** A test with a node of its own, on which memory is not short; the node is gone at its end. */
export function onCalmNode(test: (on: AgentOnNode) => Promise<void>): () => Promise<void> {
  return async () => {
    const on = new AgentOnNode();
    try {
      on.kernel.use(FLOUR.leaf, CALM_MIB);
      await test(on);
    } finally {
      await on.remove();
    }
  };
}

/** What flour-report uses on a calm node: more than 400 MiB are left, above every threshold. */
export const CALM_MIB = 20;
