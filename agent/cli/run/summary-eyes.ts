import { pathSignature } from '../../../config/watch.ts';
import { credibleReadings } from '../../decide/credible.ts';
import { Failure } from '../../exit.ts';
import type { Readings } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { readInputFile } from '../../observe/input-file.ts';
import type { SummaryStatistics } from '../../observe/summary/summary.ts';
import type { Clock, NodeEyes, SignalLook } from '../../ports.ts';
import { readSummaryText } from '../inputs/statistics.ts';

interface LastSummary {
  readonly signature: string;
  readonly pods: readonly Pod[];
  readonly read: SummaryStatistics | Failure;
}

/**
 * A node whose signals and usage come from a saved /stats/summary that somebody writes anew from time to time; everything
 * else is seen as before. Its samples have wall-clock times, which become times of the monotonic clock, so that a file that
 * nobody writes any more is soon too old to act on.
 */
export function summaryEyes(eyes: NodeEyes, path: string, clock: Clock): NodeEyes {
  let last: LastSummary | undefined;
  let pods: readonly Pod[] = [];
  const current = (): SummaryStatistics | Failure => {
    const signature = pathSignature(path);
    if (last?.signature !== signature || last.pods !== pods) {
      last = { signature, pods, read: readOrFailure(path, pods) };
    }
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
      const summary = current();
      if (summary instanceof Failure) return { ...seen, readings: new Map(), lacks: [summary.message] };
      const { readings, lacks } = credibleReadings(summary.readings);
      const { layout } = summary;
      return { ...seen, readings: onMonotonicClock(readings, nowMs, clock.wallMs()), layout, lacks };
    },
    usage: () => {
      const summary = current();
      return summary instanceof Failure ? new Map() : summary.usage;
    },
  };
}

function readOrFailure(path: string, pods: readonly Pod[]): SummaryStatistics | Failure {
  try {
    return readSummaryText(readInputFile(path), pods);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function onMonotonicClock(readings: Readings, nowMs: number, wallMs: number): Readings {
  return new Map(
    [...readings].map(([signal, reading]) => [
      signal,
      reading.atMs === undefined ? reading : { ...reading, atMs: nowMs - (wallMs - reading.atMs) },
    ]),
  );
}
