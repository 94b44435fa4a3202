import type { TickRecord } from '../model/tick.ts';
import type { Clock, ServiceManager } from '../ports.ts';
import type { Agent } from './agent.ts';
import { statusLine } from './status-line.ts';
import type { Wakeup } from './wakeup.ts';

export interface LoopParts {
  readonly agent: Pick<Agent, 'setup' | 'tick'>;
  readonly clock: Clock;
  readonly wakeup: Wakeup;
  readonly manager: ServiceManager;
  /** Aborted when the agent is told to end. */
  readonly signal: AbortSignal;
  /** Whether the last ticks saw something. */
  isHealthy(): boolean;
  /** Between two ticks: takes a new configuration where one was asked for, and gives whether one was. */
  betweenTicks(): Promise<boolean>;
}

/**
 * Ticks until the signal aborts, one at a time. The service manager is told READY after the first finished tick and after the
 * first that goes by a configuration that was read again, what the agent's state is whenever that changed, and that it is
 * alive after each tick that saw something: a loop that hangs, or that sees nothing, is not kept alive by a timer that knows
 * nothing of it.
 */
export async function runLoop(parts: LoopParts): Promise<void> {
  const { agent, manager, wakeup, signal } = parts;
  let told: string | undefined;
  while (!signal.aborted) {
    const isReloaded = await parts.betweenTicks();
    const record = await agent.tick();
    const status = statusLine(record);
    if (told === undefined || isReloaded) manager.ready(status);
    else if (told !== status) manager.status(status);
    told = status;
    if (parts.isHealthy()) manager.watchdog();
    const { pace } = agent.setup;
    await wakeup.sleep(untilNext(record, manager, parts.clock), pace.minIntervalMs, signal);
  }
}

/** At most half of what the watchdog grants, whatever the configured interval is. */
function untilNext(record: TickRecord, manager: ServiceManager, clock: Clock): number {
  const spentMs = clock.nowMs() - record.atMs;
  const restMs = Math.max(0, record.nextInMs - spentMs);
  return manager.watchdogMs === undefined ? restMs : Math.min(restMs, manager.watchdogMs / 2);
}
