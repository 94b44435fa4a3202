import { freshReadings } from '../decide/eviction/second-look.ts';
import { nextLookInMs, type PaceRules, type TwoLooks } from '../decide/pace.ts';
import type { AgentMode } from '../model/agent-event.ts';
import type { EvictionDecision } from '../model/eviction.ts';
import type { Pod } from '../model/pod.ts';
import type { AgentFigures, MemoryQosFigures, TickRecord, TierFigures } from '../model/tick.ts';
import type { Clock, NodeEyes, PodLook, SignalLook } from '../ports.ts';
import type { Announcer } from './announcer.ts';
import type { EvictionRules } from './eviction-rules.ts';
import type { EvictionTurn } from './eviction-turn.ts';
import type { MemoryQosLoop } from './memory-qos-loop.ts';

/** What the agent goes by; a reload replaces all of it between two ticks. */
export interface AgentSetup {
  readonly mode: AgentMode;
  readonly eyes: NodeEyes;
  readonly eviction: EvictionRules;
  /** Why evictions are dry or off; undefined when they are on. */
  readonly evictionsBecause: string | undefined;
  readonly pace: PaceRules;
  /** What is asked for over a connection: that it is missing is the peer's outage, and not the agent's. */
  readonly overConnection: { readonly pods: boolean; readonly statistics: boolean };
  /** undefined: not enabled. */
  readonly memoryQos: MemoryQosLoop | undefined;
  /** What the tiers have and are given; read at each tick. */
  tiers(pods: readonly Pod[]): readonly TierFigures[];
}

/** What of the agent's figures no tick finds out by itself. */
export type StandingFigures = Pick<
  AgentFigures,
  | 'pid'
  | 'version'
  | 'startedAtMs'
  | 'configurationValid'
  | 'configurationError'
  | 'configurationLoadedAtMs'
  | 'psiTrigger'
>;

export interface AgentParts {
  readonly clock: Clock;
  readonly announcer: Announcer;
  readonly evictions: EvictionTurn;
  figures(): StandingFigures;
}

/** One tick after the other: observe, decide, act, report. Nothing in a tick waits for a pod or for a write to end. */
export class Agent {
  readonly #parts: AgentParts;
  #setup: AgentSetup;
  #before: TwoLooks['before'];
  #blindTicks = 0;
  #ownBlindTicks = 0;
  #reconciledAtMs: number | undefined;
  #reconciledPods: readonly Pod[] | undefined;
  #memoryQos: MemoryQosFigures | undefined;
  /** What Memory QoS had begun when it was turned off still ends some time. */
  #turnedOff: MemoryQosLoop | undefined;
  #last: TickRecord | undefined;

  constructor(parts: AgentParts, setup: AgentSetup) {
    this.#parts = parts;
    this.#setup = setup;
  }

  get setup(): AgentSetup {
    return this.#setup;
  }

  /** Takes a new setup; only between two ticks. */
  use(setup: AgentSetup): void {
    if (setup.memoryQos === undefined) {
      this.#turnedOff = this.#setup.memoryQos ?? this.#turnedOff;
      this.#turnedOff?.halt();
    } else {
      this.#turnedOff = undefined;
    }
    this.#setup = setup;
    this.#reconciledAtMs = undefined;
  }

  /** The last finished tick. */
  get last(): TickRecord | undefined {
    return this.#last;
  }

  async tick(): Promise<TickRecord> {
    const { clock, announcer, evictions } = this.#parts;
    const { eyes, eviction, pace } = this.#setup;
    const atMs = clock.nowMs();
    const signals = eyes.signals(atMs);
    const pods = eyes.pods(atMs);
    await announcer.trouble('statistics', signals.lacks.length === 0 ? undefined : signals.lacks.join('; '));
    await announcer.trouble('pods', pods.lack ?? pods.remark);
    const decision = await evictions.turn({ atMs, signals, pods }, eyes, eviction);
    await this.#reconcile(pods, atMs);
    const now = { readings: signals.readings, atMs };
    const looks = this.#before === undefined ? { now } : { before: this.#before, now };
    this.#before = now;
    this.#countBlindness(signals, pods, atMs);
    const untilTaintMs = Math.max(pace.minIntervalMs, evictions.taints.nextAtMs - atMs);
    const nextInMs = Math.min(nextLookInMs(looks, decision.thresholds, pace), untilTaintMs);
    const record = this.#record({ atMs, signals, pods, decision, nextInMs });
    this.#last = record;
    announcer.tick(record);
    return record;
  }

