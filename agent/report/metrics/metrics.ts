import type { TickRecord } from '../../model/tick.ts';
import type { EventSink } from '../../ports.ts';
import type { MetricKinds } from './metric-kinds.ts';
import { EventMetrics } from './metrics-of-events.ts';
import { type ProcessFigures, ProcessMetrics, processFigures } from './metrics-of-process.ts';
import { TickMetrics } from './metrics-of-ticks.ts';

/** Metrics of the agent, for Prometheus. */
export interface Metrics extends EventSink {
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Metrics in a registry of their own, named and in units as Prometheus has them. No label holds a pod's name, so the number
 * of series is bounded by signals, thresholds, classes and parts. A number that is not known has no series: it is never 0
 * for that.
 */
export async function createMetrics(
  version: string,
  figures: () => ProcessFigures = processFigures,
): Promise<Metrics> {
  // In the bundle a CommonJS library that is imported late has no names of its own, only its default.
  const { default: client } = await import('prom-client');
  const { Counter, Gauge, Histogram, Registry } = client;
  const kinds: MetricKinds = { Counter, Gauge, Histogram };
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  new Gauge({
    name: 'nodeqos_build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const ticks = new TickMetrics(kinds, registers);
  const events = new EventMetrics(kinds, registers);
  const process = new ProcessMetrics(kinds, registers);
  let last: TickRecord | undefined;
  return {
    name: 'metrics',
    event: (timed) => {
      events.count(timed.event);
    },
    tick: (record) => {
      last = record;
      ticks.count(record);
      events.expect(record.decision.thresholds.map(({ threshold }) => threshold.signal));
    },
    text: () => {
      // Gauges are set when somebody asks: a tick should cost as little as it can.
      if (last !== undefined) ticks.show(last);
      process.show(figures());
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
