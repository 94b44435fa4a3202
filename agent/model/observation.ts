import type { FilesystemLayout, Readings } from './node.ts';
import type { Pod, UsageByUid } from './pod.ts';

/** Everything that deciding on evictions may know of the node at one moment; plain data, so it can be written down and replayed. */
export interface Observation {
  /** Monotonic milliseconds of this look. */
  readonly atMs: number;
  /** A signal that is absent was not observed. Its `atMs`, where there is one, is the time of the sample, on the same clock. */
  readonly readings: Readings;
  /** The pods of this node, finished ones left out by whoever decides. */
  readonly pods: readonly Pod[];
  /** How old the list of pods is; absent: fresh. */
  readonly podsAgeMs?: number;
  /** undefined: no statistics of pods have been taken yet, so nobody can be ranked. */
  readonly usage: UsageByUid | undefined;
  readonly layout: FilesystemLayout;
}
