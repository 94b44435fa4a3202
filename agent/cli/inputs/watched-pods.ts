import type { Warning } from '../../../cgroup/warning.ts';
import type { Pod } from '../../model/pod.ts';
import { PodList } from '../../observe/pods/pod-list.ts';
import { type NodeSetup, type PodsHere, podsHere } from './inputs.ts';
import { podPaths } from './pod-input.ts';

/** The pods of a node that is looked at again and again. */
export interface WatchedPods {
  readonly list: PodList;
  /** What the last reading of them had to say. */
  warnings(): readonly Warning[];
}

/** The pods of a setup, read at the first look. */
export function watchedPods(setup: NodeSetup): WatchedPods {
  let last: PodsHere | undefined;
  const read = (): readonly Pod[] | undefined => {
    last = podsHere(setup);
    return last?.pods;
  };
  return {
    list: new PodList({ paths: podPaths(setup.places, setup), read }),
    warnings: () => last?.warnings ?? [],
  };
}

/**
 * The first look, as of `nowMs`. Throws Failure 65, 66 and 77 for a source that does not answer: later on it is waited for,
 * but at the start that is a mistake that somebody should hear of.
 */
export function firstPods({ list }: WatchedPods, nowMs: number): readonly Pod[] | undefined {
  const { pods } = list.look(nowMs);
  if (list.failure !== undefined) throw list.failure;
  return pods;
}
