import type { PlainValue } from '../../config/plain-value.ts';
import type { Parsed } from '../../config/result.ts';
import type { FilesystemLayout, Readings } from '../model/node.ts';
import type { Pod, UsageByUid } from '../model/pod.ts';

/** A saved kubelet /stats/summary, read for a set of pods (their volumes decide what counts as local storage). */
export interface SummaryStatistics {
  readonly readings: Readings;
  readonly usage: UsageByUid;
  readonly layout: FilesystemLayout;
}

/** Reads /stats/summary. Refused when it is not an object with `node`. */
export function readSummary(_value: PlainValue, _pods: readonly Pod[]): Parsed<SummaryStatistics> {
  throw new Error('not yet');
}
