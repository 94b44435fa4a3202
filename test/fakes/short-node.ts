import type { AgentEvent } from '../../agent/model/agent-event.ts';
import type { PendingRelease } from '../../agent/model/eviction.ts';
import type { Pod, PodUsage } from '../../agent/model/pod.ts';
import type { Evictor, NodeEyes, PodPlace } from '../../agent/ports.ts';
import { Announcer } from '../../agent/run/announcer.ts';
import { EvictionTurn } from '../../agent/run/eviction-turn.ts';
import { hard, policyOf, readingsOf } from './eviction.ts';
import { FakeClock, settled } from './fake-clock.ts';

/** A node that is short of memory, with the agent's evictions on it and an evictor that a test gives. */
export class ShortNode {
  readonly clock = new FakeClock(1000);
  readonly events: AgentEvent[] = [];
  pods: readonly Pod[] = [];
  /** Working sets by UID. */
  used: ReadonlyMap<string, bigint> = new Map();
  available = '50Mi';
  /** undefined: the tree has no cgroup of any pod. */
  inode: bigint | undefined = 7n;
  evictor: Evictor;
  saved: readonly PendingRelease[] = [];
  readonly turn: EvictionTurn;

  constructor(evictor: (clock: FakeClock) => Evictor) {
    const { clock } = this;
    this.evictor = evictor(clock);
    const event = ({ event: told }: { readonly event: AgentEvent }) => void this.events.push(told);
    const announcer = new Announcer([{ name: 'test', event }], clock, 'enforce');
    this.turn = new EvictionTurn({
      ...{ clock, announcer },
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
  }

  /** A look so many seconds after the start, and everything that it leads to at once. */
  async look(atSeconds: number): Promise<void> {
    await this.clock.advance(1000 + atSeconds * 1000 - this.clock.nowMs());
    const atMs = this.clock.nowMs();
    const eyes = this.#eyes();
    const rules = {
      policy: policyOf([hard('memory.available', '100Mi')]),
      evictor: this.evictor,
      evictions: 'on',
      maxSampleAgeMs: 3000,
      isTraced: false,
    } as const;
    await this.turn.turn({ atMs, signals: eyes.signals(atMs), pods: eyes.pods(atMs) }, eyes, rules);
    await settled();
  }

  /** What was begun and what became of it, as `kind name`, with the reason where there is one. */
  get told(): readonly string[] {
    return this.events.flatMap((event) => {
      if (event.kind === 'evicting') return [`evicting ${event.order.pod.name}`];
      if (event.kind !== 'eviction') return [];
      const { outcome, order } = event;
      return [`${outcome.kind} ${order.pod.name}${'why' in outcome ? `: ${outcome.why}` : ''}`];
    });
  }

  #eyes(): NodeEyes {
    const usage = new Map<string, PodUsage>(
      [...this.used].map(([uid, memoryWorkingSetBytes]) => [uid, { memoryWorkingSetBytes }]),
    );
    const placeOf = ({ uid }: Pod): PodPlace | undefined =>
      this.inode === undefined ? undefined : { cgroup: `kubepods/pod${uid ?? ''}`, inode: this.inode };
    return {
      signals: (nowMs) => ({
        readings: readingsOf({ 'memory.available': this.available }, nowMs),
        layout: 'single',
        lacks: [],
      }),
      pods: () => ({ pods: this.pods, ageMs: 0 }),
      usage: () => usage,
      isRunning: () => true,
      placeOf,
    };
  }
}
