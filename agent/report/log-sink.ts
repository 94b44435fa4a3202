import type { EventSink } from '../ports.ts';
import type { LogTarget } from './log.ts';

/** Where the agent's lines go: what it decides, and what it cannot do. */
export interface LogSinkTargets {
  readonly decisions: LogTarget;
  readonly troubles: LogTarget;
}

/** One line for each event, none for a tick. */
export function createLogSink(_targets: LogSinkTargets): EventSink & { close(): void } {
  throw new Error('not there yet');
}
