import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Signal } from '../../../config/signal.ts';
import type { AgentEvent, WriteOutcome } from '../../model/agent-event.ts';
import type { EvictionCause, EvictionOutcome } from '../../model/eviction.ts';
import type { MetricKinds } from './metric-kinds.ts';

const FILES = ['memory.min', 'memory.low', 'memory.high'] as const;
const WRITE_OUTCOMES: readonly WriteOutcome[] = ['written', 'failed', 'vanished', 'wanted'];
const EVICTION_OUTCOMES: readonly EvictionOutcome['kind'][] = ['gone', 'still-there', 'refused', 'dry-run'];
const REACTION_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EVICTION_BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 120];

/** Taints are one series, whatever their names: those are the operator's, and there may be many. */
const TAINT = 'taint';

type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>;

/** What happened, counted. */
export class EventMetrics {
  readonly #writes: Counter<'file' | 'outcome'>;
  readonly #drifts: Counter<'file'>;
  readonly #leftAlone: Counter<'file'>;
  readonly #evictions: Counter<'signal' | 'outcome'>;
  readonly #withheld: Counter<'signal'>;
  readonly #reaction: Histogram;
  readonly #took: Histogram;
  readonly #reloads: Counter<'outcome'>;
  readonly #troubles: Counter<'part'>;
  readonly #trouble: Gauge<'part'>;

  constructor({ Counter, Gauge, Histogram }: MetricKinds, registers: Registry[]) {
    this.#evictions = new Counter({
      name: 'nodeqos_evictions_total',
      help: 'Evictions that ended, by the signal, storage limit or taint behind them and by what became of them.',
      labelNames: ['signal', 'outcome'],
      registers,
    });
    this.#withheld = new Counter({
      name: 'nodeqos_evictions_withheld_total',
      help: 'Times that nobody was evicted although a threshold was past its grace, or a pod stayed in spite of a taint; counted once per change of the reason.',
      labelNames: ['signal'],
      registers,
    });
    this.#reaction = new Histogram({
      name: 'nodeqos_eviction_reaction_seconds',
      help: 'From the sample that crossed the threshold to the call of the evictor, in seconds.',
      buckets: REACTION_BUCKETS,
      registers,
    });
    this.#took = new Histogram({
      name: 'nodeqos_eviction_duration_seconds',
      help: 'From the call of the evictor to its outcome, in seconds; without dry-run.',
      buckets: EVICTION_BUCKETS,
      registers,
    });
    this.#writes = new Counter({
      name: 'nodeqos_memory_qos_writes_total',
      help: 'Writes of cgroup files by what became of them; wanted: kept from happening by dry-run.',
      labelNames: ['file', 'outcome'],
      registers,
    });
    this.#drifts = new Counter({
      name: 'nodeqos_memory_qos_drifts_total',
      help: 'Values that somebody else changed after nodeqos had written them.',
      labelNames: ['file'],
      registers,
    });
    this.#leftAlone = new Counter({
      name: 'nodeqos_memory_qos_left_alone_total',
      help: 'Times that a value was left alone for a while because somebody else kept changing it.',
      labelNames: ['file'],
      registers,
    });
    this.#reloads = new Counter({
      name: 'nodeqos_config_reloads_total',
      help: 'Reloads of the configuration by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.#troubles = new Counter({
      name: 'nodeqos_troubles_total',
      help: 'Times that a part of the agent could not do its work, by part.',
      labelNames: ['part'],
      registers,
    });
    this.#trouble = new Gauge({
      name: 'nodeqos_trouble',
      help: 'Whether a part of the agent cannot do its work at the moment; parts that never failed are left out.',
      labelNames: ['part'],
      registers,
    });
    this.#beginAtZero();
  }

  /** A rate needs a series that was there before the first event. */
  #beginAtZero(): void {
    for (const file of FILES) {
      for (const outcome of WRITE_OUTCOMES) this.#writes.inc({ file, outcome }, 0);
      this.#drifts.inc({ file }, 0);
      this.#leftAlone.inc({ file }, 0);
    }
    for (const outcome of ['success', 'failure']) this.#reloads.inc({ outcome }, 0);
  }

  /** Signals that have thresholds: their evictions are counted from 0. */
  expect(signals: readonly Signal[]): void {
    for (const signal of signals) {
      for (const outcome of EVICTION_OUTCOMES) this.#evictions.inc({ signal, outcome }, 0);
      this.#withheld.inc({ signal }, 0);
    }
  }

  count(event: AgentEvent): void {
    switch (event.kind) {
      case 'write':
        this.#writes.inc({ file: event.file, outcome: event.outcome });
        return;
      case 'drift':
        this.#countDrift(event);
        return;
      case 'eviction':
        this.#countEviction(event);
        return;
      case 'no-eviction':
        this.#withheld.inc({ signal: 'taint' in event ? TAINT : event.signal });
        return;
      case 'reload':
        this.#countReload(event.ok);
        return;
      case 'trouble':
        this.#countTrouble(event);
        return;
      default:
        // Told by the gauges of a tick, or by the events that follow.
        return;
    }
  }

  #countDrift({ file, leftAlone }: EventOf<'drift'>): void {
    this.#drifts.inc({ file });
    if (leftAlone !== undefined) this.#leftAlone.inc({ file });
  }

  #countReload(ok: boolean): void {
    this.#reloads.inc({ outcome: ok ? 'success' : 'failure' });
  }

  #countTrouble({ part, over }: EventOf<'trouble'>): void {
    this.#trouble.set({ part }, over ? 0 : 1);
    if (!over) this.#troubles.inc({ part });
  }

  #countEviction({ order, outcome, reactionMs, tookMs }: EventOf<'eviction'>): void {
    this.#evictions.inc({ signal: signalOf(order.cause), outcome: outcome.kind });
    if (reactionMs !== undefined) this.#reaction.observe(reactionMs / 1000);
    if (outcome.kind !== 'dry-run') this.#took.observe(tookMs / 1000);
  }
}

function signalOf(cause: EvictionCause): string {
  switch (cause.kind) {
    case 'threshold':
      return cause.threshold.signal;
    case 'storage-limit':
      return cause.limit;
    case 'taint':
      return TAINT;
  }
}
