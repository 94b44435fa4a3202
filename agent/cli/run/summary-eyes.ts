import type { TextFile } from '../../../config/finding.ts';
import { pathSignature } from '../../../config/watch.ts';
import { credibleReadings } from '../../decide/credible.ts';
import type { StatisticsOf } from '../../decide/foreign-statistics.ts';
import { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import { readInputFile } from '../../observe/input-file.ts';
import type { SummaryStatistics } from '../../observe/summary/summary.ts';
import type { FollowedSummary, SummaryNow } from '../../peers/kubelet/kubelet-summary.ts';
import type { Clock, NodeEyes, SignalLook } from '../../ports.ts';
import { readSummaryText } from '../inputs/statistics.ts';
import { SampleTimes } from './sample-times.ts';

/** Where a summary is had from; asking for it waits for nobody. */
type SummaryFeed = Pick<FollowedSummary, 'now'>;

/** What a summary is seen with. */
export interface SummaryParts {
  readonly clock: Clock;
  /** Those of the eyes before these, where there were any. */
  readonly times?: SampleTimes;
  /** The name of this node where somebody said it: statistics of another one are none. */
  readonly nodeName: string | undefined;
}

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
export function summaryEyes(
  eyes: NodeEyes,
  path: string,
  { clock, times = new SampleTimes(), nodeName }: SummaryParts,
): NodeEyes {
  return feedEyes(eyes, savedSummary(path), { clock, times, nodeName });
}

/** The same with the /stats/summary of a kubelet that is asked in the background. */
export function kubeletEyes(
  eyes: NodeEyes,
  followed: SummaryFeed,
  { clock, times = new SampleTimes(), nodeName }: SummaryParts,
): NodeEyes {
  return feedEyes(eyes, followed, { clock, times, nodeName });
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

function feedEyes(
  eyes: NodeEyes,
  feed: SummaryFeed,
  { clock, times, nodeName }: Required<SummaryParts>,
): NodeEyes {
  let pods: readonly Pod[] = [];
  let last: LastRead | undefined;
  const read = (summary: TextFile): SummaryStatistics | Failure => {
    if (last?.summary !== summary || last.pods !== pods)
      last = { summary, pods, read: readOrFailure(summary, { pods, nodeName }) };
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
      return { ...seen, readings: timed, layout, lacks: [...lacks, ...statistics.doubts, ...lacking] };
    },
    usage: () => {
      const { summary } = feed.now();
      const statistics = summary === undefined ? undefined : read(summary);
      return statistics === undefined || statistics instanceof Failure ? new Map() : statistics.usage;
    },
  };
}

function readOrFailure(summary: TextFile, of: StatisticsOf): SummaryStatistics | Failure {
  try {
    return readSummaryText(summary, of);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
