import { z } from 'zod';
import { isSignal, type Signal } from '../../config/signal.ts';
import type { AgentMemory } from '../model/agent-view.ts';

const signal = z.custom<Signal>((value) => typeof value === 'string' && isSignal(value));
const value = z.union([z.object({ quantity: z.number() }), z.object({ percentage: z.number() })]);

const answer = z.object({
  kind: z.literal('AgentState'),
  conditions: z.array(z.enum(['MemoryPressure', 'DiskPressure', 'PIDPressure'])),
  thresholds: z.array(
    z.object({
      signal,
      type: z.enum(['hard', 'soft']),
      value,
      metSinceMs: z.number().nullable(),
      inGrace: z.boolean(),
    }),
  ),
  agent: z.object({
    pid: z.number(),
    stateDir: z.string(),
    version: z.string(),
    mode: z.enum(['dry-run', 'enforce']),
    evictions: z.enum(['on', 'dry', 'off']),
    evictionsBecause: z.string().exactOptional(),
    startedAt: z.string(),
    lastTickAt: z.string(),
    configurationValid: z.boolean(),
    configurationError: z.string().exactOptional(),
    psiTrigger: z.boolean(),
  }),
  troubles: z.array(z.string()),
});

/** Who it was that answered, and what it said. */
export interface AgentAnswer {
  readonly pid: number;
  readonly stateDir: string;
  readonly memory: AgentMemory;
}

/** Reads the answer to /state; undefined for anything that is not one of an agent. */
export function readAgentAnswer(text: string): AgentAnswer | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = answer.safeParse(document);
  if (!read.success) return undefined;
  const { agent, conditions, thresholds, troubles } = read.data;
  const { stateDir, ...known } = agent;
  const view = { ...known, troubles };
  return { pid: agent.pid, stateDir, memory: { view, conditions, thresholds } };
}
