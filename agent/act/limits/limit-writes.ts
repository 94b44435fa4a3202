import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JournalFailure,
  type JournalPort,
  type LimitWrite,
  type Prepared,
  prepareWrites,
  type WriteResult,
  writePrepared,
} from '../../../cgroup/apply.ts';
import { isRefusal } from '../../../cgroup/back-off.ts';
import { placeKey } from '../../../cgroup/journal.ts';
import type { LimitFiles } from '../../../cgroup/limit-port.ts';
import type { LimitOwner } from '../../model/agent-event.ts';
import { Lanes } from './lanes.ts';

/** The kernel reclaims inside a write that lowers memory.high, which can take long; each holds a thread of the process. */
const HIGH_WRITES_AT_ONCE = 2;
/** How long lowerings of min and low wait for the writes of memory.high before them; their order saves nobody from harm. */
const PATIENCE_MS = 1000;

/** One write of the loop, and what a record of it has to say. */
export interface OrderedWrite extends LimitWrite, LimitOwner {
  /** As the file read when this was decided; null where that is not known. */
  readonly from: string | null;
  readonly reason: string;
}

/** What has ended since it was last asked for. */
export interface TakenWrites {
  readonly results: readonly WriteResult<OrderedWrite>[];
  /** Journalled perhaps, and not written: the batch ended before them. */
  readonly notBegun: readonly OrderedWrite[];
  /** Whether old values were kept: undefined where there were none to keep. */
  readonly journal: 'kept' | JournalFailure | undefined;
}

export interface LimitWritePorts {
  readonly files: LimitFiles;
  readonly journal: JournalPort;
}

/**
 * Writes limits in the background: the loop starts a batch, goes on, and takes the results when there are some. A batch is
 * journalled first, as a whole. Then min and low are written strictly one after the other; memory.high is, in its place in
 * the order, handed to two lanes, so that at most two writes block at a time and no min or low waits long for them. A write
 * that the system refuses ends the batch: the next would be refused as well, and what is left is found again.
 */
export class LimitWrites {
  readonly #ports: LimitWritePorts;
  readonly #patienceMs: number;
  readonly #lanes = new Lanes(HIGH_WRITES_AT_ONCE);
  readonly #open = new Map<string, OrderedWrite>();
  readonly #begun = new Set<string>();
  #batch: Promise<void> | undefined;
  #isEnding = false;
  #results: WriteResult<OrderedWrite>[] = [];
  #notBegun: OrderedWrite[] = [];
  #journal: TakenWrites['journal'];
  #bug: { readonly error: unknown } | undefined;

  constructor(ports: LimitWritePorts, patienceMs: number = PATIENCE_MS) {
    this.#ports = ports;
    this.#patienceMs = patienceMs;
  }

  /**
   * Takes a batch, in write order and none of it in flight; false while the one before is not done but for memory.high,
   * and then nothing of it is kept: the next look finds it again.
   */
  start(writes: readonly OrderedWrite[]): boolean {
    if (this.#batch !== undefined) {
      return false;
    }
    if (writes.length > 0) {
      for (const write of writes) {
        this.#open.set(placeKey(write), write);
      }
      this.#isEnding = false;
      this.#batch = this.#run(writes)
        .catch((error: unknown) => {
          this.#bug = { error };
        })
        .finally(() => {
          this.#batch = undefined;
          if (this.#isEnding) {
            this.#endUnbegun();
          }
        });
    }
    return true;
  }

  /** What has ended since it was asked for last. Throws what only a bug can have made a write throw. */
  take(): TakenWrites {
    if (this.#bug !== undefined) {
      throw this.#bug.error;
    }
    const taken = { results: this.#results, notBegun: this.#notBegun, journal: this.#journal };
    this.#results = [];
    this.#notBegun = [];
    this.#journal = undefined;
    return taken;
  }

  /**
   * The places that are being written or about to be, by `placeKey`, as they are now; and those whose result has not been
   * taken: until somebody knows what became of a write, its file proves nothing.
   */
  inFlight(): ReadonlySet<string> {
    const ended = [...this.#results.map(({ write }) => write), ...this.#notBegun];
    return new Set([...this.#open.keys(), ...ended.map(placeKey)]);
  }

  /** Begins no further write; what has begun goes on. */
  stop(): void {
    this.#isEnding = true;
    this.#lanes.clear();
    if (this.#batch === undefined) {
      this.#endUnbegun();
    }
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    do {
      await this.#batch;
      await this.#lanes.idle();
    } while (this.#batch !== undefined);
  }

  async #run(writes: readonly OrderedWrite[]): Promise<void> {
    const preparation = await prepareWrites(writes, this.#ports);
    if (preparation.kind === 'not-journalled') {
      const { code, message } = preparation;
      this.#journal = { code, message };
      this.#isEnding = true;
    } else {
      this.#journal = preparation.writes.some(({ kind }) => kind === 'ready') ? 'kept' : undefined;
      await this.#writeAll(preparation.writes);
    }
  }

  async #writeAll(prepared: readonly Prepared<OrderedWrite>[]): Promise<void> {
    let isBehindHighs = false;
    for (const one of prepared) {
      const { file } = one.kind === 'ready' ? one.write : one.result.write;
      const isHigh = file === 'memory.high';
      if (isBehindHighs && !isHigh) {
        await this.#waitForHighs();
        isBehindHighs = false;
      }
      if (this.#isEnding) {
        return;
      }
      if (one.kind === 'over') {
        this.#end(one.result);
      } else if (isHigh) {
        this.#lanes.add(() => this.#writeHigh(one));
        isBehindHighs = true;
      } else {
        await this.#write(one);
      }
    }
  }

  async #waitForHighs(): Promise<void> {
    const timer = new AbortController();
    const patience = sleep(this.#patienceMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#lanes.idle(), patience]);
    timer.abort();
  }

  async #writeHigh(prepared: Prepared<OrderedWrite>): Promise<void> {
    try {
      await this.#write(prepared);
    } catch (error) {
      this.#bug = { error };
    }
  }

  async #write(prepared: Prepared<OrderedWrite>): Promise<void> {
    if (prepared.kind === 'ready') {
      this.#begun.add(placeKey(prepared.write));
    }
    const result = await writePrepared(prepared, this.#ports.files);
    this.#end(result);
    if (isRefusal(result)) {
      this.stop();
    }
  }

  #end(result: WriteResult<OrderedWrite>): void {
    const key = placeKey(result.write);
    this.#open.delete(key);
    this.#begun.delete(key);
    this.#results.push(result);
  }

  /** Gives up what has not begun. */
  #endUnbegun(): void {
    for (const [key, write] of this.#open) {
      if (!this.#begun.has(key)) {
        this.#open.delete(key);
        this.#notBegun.push(write);
      }
    }
  }
}