  /** Resolves when nothing that was begun goes on any more, and what became of it is on record. */
  async idle(): Promise<void> {
    await this.#parts.evictions.idle(this.#setup.eviction.policy);
    await (this.#setup.memoryQos ?? this.#turnedOff)?.idle(this.#parts.clock.nowMs());
  }

  /** For a single tick: writes until nothing is left to write that can be written. */
  async writeAll(): Promise<void> {
    const { memoryQos, eyes } = this.#setup;
    while (memoryQos?.hasBegun === true) {
      const atMs = this.#parts.clock.nowMs();
      await memoryQos.idle(atMs);
      const { pods } = eyes.pods(atMs);
      // Without a list nothing is wanted for anybody, which is not the same as wanting nothing.
      if (pods === undefined) return;
      this.#memoryQos = await memoryQos.turn(pods, atMs);
    }
  }

  /**
   * Once an interval, and at once when other pods are there. Looks that come faster than that are for the signals: reading
   * every limit ten times a second would cost the starving node more than it brings.
   */
  async #reconcile({ pods }: PodLook, atMs: number): Promise<void> {
    const { memoryQos, pace } = this.#setup;
    if (memoryQos === undefined || pods === undefined) {
      await this.#turnedOff?.settle(atMs);
      this.#memoryQos = undefined;
      return;
    }
    const isDue =
      this.#reconciledAtMs === undefined ||
      atMs - this.#reconciledAtMs >= pace.intervalMs * 0.9 ||
      pods !== this.#reconciledPods;
    if (!isDue) return;
    this.#reconciledAtMs = atMs;
    this.#reconciledPods = pods;
    this.#memoryQos = await memoryQos.turn(pods, atMs);
  }

  #countBlindness(signals: SignalLook, pods: PodLook, atMs: number): void {
    const { eviction, overConnection } = this.#setup;
    const lacks = { statistics: lacksMemory(signals, eviction, atMs), pods: lacksPods(pods, eviction) };
    const isOwn = (lacks.statistics && !overConnection.statistics) || (lacks.pods && !overConnection.pods);
    this.#blindTicks = lacks.statistics || lacks.pods ? this.#blindTicks + 1 : 0;
    this.#ownBlindTicks = isOwn ? this.#ownBlindTicks + 1 : 0;
  }

  #record(seen: {
    readonly atMs: number;
    readonly signals: SignalLook;
    readonly pods: PodLook;
    readonly decision: EvictionDecision;
    readonly nextInMs: number;
  }): TickRecord {
    const { clock, announcer, evictions } = this.#parts;
    const { mode, eviction, evictionsBecause } = this.#setup;
    const { signals, pods } = seen;
    return {
      atMs: seen.atMs,
      wallMs: clock.wallMs(),
      tookMs: clock.nowMs() - seen.atMs,
      nextInMs: seen.nextInMs,
      readings: signals.readings,
      ...(signals.psi === undefined ? {} : { psi: signals.psi }),
      ...(signals.memAvailableBytes === undefined ? {} : { memAvailableBytes: signals.memAvailableBytes }),
      podCount: pods.pods?.length ?? 0,
      pending: evictions.pending,
      ...(evictions.taints.figures === undefined ? {} : { taints: evictions.taints.figures }),
      ...(pods.pods === undefined ? {} : { podsAgeMs: pods.ageMs }),
      tiers: pods.pods === undefined ? [] : this.#setup.tiers(pods.pods),
      decision: seen.decision,
      ...(this.#memoryQos === undefined ? {} : { memoryQos: this.#memoryQos }),
      agent: {
        ...this.#parts.figures(),
        mode,
        evictions: eviction.evictions,
        ...(evictionsBecause === undefined ? {} : { evictionsBecause }),
        blindTicks: this.#blindTicks,
        ownBlindTicks: this.#ownBlindTicks,
        troubles: announcer.troubles,
      },
    };
  }
}

/** Whether there is no new enough memory signal. */
function lacksMemory(signals: SignalLook, { maxSampleAgeMs }: EvictionRules, atMs: number): boolean {
  return !freshReadings(signals.readings, atMs, maxSampleAgeMs).has('memory.available');
}

/** Whether there has been no answer about pods for too long. */
function lacksPods({ lack, pods, ageMs }: PodLook, { policy }: EvictionRules): boolean {
  return lack !== undefined && (pods === undefined || ageMs > policy.maxPodListAgeMs);
}
