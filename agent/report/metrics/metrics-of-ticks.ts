import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pressure } from '../../model/node.ts';
import type { TickRecord } from '../../model/tick.ts';
import type { MetricKinds } from './metric-kinds.ts';
import type { TickGauge } from './tick-gauge.ts';
import { TICK_GAUGES } from './tick-gauges.ts';

const TICK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface ShownGauge {
  readonly shown: TickGauge;
  readonly gauge: Gauge;
}

/** Where the node and the agent stood after the last tick, and how the ticks went. */
export class TickMetrics {
  readonly #gauges: readonly ShownGauge[];
  readonly #stalls: Counter<'kind'>;
  readonly #duration: Histogram;
  readonly #blind: Counter;

  constructor({ Counter, Gauge, Histogram }: MetricKinds, registers: Registry[]) {
    this.#gauges = TICK_GAUGES.map((shown) => {
      const { name, help, labelNames } = shown;
      return { shown, gauge: new Gauge({ name, help, labelNames: [...labelNames], registers }) };
    });
    this.#stalls = new Counter({
      name: 'nodeqos_memory_pressure_stall_seconds_total',
      help: 'Time that some or all tasks of the node were stalled for memory, in seconds (PSI).',
      labelNames: ['kind'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'nodeqos_tick_duration_seconds',
      help: 'How long a tick took, from its first reading to its report, in seconds.',
      buckets: TICK_BUCKETS,
      registers,
    });
    this.#blind = new Counter({
      name: 'nodeqos_blind_ticks_total',
      help: 'Ticks without memory.available or without a list of pods.',
      registers,
    });
    // The library has a gauge without labels begin at 0, which nobody has measured.
    for (const one of this.#gauges) clear(one);
  }

  /** Once for each tick. */
  count(record: TickRecord): void {
    this.#duration.observe(record.tookMs / 1000);
    if (record.agent.blindTicks > 0) this.#blind.inc();
  }

  /** Sets everything that is as it was at the last tick. */
  show(record: TickRecord): void {
    for (const one of this.#gauges) {
      clear(one);
      for (const { labels, value } of one.shown.valuesOf(record)) one.gauge.set({ ...labels }, value);
    }
    this.#showStalls(record.psi ?? undefined);
  }

  /** The kernel has counted already. */
  #showStalls(psi: Pressure | undefined): void {
    this.#stalls.reset();
    if (psi === undefined) return;
    for (const kind of ['some', 'full'] as const) {
      const averages = psi[kind];
      if (averages !== undefined) this.#stalls.inc({ kind }, Number(averages.totalUs) / 1e6);
    }
  }
}

/** The library sets a gauge without labels to 0 when it is reset. */
function clear({ shown, gauge }: ShownGauge): void {
  if (shown.labelNames.length === 0) gauge.remove();
  else gauge.reset();
}
