import type { Failure } from './exit.ts';
import type { TimedEvent } from './model/agent-event.ts';
import type { EvictionOutcome } from './model/eviction.ts';
import type { FilesystemLayout, Pressure, Readings, Taint, TaintedNode } from './model/node.ts';
import type { Pod, UsageByUid } from './model/pod.ts';
import type { PodsRead } from './model/pods-read.ts';
import type { TickRecord } from './model/tick.ts';

/** Time, as the agent knows it. */
export interface Clock {
  /** Monotonic milliseconds since this machine started, comparable between processes of one boot. */
  nowMs(): number;
  /** Milliseconds since the epoch, for people and records only. */
  wallMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The signals at one moment, each reading with the time of its sample on the monotonic clock. */
export interface SignalLook {
  readonly readings: Readings;
  /** null: the kernel has none. Absent: not looked. */
  readonly psi?: Pressure | null;
  readonly memAvailableBytes?: bigint;
  readonly layout: FilesystemLayout;
  /** What could not be read and what follows from that, one sentence each. */
  readonly lacks: readonly string[];
}

/** The list of pods as it is known now. */
export interface PodLook {
  /** undefined: nobody has told yet which pods run here. */
  readonly pods: readonly Pod[] | undefined;
  /** Milliseconds since the source last answered; 0 while it does. */
  readonly ageMs: number;
  /** Why the source does not answer, or what is wrong with its answer. */
  readonly lack?: string;
  /** What a person should know of the list although its source answers, or although there is none. */
  readonly remark?: string;
  /** The name of the source that the list is from, where one among several is taken; it decides who can evict. */
  readonly from?: string;
}

/** What a source of pods that is asked over a connection tells. */
export type PodNews =
  /** The whole list as it is now. */
  | { readonly kind: 'pods'; readonly read: PodsRead }
  /** It does not answer, or not with a list of pods; what it told before is all that is known. */
  | { readonly kind: 'lack'; readonly failure: Failure };

/** A source of pods that is asked over a connection: a kubelet, the API server, a container runtime. */
export interface RemotePods {
  /** As the configuration has it, such as `cri:/run/containerd/containerd.sock`. */
  readonly name: string;
  /** The list as it is now. Throws Failure: 69 where nobody answers, 77 where nodeqos may not ask, 65 for no list of pods, 66. */
  list(signal: AbortSignal): Promise<PodsRead>;
  /**
   * Tells the whole list at first and whenever it has changed, a lack whenever its sentence has, and the list again once the
   * source is back, until the signal aborts. Throws nothing that a peer can cause.
   */
  follow(told: (news: PodNews) => void, signal: AbortSignal): Promise<void>;
}

/** A feed of pods: a source, or several of which it takes the best, which may find that nothing says which pods run. */
export interface PodFeed {
  /** As the configuration has it, such as `auto`. */
  readonly name: string;
  /** As of RemotePods; undefined where nothing says which pods run here. */
  list(signal: AbortSignal): Promise<FedPods | undefined>;
  /** As of RemotePods. */
  follow(told: (news: FeedNews) => void, signal: AbortSignal): Promise<void>;
}

/** A list of pods, and of whom it is. */
export interface FedPods {
  readonly read: PodsRead;
  /** The name of the source that it is from. */
  readonly from: string;
}

/** What a feed tells: a list, a lack, or that nothing says which pods run here. */
export type FeedNews =
  | ({ readonly kind: 'pods' } & FedPods)
  | { readonly kind: 'lack'; readonly failure: Failure }
  | { readonly kind: 'none' };

/** The pods of this node as they are known at each look; looking waits for nobody. */
export interface SeenPods {
  /** Throws nothing that a source can cause. */
  look(nowMs: number): PodLook;
  /** What it knew last, and when that was right. */
  readonly lastGood: LastGoodPods | undefined;
  /** Begins with what another one knew: that is the last good list until this one's source has answered. */
  adopt(before: LastGoodPods): void;
}

/** A list of pods that was right at a time. */
export interface LastGoodPods {
  readonly pods: readonly Pod[];
  /** Monotonic. */
  readonly atMs: number;
}

/** The NoExecute taints of the node as they are known now, others among them or not. */
export interface TaintLook {
  /** undefined: they have never been known. */
  readonly taints: readonly Taint[] | undefined;
  /** Milliseconds since they could last be read; 0 while they can. */
  readonly ageMs: number;
  /** Why they cannot be read. */
  readonly lack?: string;
  /** The Node that they are of, where one says them. */
  readonly node?: TaintedNode;
}

/** Where a pod's processes are: its cgroup relative to the mount, and which one of that name it is. */
export interface PodPlace {
  readonly cgroup: string;
  readonly inode: bigint;
}

/** The node as the loop sees it. Looking changes nothing and throws nothing. */
export interface NodeEyes {
  signals(nowMs: number): SignalLook;
  pods(nowMs: number): PodLook;
  usage(pods: readonly Pod[]): UsageByUid;
  /** Whether anything of the pod runs here: its cgroup is there and holds a process, as far as can be told. */
  isRunning(pod: Pod): boolean;
  /** undefined: the pod has no cgroup here. */
  placeOf(pod: Pod): PodPlace | undefined;
}

/** The pod that is to go, nailed down: what is at `cgroup` when the time comes must still have this inode. */
export interface EvictionTarget {
  readonly pod: Pod;
  /** undefined where the tree has no cgroup of it. */
  readonly place: PodPlace | undefined;
  readonly gracePeriodSeconds: number;
}

/** Makes pods go. Never throws for what a machine or a peer can do to it: that is an outcome. */
export interface Evictor {
  readonly name: 'dry' | 'cgroup' | 'cri' | 'api';
  /** Resolves when the pod is gone, or when it is clear that it will not go. `signal` is the agent's own end. */
  evict(target: EvictionTarget, signal: AbortSignal): Promise<EvictionOutcome>;
}

/** One who is told what happens. A sink that throws is named and left out; it never ends the agent. */
export interface EventSink {
  readonly name: string;
  /** Told in order. Resolves when the event is where it has to be (audit: on its way to the disk). */
  event(event: TimedEvent): Promise<void> | void;
  /** Told after each tick. */
  tick?(record: TickRecord): void;
}

/** The service manager, as far as it is there (sd_notify protocol). */
export interface ServiceManager {
  /** Why it cannot be told anything, for people; undefined when it can or when nobody asked to be told. */
  readonly lack: string | undefined;
  /** How often it wants a sign of life, in milliseconds; undefined: never. */
  readonly watchdogMs: number | undefined;
  ready(status: string): void;
  reloading(monotonicUs: bigint): void;
  status(text: string): void;
  stopping(): void;
  watchdog(): void;
}

/** Wakes the loop before its time. What wakes carries no facts: the world is read again. */
export interface WakeSource {
  readonly name: string;
  /** Calls `wake` until the signal aborts. Gives a sentence where it cannot, such as without its native part. */
  start(wake: () => void, signal: AbortSignal): string | undefined;
}
