import type { TimedEvent } from '../../model/agent-event.ts';
import type { EventSink } from '../../ports.ts';
import { eventLine } from './event-line.ts';
import { createLog, type LogTarget } from './log.ts';

/** Where the agent's lines go: what it decides, and what it cannot do. */
export interface LogSinkTargets {
  readonly decisions: LogTarget;
  readonly troubles: LogTarget;
}

/** Writes one line for each event, none for a tick: a line a second is read by nobody. */
export function createLogSink(targets: LogSinkTargets): EventSink & { close(): void } {
  const decisions = createLog(targets.decisions);
  const troubles = createLog(targets.troubles);
  return {
    name: 'log',
    event: (timed: TimedEvent) => {
      const { level, line, isTrouble } = eventLine(timed);
      (isTrouble ? troubles : decisions).log({ level, message: line, wallMs: timed.wallMs });
    },
    close: () => {
      decisions.end();
      troubles.end();
    },
  };
}

/** The least important of syslog's levels for `log.level` of nodeqos.yaml. */
export function syslogLevel(level: 'error' | 'warn' | 'info' | 'debug'): string {
  return level === 'warn' ? 'warning' : level;
}
