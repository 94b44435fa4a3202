import type { EventSink } from '../ports.ts';

/** Metrics of the agent, for Prometheus. */
export interface Metrics extends EventSink {
  text(): Promise<string>;
  readonly contentType: string;
}

/** Metrics in a registry of their own. */
export function createMetrics(_version: string): Promise<Metrics> {
  return Promise.reject(new Error('not there yet'));
}
