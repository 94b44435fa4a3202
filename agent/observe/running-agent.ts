import { request } from 'node:http';
import { lockHolder, lockPath } from '../../cgroup/disk/lock-holder.ts';
import { parseListen } from '../../config/nodeqos/listen-address.ts';
import type { AgentMemory, AgentView } from '../model/agent-view.ts';
import { type AgentAnswer, readAgentAnswer } from './agent-answer.ts';

/** Whether an agent runs on a node, and what it says. */
export type RunningAgent =
  | { readonly kind: 'none' }
  | { readonly kind: 'answers'; readonly memory: AgentMemory }
  /** It runs, and no more is known of it; `why` is a sentence. */
  | { readonly kind: 'silent'; readonly view: AgentView; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** What `run` calls itself in the lock; `apply` and `reset` hold it too, for a moment. */
const AGENT_COMMAND = 'run';
/** A busy agent answers between two ticks; one that needs longer is not waited for. */
const DEADLINE_MS = 1000;
const LARGEST_ANSWER_BYTES = 4 << 20;

/**
 * Finds the agent that holds the lock of a state folder and asks it at `listen` how the node stands. Anybody could answer at
 * an address, so an answer counts only if it comes from the holder of the lock and is about the same state folder.
 */
export async function findRunningAgent(stateFolder: string, listen: string): Promise<RunningAgent> {
  const holder = lockHolder(stateFolder);
  if (holder.kind === 'unknown') {
    return {
      kind: 'unknown',
      why: `whether an agent runs is not known: ${lockPath(stateFolder)} cannot be read`,
    };
  }
  if (holder.kind !== 'held' || holder.command !== AGENT_COMMAND) return { kind: 'none' };
  const { pid, since } = holder;
  const answer = await askState(listen);
  if (typeof answer !== 'string') {
    if (answer.pid === pid && answer.stateDir === stateFolder)
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
