import type { JournalPort, LimitWrite, WriteResult } from '../../cgroup/apply.ts';
import type { LimitFiles } from '../../cgroup/limit-port.ts';
import type { AgentEvent } from '../model/agent-event.ts';

/** One write of the loop: what a record of it has to say. */
export interface OrderedWrite extends LimitWrite {
  /** As the file read when this was decided; null where that is not known. */
  readonly from: string | null;
  readonly reason: string;
}

/** What has ended since it was last asked for. */
export interface TakenResults {
  readonly results: readonly WriteResult<OrderedWrite>[];
  readonly events: readonly AgentEvent[];
}

/** Writes limits in the background: the loop starts a batch, goes on, and takes the results when there are some. */
export class LimitWrites {
  readonly #ports: { readonly files: LimitFiles; readonly journal: JournalPort };

  constructor(ports: { readonly files: LimitFiles; readonly journal: JournalPort }) {
    this.#ports = ports;
  }

  /** Takes a batch, in write order; false while the one before is not far enough, and then nothing of it is kept. */
  start(_writes: readonly OrderedWrite[]): boolean {
    throw new Error(`not there yet ${typeof this.#ports}`);
  }

  take(): TakenResults {
    throw new Error('not there yet');
  }

  /** The places that are being written, by `placeKey`. */
  get inFlight(): ReadonlySet<string> {
    throw new Error('not there yet');
  }

  /** Resolves when nothing is being written any more. */
  idle(): Promise<void> {
    throw new Error('not there yet');
  }
}
