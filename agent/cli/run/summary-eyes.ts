import type { TextFile } from '../../../config/finding.ts';
import type { Signal } from '../../../config/signal.ts';
import { pathSignature } from '../../../config/watch.ts';
import { credibleReadings } from '../../decide/credible.ts';
import { Failure } from '../../exit.ts';
import type { Readings } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { readInputFile } from '../../observe/input-file.ts';
import type { SummaryStatistics } from '../../observe/summary/summary.ts';
import type { FollowedSummary, SummaryNow } from '../../peers/kubelet/kubelet-summary.ts';
import type { Clock, NodeEyes, SignalLook } from '../../ports.ts';
import { readSummaryText } from '../inputs/statistics.ts';

/** Where a summary is had from; asking for it waits for nobody. */
type SummaryFeed = Pick<FollowedSummary, 'now'>;

/** A summary as it was read for the pods of a look. */
interface LastRead {
  readonly summary: TextFile;
  readonly pods: readonly Pod[];
  readonly read: SummaryStatistics | Failure;
}

/**
 * A node whose signals and usage come from a saved /stats/summary that somebody writes anew from time to time; everything
 * else is seen as before.
 */
export function summaryEyes(eyes: NodeEyes, path: string, clock: Clock): NodeEyes {
  return feedEyes(eyes, savedSummary(path), clock);
}

/** The same with the /stats/summary of a kubelet that is asked in the background. */
export function kubeletEyes(eyes: NodeEyes, followed: SummaryFeed, clock: Clock): NodeEyes {
  return feedEyes(eyes, followed, clock);
}

/** A file that is read again when it has changed. */
function savedSummary(path: string): SummaryFeed {
  let last: { readonly signature: string; readonly now: SummaryNow } | undefined;
  return {
    now: () => {
      const signature = pathSignature(path);
      if (last?.signature !== signature) last = { signature, now: readFile(path) };
      return last.now;
    },
  };
}

function readFile(path: string): SummaryNow {
  try {
    return { summary: readInputFile(path) };
  } catch (error) {
    if (error instanceof Failure) return { summary: undefined, lack: error.message };
    throw error;
  }
}

function feedEyes(eyes: NodeEyes, feed: SummaryFeed, clock: Clock): NodeEyes {
  const times = new SampleTimes();
  let pods: readonly Pod[] = [];
  let last: LastRead | undefined;
  const read = (summary: TextFile): SummaryStatistics | Failure => {
    if (last?.summary !== summary || last.pods !== pods)
      last = { summary, pods, read: readOrFailure(summary, pods) };
    return last.read;
  };
  return {
    ...eyes,
    pods: (nowMs) => {
      const look = eyes.pods(nowMs);
      pods = look.pods ?? [];
      return look;
    },
    signals: (nowMs): SignalLook => {
      const seen = eyes.signals(nowMs);
      const { summary, lack } = feed.now();
      const lacking = lack === undefined ? [] : [lack];
      if (summary === undefined) return { ...seen, readings: new Map(), lacks: lacking };
      const statistics = read(summary);
      if (statistics instanceof Failure) {
        return { ...seen, readings: new Map(), lacks: [statistics.message, ...lacking] };
      }
      const { readings, lacks } = credibleReadings(statistics.readings);
      const { layout } = statistics;
      const timed = times.onMonotonicClock(readings, nowMs, clock.wallMs());
      return { ...seen, readings: timed, layout, lacks: [...lacks, ...lacking] };
    },
    usage: () => {
      const { summary } = feed.now();
      const statistics = summary === undefined ? undefined : read(summary);
      return statistics === undefined || statistics instanceof Failure ? new Map() : statistics.usage;
    },
  };
}

function readOrFailure(summary: TextFile, pods: readonly Pod[]): SummaryStatistics | Failure {
  try {
    return readSummaryText(summary, pods);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/**
 * Samples of a summary have times of the wall clock, which become times of the monotonic clock, so that numbers that nobody
 * renews are soon too old to act on. A sample is placed once, when it is first seen, and never in the future: placed anew at
 * every look, an unchanged one would seem newer by what the two clocks have drifted, and be acted upon twice.
 */
class SampleTimes {
  readonly #placed = new Map<Signal, { readonly wallMs: number; readonly atMs: number }>();

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
