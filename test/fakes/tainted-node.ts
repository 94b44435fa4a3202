import { podKey } from '../../agent/decide/eviction/state.ts';
import type { TaintStanding } from '../../agent/decide/taints/taint-standing.ts';
import type { AgentEvent } from '../../agent/model/agent-event.ts';
import type { EvictionOutcome, PendingRelease } from '../../agent/model/eviction.ts';
import type { Readings, Taint } from '../../agent/model/node.ts';
import type { Pod, Toleration, UsageByUid } from '../../agent/model/pod.ts';
import type { TickRecord } from '../../agent/model/tick.ts';
import type { EvictionTarget, Evictor, NodeEyes, TaintLook } from '../../agent/ports.ts';
import { Agent, type AgentSetup } from '../../agent/run/agent.ts';
import { Announcer } from '../../agent/run/announcer.ts';
import type { EvictionRules } from '../../agent/run/eviction-rules.ts';
import { EvictionTurn } from '../../agent/run/eviction-turn.ts';
import { policyOf } from './eviction.ts';
import { FakeClock, settled } from './fake-clock.ts';
import { podOf } from './pods.ts';

export const GONE: Taint = { key: 'gone', value: '', effect: 'NoExecute' };

/** Tolerates that taint for so many seconds, or for ever. */
export function tolerates(seconds?: number): Toleration {
  const own = seconds === undefined ? {} : { tolerationSeconds: BigInt(seconds) };
  return { key: 'gone', operator: 'Exists', value: '', effect: 'NoExecute', ...own };
}

/** A pod with these tolerations; its UID is `uid-NAME`, its grace 7 s. */
export function pod(name: string, tolerations: readonly Toleration[] = [], more: Partial<Pod> = {}): Pod {
  const made = podOf({
    name,
    metadata: { uid: `uid-${name}` },
    spec: { terminationGracePeriodSeconds: 7 },
  });
  return { ...made, tolerations, ...more };
}

/** A node with taints, and the real agent on it but for its ports. Everything that is seen can be turned. */
export class TaintedNode {
  readonly clock: FakeClock;
  pods: readonly Pod[] | undefined = [];
  podsAgeMs = 0;
  taints: readonly Taint[] | undefined = [];
  taintsAgeMs = 0;
  lack: string | undefined;
  /** The Node that the taints are of, where a file says them. */
  taintsOf: TaintLook['node'];
  readings: Readings = new Map();
  usage: UsageByUid = new Map();
  /** By UID: nothing of them runs. */
  readonly ended = new Set<string>();
  /** Called when taints are read; the second time in a look is right before an eviction. */
  onTaints: () => void = () => undefined;
  readonly events: AgentEvent[] = [];
  readonly targets: EvictionTarget[] = [];
  saved: readonly PendingRelease[] = [];
  outcome: EvictionOutcome = { kind: 'gone' };
  standing: TaintStanding = { evictions: 'on' };
  rules: Partial<EvictionRules> = {};
  isAsked = true;
  readonly #turn: EvictionTurn;
  readonly #agent: Agent;

  constructor(nowMs = 0) {
    this.clock = new FakeClock(nowMs);
    const { clock } = this;
    const event = ({ event }: { readonly event: AgentEvent }) => void this.events.push(event);
    const announcer = new Announcer([{ name: 'test', event }], clock, 'enforce');
    this.#turn = new EvictionTurn({
      clock,
      announcer,
      pending: {
        save: (pending) => {
          this.saved = pending;
          return Promise.resolve(undefined);
        },
      },
      trace: () => undefined,
      wake: () => undefined,
      signal: new AbortController().signal,
    });
    const figures = () => ({
      pid: 1,
      version: '0',
      startedAtMs: 0,
      configurationValid: true,
      configurationLoadedAtMs: 0,
      psiTrigger: false,
    });
    this.#agent = new Agent({ clock, announcer, evictions: this.#turn, figures }, this.setup());
  }

  /** One tick at so many milliseconds; gives its record. What it began has ended when this resolves. */
  async look(atMs: number): Promise<TickRecord> {
    await this.clock.advance(atMs - this.clock.nowMs());
    this.#agent.use(this.setup());
    const record = await this.#agent.tick();
    await settled();
    return record;
  }

  /** The names of those who were told to go so far. */
  get evicted(): readonly string[] {
    return this.targets.map(({ pod: { name } }) => name);
  }

  /** Evictions and refusals as they are told: `kind name`, and what became of it or why. */
  get told(): readonly string[] {
    return this.events.flatMap((event) => {
      if (event.kind === 'eviction') return [`${event.outcome.kind} ${event.order.pod.name}`];
      if (event.kind === 'no-eviction') {
        return ['taint' in event ? `stays ${event.pod.name}: ${event.why}` : `${event.signal}: ${event.why}`];
      }
      return event.kind === 'trouble' ? [`${event.over ? 'over' : 'trouble'} ${event.sentence}`] : [];
    });
  }

  /** The setup as it is now. */
  setup(): AgentSetup {
    return {
      mode: 'enforce',
      eyes: this.#eyes(),
      eviction: this.#rules(),
      evictionsBecause: undefined,
      overConnection: { pods: false, statistics: false },
      pace: { intervalMs: 1000, minIntervalMs: 100 },
      memoryQos: undefined,
      tiers: () => [],
    };
  }

  #rules(): EvictionRules {
    const look = () => {
      this.onTaints();
      return {
        taints: this.taints,
        ageMs: this.taintsAgeMs,
        ...(this.lack === undefined ? {} : { lack: this.lack }),
        ...(this.taintsOf === undefined ? {} : { node: this.taintsOf }),
      };
    };
    return {
      policy: policyOf([]),
      evictor: this.#evictor(),
      evictions: 'on',
      ...(this.isAsked ? { taints: { ...this.standing, look } } : {}),
      maxSampleAgeMs: 3000,
      isTraced: false,
      ...this.rules,
    };
  }

  #evictor(): Evictor {
    return {
      name: 'cgroup',
      evict: (target) => {
        this.targets.push(target);
        if (this.outcome.kind === 'gone') this.ended.add(podKey(target.pod));
        return Promise.resolve(this.outcome);
      },
    };
  }

  #eyes(): NodeEyes {
    const place = ({ uid }: Pod) => ({ cgroup: `kubepods/pod${uid ?? ''}`, inode: 7n });
    return {
      signals: () => ({ readings: this.readings, layout: 'single', lacks: [] }),
      pods: () => ({ pods: this.pods, ageMs: this.podsAgeMs }),
      usage: () => this.usage,
      isRunning: (one) => !this.ended.has(podKey(one)),
      placeOf: place,
    };
  }
}
