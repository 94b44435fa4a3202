import { request } from 'node:http';
import { type LockHolder, lockHolder, lockPath } from '../../cgroup/disk/lock-holder.ts';
import { parseListen } from '../../config/nodeqos/listen-address.ts';
import type { AgentMemory, AgentView } from '../model/agent-view.ts';
import { type AgentAnswer, readAgentAnswer } from './agent-answer.ts';

/** Whether an agent runs on a node, and what it says. */
export type RunningAgent =
  | { readonly kind: 'none' }
  /** `doubt`, a sentence: it holds no lock, so that only its own word says that it is the agent of this node. */
  | { readonly kind: 'answers'; readonly memory: AgentMemory; readonly doubt?: string }
  /** It runs, and no more is known of it; `why` is a sentence. */
  | { readonly kind: 'silent'; readonly view: AgentView; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** What `run` calls itself in the lock; `apply` and `reset` hold it too, for a moment. */
const AGENT_COMMAND = 'run';
/** A busy agent answers between two ticks; one that needs longer is not waited for. */
const DEADLINE_MS = 1000;
const LARGEST_ANSWER_BYTES = 4 << 20;

/**
 * Asks at `listen` for the agent of a state folder, and looks who holds the folder's lock. An agent on a full disk has no
 * lock and works all the same, so the answer counts without one, with a doubt that is said: anybody could answer at an
 * address. Where an agent holds the lock, only its own answer counts.
 */
export async function findRunningAgent(stateFolder: string, listen: string): Promise<RunningAgent> {
  const answer = await askState(listen);
  const holder = lockHolder(stateFolder);
  if (holder.kind === 'held' && holder.command === AGENT_COMMAND) {
    return answerOfHolder(answer, holder, { stateFolder, listen });
  }
  if (typeof answer !== 'string' && answer.stateDir === stateFolder) {
    const doubt = `the agent that answers at ${listen} (PID ${answer.pid}) does not hold ${lockPath(stateFolder)}; it writes no limit until it does`;
    return { kind: 'answers', memory: answer.memory, doubt };
  }
  if (holder.kind !== 'unknown') return { kind: 'none' };
  return {
    kind: 'unknown',
    why: `whether an agent runs is not known: ${lockPath(stateFolder)} cannot be read`,
  };
}

function answerOfHolder(
  answer: AgentAnswer | string,
  { pid, since }: Extract<LockHolder, { kind: 'held' }>,
  { stateFolder, listen }: { readonly stateFolder: string; readonly listen: string },
): RunningAgent {
  if (typeof answer !== 'string' && answer.pid === pid && answer.stateDir === stateFolder) {
    return { kind: 'answers', memory: answer.memory };
  }
  const what = typeof answer === 'string' ? answer : 'another agent answers there';
  return {
    kind: 'silent',
    view: { pid, startedAt: since },
    why: `the agent (PID ${pid}) does not answer at ${listen}: ${what}`,
  };
}

/** The agent's answer, or why there is none. */
async function askState(listen: string): Promise<AgentAnswer | string> {
  const address = parseListen(listen);
  if (!address.ok) return address.message;
  const where = address.value;
  if (where.kind === 'none') return 'it was told to answer nobody';
  const target =
    where.kind === 'unix'
      ? { socketPath: where.path }
      : { host: where.host ?? '127.0.0.1', port: where.port };
  try {
    return readAgentAnswer(await getState(target)) ?? 'what answers there is no agent, or has not looked yet';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function getState(
  target: { readonly socketPath: string } | { readonly host: string; readonly port: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const headers = { Host: 'localhost' };
    const asking = request({ ...target, path: '/state', headers, signal, agent: false }, (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        parts.push(part);
        if (size > LARGEST_ANSWER_BYTES) asking.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => {
        resolve(Buffer.concat(parts).toString('utf8'));
      });
      response.on('error', reject);
    });
    asking.on('error', (error) => {
      reject(signal.aborted ? new Error(`nothing came within ${DEADLINE_MS} ms`) : error);
    });
    asking.end();
  });
}
