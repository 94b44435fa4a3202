import type * as Prometheus from 'prom-client';

/** The parts of the client library that metrics are made with; it is loaded only where metrics are wanted. */
export type MetricKinds = Pick<typeof Prometheus, 'Counter' | 'Gauge' | 'Histogram'>;
