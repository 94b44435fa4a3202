import { readdirSync } from 'node:fs';
import type { Counter, Gauge, Registry } from 'prom-client';
import type { MetricKinds } from './metric-kinds.ts';

/** What the agent itself costs. */
export interface ProcessFigures {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly startedAtSeconds: number;
  /** undefined where /proc does not show them. */
  readonly openDescriptors: number | undefined;
}

/** The figures of this process at this moment. */
export function processFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startedAtSeconds: performance.timeOrigin / 1000,
    openDescriptors: openDescriptors(),
  };
}

/** Without the one that the counting itself needs. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** The process metrics that every exporter has, under their customary names. */
export class ProcessMetrics {
  readonly #cpu: Counter;
  readonly #resident: Gauge;
  readonly #started: Gauge;
  readonly #descriptors: Gauge;

  constructor({ Counter, Gauge }: MetricKinds, registers: Registry[]) {
    this.#cpu = new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time of the agent, in seconds.',
      registers,
    });
    this.#resident = new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the agent, in bytes.',
      registers,
    });
    this.#started = new Gauge({
      name: 'process_start_time_seconds',
      help: 'When the agent was started, in seconds since the epoch.',
      registers,
    });
    this.#descriptors = new Gauge({
      name: 'process_open_fds',
      help: 'Open file descriptors of the agent.',
      registers,
    });
  }

  show({ cpuSeconds, residentBytes, startedAtSeconds, openDescriptors }: ProcessFigures): void {
    this.#cpu.reset();
    this.#cpu.inc(cpuSeconds);
    this.#resident.set(residentBytes);
    this.#started.set(startedAtSeconds);
    if (openDescriptors === undefined) this.#descriptors.remove();
    else this.#descriptors.set(openDescriptors);
  }
}
