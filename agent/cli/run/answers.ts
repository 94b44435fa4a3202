import type { Clock, EventSink } from '../../ports.ts';
import { type Health, type HealthLook, health, readiness } from '../../report/answers/health.ts';
import { type Server, startServer } from '../../report/answers/server.ts';
import { stateDocument } from '../../report/answers/state-document.ts';
import { createMetrics } from '../../report/metrics/metrics.ts';
import type { Agent } from '../../run/agent.ts';
import type { Announcer } from '../../run/announcer.ts';
import { VERSION } from '../console/version.ts';

/** What answers are made from. */
export interface AnswerParts {
  /** As a path of this machine. */
  readonly stateDir: string;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly agent: () => Agent;
}

/** The agent's address, where it answers who asks. */
export interface RunAnswers {
  readonly sinks: readonly EventSink[];
  open(announcer: Announcer): Promise<void>;
  close(): Promise<void>;
}

/** How the last ticks went. */
export function healthLook({ clock, startedAtMs, agent }: AnswerParts): HealthLook {
  const { last, setup } = agent();
  return { record: last, startedAtMs, nowMs: clock.nowMs(), intervalMs: setup.pace.intervalMs };
}

/** Prepares the answers at `listen`; metrics are not even counted where nobody can ask for them. */
export async function prepareAnswers(listen: string, parts: AnswerParts): Promise<RunAnswers> {
  if (listen === 'none') {
    return { sinks: [], open: () => Promise.resolve(), close: () => Promise.resolve() };
  }
  const metrics = await createMetrics(VERSION);
  let server: Server | undefined;
  return {
    sinks: [metrics],
    open: async (announcer) => {
      server = await startServer(listen, {
        metrics: async () => ({ text: await metrics.text(), contentType: metrics.contentType }),
        state: () => {
          const { last } = parts.agent();
          return last === undefined ? undefined : stateDocument(last, { stateDir: parts.stateDir });
        },
        health: (): Health => health(healthLook(parts)),
        ready: (): Health => readiness(healthLook(parts)),
      });
      await announcer.trouble('listen', server.kind === 'failed' ? server.sentence : undefined);
    },
    close: async () => {
      if (server?.kind === 'listening') await server.close();
    },
  };
}
