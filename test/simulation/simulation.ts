import { createHash } from 'node:crypto';
import { POLICY } from '../fakes/planning.ts';
import { SimSight } from '../fakes/sim-eyes.ts';
import { SimLimitState } from '../fakes/sim-limits.ts';
import { SimNode } from '../fakes/sim-node.ts';
import { SimRandom } from '../fakes/sim-random.ts';
import { Lifeline, SimTime, untilAllWait } from '../fakes/sim-time.ts';
import { World } from './happenings.ts';
import { LimitWorld } from './limit-happenings.ts';
import { LimitPromises } from './limit-promises.ts';
import { POLICIES } from './policies.ts';
import { type SimSettings, SimulatedAgent } from './simulated-agent.ts';
import { Story } from './story.ts';
import { Witness } from './witness.ts';

export interface SimOptions {
  readonly seed: number;
  readonly ticks: number;
  /** The lists of pods come in the other order. */
  readonly isReversed?: boolean;
  /** Every configuration is dry. */
  readonly isDry?: boolean;
}

/** What a simulated life of a node came to. */
export interface SimResult {
  readonly ticks: number;
  /** Over everything that the agents left on record. */
  readonly digest: string;
  readonly counts: Readonly<Record<string, number>>;
  /** The first promise that was broken, with the story before it. */
  readonly broken: string | undefined;
}

/** How often a process is killed within its next steps, and how many those are at most. */
const KILL_CHANCE = 0.02;
const STEPS_TO_LIVE = 40;

/** A node with its agents, one after the other, from one seed. */
class Simulation {
  readonly #options: SimOptions;
  readonly #random: SimRandom;
  readonly #time = new SimTime();
  readonly #node = new SimNode();
  readonly #sight = new SimSight();
  readonly #witness = new Witness();
  readonly #story: Story;
  readonly #hash = createHash('sha256');
  readonly #world: World;
  readonly #limitState = new SimLimitState();
  readonly #limitPromises: LimitPromises;
  readonly #limitWorld: LimitWorld;
  readonly counts: Record<string, number> = {};
  #settings: SimSettings;
  #isRefused = false;
  #lifeline: Lifeline;
  #agent: SimulatedAgent;
  #ticks = 0;
  #broken: string | undefined;

