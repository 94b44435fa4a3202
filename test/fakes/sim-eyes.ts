import type { FilesystemLayout, SignalReading } from '../../agent/model/node.ts';
import type { Pod, PodUsage, UsageByUid } from '../../agent/model/pod.ts';
import type { NodeEyes, PodLook, PodPlace, SignalLook } from '../../agent/ports.ts';
import type { Signal } from '../../config/signal.ts';
import { CAPACITY, SIM_SIGNALS, type SimNode, type SimSignal } from './sim-node.ts';
import type { Lifeline, SimTime } from './sim-time.ts';

/** How a signal shows itself: read at each look, sampled now and then, standing still, without a time, or not at all. */
export type Sampling = 'live' | 'sampled' | 'frozen' | 'timeless' | 'absent';

interface Sample {
  readonly available: bigint;
  readonly atMs: number;
}

/** What there is to see of a node, which may be less and older than what is. It outlives the agent that looks. */
export class SimSight {
  readonly sampling = new Map<SimSignal, Sampling>();
  readonly samples = new Map<SimSignal, Sample>();
  samplePeriodMs = 2500;
  /** What the source of pods answers; undefined until it does for the first time. */
  listed: readonly Pod[] | undefined;
  listFails = false;
  /** Nothing of the pods' usage can be read. */
  usageFails = false;
  /** The same pods in the other order, for an agent to which that must not matter. */
  isReversed = false;
}

/** All that an agent has seen in one tick, in the order in which it looked. */
export interface Seen {
  atMs: number | undefined;
  readonly signals: { readonly look: SignalLook; readonly atMs: number }[];
  pods: PodLook | undefined;
  usage: UsageByUid | undefined;
  /** When somebody looked where a pod is. */
  readonly placedAtMs: Map<Pod, number>;
}

export function nothingSeen(): Seen {
  return { atMs: undefined, signals: [], pods: undefined, usage: undefined, placedAtMs: new Map() };
}

interface EyesParts {
  readonly node: SimNode;
  readonly sight: SimSight;
  readonly time: SimTime;
  readonly lifeline: Lifeline;
}

const LAYOUT: FilesystemLayout = 'single';

/** The eyes of one process, which remember what they saw. */
export class SimEyes implements NodeEyes {
  seen = nothingSeen();
  readonly #parts: EyesParts;
  #list: readonly Pod[] | undefined;
  #listOf: readonly Pod[] | undefined;
  #goodAtMs: number | undefined;

  constructor(parts: EyesParts) {
    this.#parts = parts;
  }

  signals(nowMs: number): SignalLook {
    return this.#parts.lifeline.now('reading signals', () => {
      const readings = new Map<Signal, SignalReading>();
      const lacks: string[] = [];
      for (const signal of SIM_SIGNALS) {
        const reading = this.#reading(signal, nowMs);
        if (reading === undefined) lacks.push(`${signal} cannot be read`);
        else readings.set(signal, reading);
      }
      const look = { readings, layout: LAYOUT, lacks };
      this.seen.signals.push({ look, atMs: nowMs });
      return look;
    });
  }

  pods(nowMs: number): PodLook {
    return this.#parts.lifeline.now('reading the list of pods', () => {
      const { listed, listFails, isReversed } = this.#parts.sight;
      if (!listFails) {
        this.#goodAtMs = nowMs;
        if (listed !== this.#listOf) {
          this.#listOf = listed;
          this.#list = isReversed ? listed?.toReversed() : listed;
        }
      }
      const look = {
        pods: this.#list,
        ageMs: this.#goodAtMs === undefined ? 0 : nowMs - this.#goodAtMs,
        ...(listFails ? { lack: 'the source does not answer' } : {}),
      };
      this.seen.pods = look;
      return look;
    });
  }

  usage(pods: readonly Pod[]): UsageByUid {
    return this.#parts.lifeline.now('reading usage', () => {
      const usage = new Map<string, PodUsage>();
      for (const pod of this.#parts.sight.usageFails ? [] : pods) {
        const cgroup = this.#parts.node.of(pod);
        if (cgroup?.isMeasured === true && cgroup.isPopulated && pod.cgroupUid !== undefined) {
          usage.set(pod.cgroupUid, cgroup.usage);
        }
      }
      this.seen.usage = usage;
      return usage;
    });
  }

  isRunning(pod: Pod): boolean {
    return this.#parts.node.of(pod)?.isPopulated === true;
  }

  placeOf(pod: Pod): PodPlace | undefined {
    const place = this.#parts.lifeline.now('looking for a cgroup', () => {
      const cgroup = this.#parts.node.of(pod);
      return cgroup === undefined ? undefined : { cgroup: cgroup.cgroup, inode: cgroup.inode };
    });
    this.seen.placedAtMs.set(pod, this.#parts.time.nowMs);
    return place;
  }

  #reading(signal: SimSignal, nowMs: number): SignalReading | undefined {
    const { node, sight } = this.#parts;
    const sampling = sight.sampling.get(signal) ?? 'live';
    if (sampling === 'absent') return undefined;
    const reading = { capacity: CAPACITY[signal], source: 'the simulation' };
    if (sampling === 'timeless') return { ...reading, available: node.available(signal) };
    const before = sight.samples.get(signal);
    const isKept =
      before !== undefined &&
      (sampling === 'frozen' || (sampling === 'sampled' && nowMs - before.atMs < sight.samplePeriodMs));
    const sample = isKept ? before : { available: node.available(signal), atMs: nowMs };
    sight.samples.set(signal, sample);
    return { ...reading, ...sample };
  }
}
