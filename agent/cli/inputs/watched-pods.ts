import type { Warning } from '../../../cgroup/warning.ts';
import type { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { FollowedPods } from '../../observe/pods/followed-pods.ts';
import { OwnPods } from '../../observe/pods/own-pods.ts';
import { PodList } from '../../observe/pods/pod-list.ts';
import type { PodFeed, SeenPods } from '../../ports.ts';
import type { NodeSetup } from './node-setup.ts';
import type { Peers } from './peers.ts';
import { podFeed } from './pod-feed.ts';
import { podPaths, podsInFiles } from './pod-input.ts';
import { countedPods, type PodsHere } from './pods-here.ts';

/** The pods of a node that is looked at again and again. */
export interface WatchedPods {
  readonly list: SeenPods;
  /** What the last reading of them had to say. */
  warnings(): readonly Warning[];
  /**
   * Begins, and looks for the first time; a source that is asked over a connection is waited for as long as one answer may
   * take. Gives why there is no list: of files, that is a mistake that somebody should hear of at the start.
   */
  first(): Promise<Failure | undefined>;
  /** Whether the source is asked over a connection, and may answer later what it does not now. */
  readonly isRemote: boolean;
  /** Follows no more. */
  stop(): void;
}

/** The pods of a setup; nothing is read or asked before `first`. `wake` is called when a source has told of a change. */
export function watchedPods(setup: NodeSetup, peers: Peers, wake: () => void): WatchedPods {
  let last: PodsHere | undefined;
  const count = (read: PodsRead): readonly Pod[] => {
    last = countedPods(setup, read);
    return last.pods;
  };
  const warnings = (): readonly Warning[] => last?.warnings ?? [];
  const feed = podFeed(setup, peers);
  const remark = (): string | undefined => remarkOf(warnings());
  if (feed !== undefined) return { ...followed(feed, { setup, peers, count, remark, wake }), warnings };
  const read = (): readonly Pod[] | undefined => {
    const pods = podsInFiles(setup.places, setup);
    return pods === undefined ? undefined : count(pods);
  };
  const inFiles = new PodList({ paths: podPaths(setup.places, setup), read });
  const first = (): Promise<Failure | undefined> => {
    inFiles.look(peers.parts.clock.nowMs());
    return Promise.resolve(inFiles.failure);
  };
  return { list: ownPods(inFiles, setup), warnings, first, isRemote: false, stop: () => undefined };
}

/** Without a root there is nothing to tell the pods of another node by. */
function ownPods(list: SeenPods, { places: { root }, layout }: NodeSetup): SeenPods {
  return root === undefined ? list : new OwnPods(list, { tree: root.cgroups, layout });
}

interface FollowedWith {
  readonly setup: NodeSetup;
  readonly peers: Peers;
  count(read: PodsRead): readonly Pod[];
  remark(): string | undefined;
  wake(): void;
}

/** What may be wrong with the list as a whole, and can come at any time; what is to be said of single pods is said at the start. */
const OF_THE_WHOLE: readonly string[] = ['no-pods-of-node', 'pods-source'];

function remarkOf(warnings: readonly Warning[]): string | undefined {
  const sentences = warnings.filter(({ code }) => OF_THE_WHOLE.includes(code)).map(({ message }) => message);
  return sentences.length === 0 ? undefined : sentences.join('; ');
}

function followed(feed: PodFeed, { setup, peers, ...told }: FollowedWith): Omit<WatchedPods, 'warnings'> {
  const { kubelet, api, runtime } = setup.nodeqos;
  const pods = new FollowedPods({ feed, clock: peers.parts.clock, ...told });
  return {
    list: ownPods(pods, setup),
    first: async () => {
      pods.start();
      await pods.heard(Math.max(kubelet.deadlineMs, api.deadlineMs, runtime.deadlineMs));
      return pods.failure;
    },
    isRemote: true,
    stop: () => {
      pods.stop();
    },
  };
}