  constructor(options: SimOptions) {
    this.#options = options;
    this.#random = new SimRandom(options.seed);
    this.#story = new Story(30, (line) => {
      this.#hash.update(line);
    });
    this.#sight.isReversed = options.isReversed === true;
    this.#world = new World({
      random: this.#random,
      time: this.#time,
      node: this.#node,
      sight: this.#sight,
      thresholds: () => this.#settings.policy.thresholds,
      comingBack: (signal) => this.#agent.promises.comingBack(signal),
    });
    this.#limitPromises = new LimitPromises({
      node: this.#node,
      nowMs: () => this.#time.nowMs,
      broken: (sentence) => {
        this.#break(sentence);
      },
    });
    this.#limitWorld = new LimitWorld({
      random: this.#random,
      time: this.#time,
      node: this.#node,
      state: this.#limitState,
      promises: this.#limitPromises,
    });
    this.#settings = this.#randomSettings();
    this.#lifeline = this.#newLifeline();
    this.#agent = this.#newAgent();
  }

  async run(): Promise<SimResult> {
    this.#agent.start();
    this.#goOn();
    while (this.#ticks < this.#options.ticks && this.#broken === undefined) {
      this.#time.next();
      await untilAllWait();
      if (this.#lifeline.isDead) this.#afterDeath();
    }
    return {
      ticks: this.#ticks,
      digest: this.#hash.digest('hex'),
      counts: this.counts,
      broken: this.#broken,
    };
  }

  /** The world, step by step. */
  #goOn(): void {
    const random = this.#random;
    this.#time.in(random.whole(1, 20) * 100, () => {
      this.#world.step();
      if (random.chance(0.04)) this.#limitWorld.step();
      if (random.chance(0.02)) this.#reconfigure();
      if (random.chance(0.02)) this.#witness.storeFails = !this.#witness.storeFails && random.chance(0.3);
      if (random.chance(KILL_CHANCE)) this.#lifeline.stepsLeft = random.whole(1, STEPS_TO_LIVE);
      if (random.chance(0.003)) this.#end();
      if (random.chance(0.1)) this.#agent.wake();
      if (random.chance(0.01)) this.#time.nowMs += random.whole(1, 120) * 500;
      this.#goOn();
    });
  }

  #reconfigure(): void {
    this.#isRefused = this.#random.chance(0.2);
    if (!this.#isRefused) this.#settings = this.#randomSettings();
    this.#agent.wantReload();
  }

  #randomSettings(): SimSettings {
    const random = this.#random;
    const policy = random.pick(POLICIES);
    if (policy === undefined) throw new Error('there is no policy');
    const evictions = random.weighted(
      [
        [8, 'on'],
        [1, 'dry'],
        [0.5, 'off'],
      ] as const,
      'on',
    );
    const isDry = this.#options.isDry === true || (evictions !== 'on' && random.chance(0.7));
    const memoryQos = {
      isEnabled: random.chance(0.9),
      maxWritesPerTick: random.pick([4, 16, 64]) ?? 64,
      policy: { ...POLICY, memoryThrottlingFactor: random.pick([0.9, 0.5, null]) ?? null },
    };
    return {
      memoryQos,
      policy,
      mode: isDry ? 'dry-run' : 'enforce',
      evictions: isDry && evictions === 'on' ? 'dry' : evictions,
    };
  }

  /** Told to end, and gone for good a moment later. */
  #end(): void {
    this.#count('ends');
    const lifeline = this.#lifeline;
    this.#agent.stop();
    this.#time.in(200, () => {
      lifeline.kill('its end');
    });
  }

  #afterDeath(): void {
    this.#count('deaths');
    this.#story.say(`the agent died at ${this.#lifeline.diedAt ?? ''}`);
    this.#lifeline = this.#newLifeline();
    const waitMs = this.#random.pick([0, 300, 2000, 20_000, 90_000]) ?? 0;
    if (this.#random.chance(0.3)) this.#settings = this.#randomSettings();
    const left = this.#random.pick(this.#witness.stored);
    if (left !== undefined && this.#random.chance(0.4)) this.#world.makeAgain(left);
    this.#isRefused = false;
    const agent = this.#newAgent();
    this.#agent = agent;
    this.#time.in(waitMs, () => {
      agent.start();
    });
  }

  #newLifeline(): Lifeline {
    return new Lifeline((what) => {
      if (!this.#random.chance(0.004) || what.includes('signals')) return;
      this.#count('pauses');
      this.#time.nowMs += this.#random.whole(1, 8) * 700;
      this.#world.jolt();
    });
  }

  #newAgent(): SimulatedAgent {
    const lifeline = this.#lifeline;
    return new SimulatedAgent({
      lifeline,
      time: this.#time,
      node: this.#node,
      sight: this.#sight,
      witness: this.#witness,
      limitState: this.#limitState,
      limitPromises: this.#limitPromises,
      story: this.#story,
      first: this.#settings,
      configured: () => (this.#isRefused ? undefined : this.#settings),
      logFails: () => this.#random.chance(0.001),
      ticked: () => {
        this.#ticks += 1;
      },
      broken: (sentence) => {
        this.#break(sentence);
      },
      count: (what) => {
        this.#count(what);
      },
    });
  }

  #break(sentence: string): void {
    this.#broken ??= `${sentence}\n${this.#story.last.join('\n')}`;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

/** Lives one seed through; the same options give the same result, whatever the machine. */
export async function simulate(options: SimOptions): Promise<SimResult> {
  return await new Simulation(options).run();
}
