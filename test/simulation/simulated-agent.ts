import { createCgroupEvictor } from '../../agent/act/evict/evict-cgroup.ts';
import type { EvictionPolicy } from '../../agent/decide/eviction/policy.ts';
import { desiredValues } from '../../agent/decide/memory-qos-plan.ts';
import type { AgentMode, TimedEvent } from '../../agent/model/agent-event.ts';
import type { PendingRelease } from '../../agent/model/eviction.ts';
import type { TickRecord } from '../../agent/model/tick.ts';
import type { EventSink, Evictor, ServiceManager } from '../../agent/ports.ts';
import { Agent, type AgentSetup } from '../../agent/run/agent.ts';
import { Announcer } from '../../agent/run/announcer.ts';
import type { EvictionRules } from '../../agent/run/eviction-rules.ts';
import { EvictionTurn } from '../../agent/run/eviction-turn.ts';
import { runLoop } from '../../agent/run/loop.ts';
import { MemoryQosLoop, type MemoryQosRules } from '../../agent/run/memory-qos-loop.ts';
import { type Loading, Reload } from '../../agent/run/reload.ts';
import { Wakeup } from '../../agent/run/wakeup.ts';
import { readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import { planInputs } from '../fakes/planning.ts';
import { SimControl } from '../fakes/sim-control.ts';
import { nothingSeen, SimEyes, type SimSight } from '../fakes/sim-eyes.ts';
import { type SimLimitState, SimLimits } from '../fakes/sim-limits.ts';
import type { SimNode } from '../fakes/sim-node.ts';
import { Killed, type Lifeline, SimClock, type SimTime } from '../fakes/sim-time.ts';
import type { LimitPromises } from './limit-promises.ts';
import { Promises } from './promises.ts';
import { eventLine, type Story, tickLine } from './story.ts';
import type { Witness } from './witness.ts';

/** What a configuration comes to, as far as the simulation turns it. */
export interface SimSettings {
  readonly policy: EvictionPolicy;
  readonly mode: AgentMode;
  readonly evictions: EvictionRules['evictions'];
  readonly memoryQos: {
    readonly isEnabled: boolean;
    readonly maxWritesPerTick: number;
    readonly policy: MemoryQosPolicy;
  };
}

export interface AgentParts {
  readonly lifeline: Lifeline;
  readonly time: SimTime;
  readonly node: SimNode;
  readonly sight: SimSight;
  readonly witness: Witness;
  readonly limitState: SimLimitState;
  readonly limitPromises: LimitPromises;
  readonly story: Story;
  /** What a look at the configuration gives; undefined: it is refused. */
  configured(): SimSettings | undefined;
  readonly first: SimSettings;
  /** A sink that is not worth the agent fails. */
  logFails(): boolean;
  readonly broken: (sentence: string) => void;
  ticked(): void;
  count(what: string): void;
}

const INTERVAL_MS = 1000;
const MIN_INTERVAL_MS = 100;
/** So old a sample is none: three intervals. */
const MAX_SAMPLE_AGE_MS = 3 * INTERVAL_MS;

const MANAGER: ServiceManager = {
  lack: undefined,
  watchdogMs: 10_000,
  ready: () => undefined,
  reloading: () => undefined,
  status: () => undefined,
  stopping: () => undefined,
  watchdog: () => undefined,
};

/** One process of the agent: all of it real but its ports. */
export class SimulatedAgent {
  readonly promises: Promises;
  readonly #parts: AgentParts;
  readonly #stopping = new AbortController();
  readonly #clock: SimClock;
  readonly #wakeup: Wakeup;
  readonly #eyes: SimEyes;
  readonly #evictor: Evictor;
  readonly #evictions: EvictionTurn;
  readonly #agent: Agent;
  readonly #reload: Reload;
  #settings: SimSettings;
  readonly #limits: SimLimits;
  readonly #memoryQos: MemoryQosLoop;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#settings = parts.first;
    const { lifeline, time, node, sight, witness, first } = parts;
    this.#clock = new SimClock(time, lifeline);
    this.#wakeup = new Wakeup(this.#clock);
    this.#eyes = new SimEyes({ node, sight, time, lifeline });
    this.promises = new Promises(
      {
        duties: () => ({ rules: this.#agent.setup.eviction, mode: this.#agent.setup.mode }),
        nowMs: () => time.nowMs,
        broken: parts.broken,
      },
      witness,
    );
    this.promises.seen = () => this.#eyes.seen;
    const announcer = new Announcer([this.#audit(), this.#log()], this.#clock, first.mode);
    this.#evictor = this.#witnessed(this.#cgroupEvictor());
    this.#evictions = new EvictionTurn({
      clock: this.#clock,
      announcer,
      pending: { save: (pending) => this.#save(pending) },
      trace: () => undefined,
      wake: () => {
        this.#wakeup.wake();
      },
      signal: this.#stopping.signal,
    });
    const { limitState, limitPromises } = parts;
    this.#limits = new SimLimits({ node, state: limitState, time, lifeline, witness: limitPromises });
    limitPromises.beginAnew(limitState.journal);
    limitPromises.mode = () => this.#agent.setup.mode;
    limitPromises.budget = () => this.#settings.memoryQos.maxWritesPerTick;
    const writable = { files: this.#limits, journal: this.#limits.journal };
    this.#memoryQos = new MemoryQosLoop(
      { tree: this.#limits.tree, limits: () => writable, announcer },
      this.#memoryQosRules(first),
    );
    const figures = () => ({
      pid: 1,
      version: '0',
      startedAtMs: 0,
      psiTrigger: false,
      ...this.#reload.figures,
    });
    const agentParts = { clock: this.#clock, announcer, evictions: this.#evictions, figures };
    this.#agent = new Agent(agentParts, this.#setup(first));
    this.#reload = new Reload(
      {
        agent: this.#agent,
        announcer,
        manager: MANAGER,
        clock: this.#clock,
        load: () => lifeline.later('reading the configuration', () => this.#load()),
      },
      first,
    );
  }

  /** Goes on until it is killed or told to end. */
  start(): void {
    const { witness, time } = this.#parts;
    this.#evictions.adopt(witness.stored);
    runLoop({
      agent: this.#agent,
      clock: this.#clock,
      wakeup: this.#wakeup,
      manager: MANAGER,
      signal: this.#stopping.signal,
      isHealthy: () => true,
      betweenTicks: async () => {
        this.#eyes.seen = nothingSeen();
        const isReloaded = await this.#reload.ifWanted();
        this.#eyes.seen.atMs = time.nowMs;
        return isReloaded;
      },
    }).catch((error: unknown) => {
      if (!(error instanceof Killed))
        this.#parts.broken(
          `the loop ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
    });
  }

  /** Told to end: lets go of what it can. */
  stop(): void {
    this.promises.isEnding = true;
    this.#stopping.abort();
    this.#memoryQos.halt();
    this.#agent.idle().catch((error: unknown) => {
      if (!(error instanceof Killed)) this.#parts.broken(`the end failed: ${String(error)}`);
    });
  }

  wake(): void {
    this.#wakeup.wake();
  }

  wantReload(): void {
    this.#reload.want();
    this.#wakeup.wake();
  }

  get setup(): AgentSetup {
    return this.#agent.setup;
  }

  #load(): Loading {
    const settings = this.#parts.configured();
    if (settings === undefined) return { kind: 'refused', sentence: 'it is no configuration' };
    this.#settings = settings;
    this.#memoryQos.use(this.#memoryQosRules(settings));
    return { kind: 'loaded', loaded: { setup: this.#setup(settings), settings, later: [] } };
  }

  #setup({ mode, policy, evictions, memoryQos }: SimSettings): AgentSetup {
    return {
      mode,
      eyes: this.#eyes,
      eviction: {
        policy,
        evictor: this.#evictor,
        evictions,
        maxSampleAgeMs: MAX_SAMPLE_AGE_MS,
        isTraced: false,
      },
      pace: { intervalMs: INTERVAL_MS, minIntervalMs: MIN_INTERVAL_MS },
      memoryQos: memoryQos.isEnabled ? this.#memoryQos : undefined,
      evictionsBecause: undefined,
      overConnection: { pods: false, statistics: false },
      tiers: () => [],
    };
  }

  #memoryQosRules({ mode, memoryQos }: SimSettings): MemoryQosRules {
    const { node, limitPromises } = this.#parts;
    const { layout } = node;
    return {
      mode,
      maxWritesPerTick: memoryQos.maxWritesPerTick,
      isStable: true,
      likelyWriter: () => 'somebody',
      desired: (pods) => {
        const { tree } = this.#limits;
        const snapshot = readCgroupSnapshot(tree, { layout, reserved: [], workingSets: false });
        const inputs = planInputs(pods, { policy: memoryQos.policy, layout, snapshot });
        const { desired } = desiredValues(inputs);
        limitPromises.wants(desired);
        return { values: desired, unlisted: undefined };
      },
    };
  }

  #cgroupEvictor(): Evictor {
    const { node, time, lifeline } = this.#parts;
    const control = new SimControl({
      node,
      time,
      lifeline,
      touched: (cgroup, what) => {
        this.#parts.count('touches');
        this.promises.touched(cgroup, what);
      },
    });
    return createCgroupEvictor({ control, processes: control.processes, clock: this.#clock });
  }

  #witnessed(evictor: Evictor): Evictor {
    const { lifeline } = this.#parts;
    return {
      name: evictor.name,
      evict: (target, signal) =>
        lifeline
          .later('calling the evictor', () => {
            this.promises.evict(target);
            return evictor.evict(target, signal);
          })
          .then((outcome) => {
            if (!lifeline.isDead) this.promises.ended(target, outcome);
            return outcome;
          }),
    };
  }

  #save(pending: readonly PendingRelease[]): Promise<string | undefined> {
    const { witness, lifeline } = this.#parts;
    return lifeline.later('saving what is pending', () => {
      witness.asked = pending;
      if (witness.storeFails) {
        witness.isBehind = true;
        return 'the disk is full';
      }
      witness.stored = pending;
      witness.isBehind = false;
      return undefined;
    });
  }

  #audit(): EventSink {
    const { lifeline, story } = this.#parts;
    return {
      name: 'audit',
      event: (timed: TimedEvent) =>
        lifeline.later(`writing ${timed.event.kind}`, () => {
          story.say(eventLine(timed));
          if (timed.mode !== this.#agent.setup.mode) this.#parts.broken(`an event is of mode ${timed.mode}`);
          this.#parts.count(countedAs(timed.event));
          this.promises.event(timed.event);
          this.#parts.limitPromises.event(timed.event);
        }),
      tick: (record: TickRecord) => {
        if (lifeline.isDead) return;
        story.say(tickLine(record));
        this.promises.tick(record);
        this.#parts.limitPromises.tick(record.memoryQos);
        this.#parts.ticked();
      },
    };
  }

  #log(): EventSink {
    return {
      name: 'log',
      event: () => {
        if (this.#parts.logFails()) throw new Error('the log is full');
      },
    };
  }
}

/** What a simulation counts, to show that it met what it is about. */
function countedAs(event: TimedEvent['event']): string {
  if (event.kind === 'drift' && event.leftAlone !== undefined) return 'drift left alone';
  if (event.kind === 'write') return `write ${event.outcome}`;
  return event.kind === 'eviction' ? `eviction ${event.outcome.kind}` : event.kind;
}
