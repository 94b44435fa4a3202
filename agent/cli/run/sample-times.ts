import type { Signal } from '../../../config/signal.ts';
import type { Readings } from '../../model/node.ts';

/**
 * Samples of a summary have times of the wall clock, which become times of the monotonic clock, so that numbers that nobody
 * renews are soon too old to act on. A sample is placed once, when it is first seen, and never in the future: placed anew at
 * every look, an unchanged one would seem newer by what the two clocks have drifted, and be acted upon twice. So it has to
 * outlive a reload of the configuration.
 */
export class SampleTimes {
  readonly #placed = new Map<Signal, { readonly wallMs: number; readonly atMs: number }>();

  /** The readings with times of the monotonic clock; `nowMs` and `wallMs` are the times of the look on both clocks. */
  onMonotonicClock(readings: Readings, nowMs: number, wallMs: number): Readings {
    return new Map(
      [...readings].map(([signal, reading]) => [
        signal,
        reading.atMs === undefined
          ? reading
          : { ...reading, atMs: this.#place(signal, reading.atMs, { nowMs, wallMs }) },
      ]),
    );
  }

  #place(signal: Signal, sampleMs: number, now: { readonly nowMs: number; readonly wallMs: number }): number {
    const known = this.#placed.get(signal);
    if (known?.wallMs === sampleMs) return known.atMs;
    const atMs = now.nowMs - Math.max(0, now.wallMs - sampleMs);
    this.#placed.set(signal, { wallMs: sampleMs, atMs });
    return atMs;
  }
}
