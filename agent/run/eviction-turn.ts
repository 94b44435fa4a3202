import { decideEviction } from '../decide/eviction/decide.ts';
import { isOverdue, usageOfLeaving } from '../decide/eviction/pending.ts';
import type { EvictionPolicy } from '../decide/eviction/policy.ts';
import { reactionMs } from '../decide/eviction/reaction.ts';
import {
  adoptPending,
  evictionEnded,
  evictionPlaced,
  evictionStarted,
  evictionsGoOn,
} from '../decide/eviction/release.ts';
import { freshReadings, needsUsage, secondLook } from '../decide/eviction/second-look.ts';
import { type EvictionState, NO_HISTORY, podKey } from '../decide/eviction/state.ts';
import { passedOverBecause } from '../decide/victims.ts';
import type {
  EvictionDecision,
  EvictionOrder,
  PendingRelease,
  PressureOrder,
  ThresholdStatus,
} from '../model/eviction.ts';
import type { Observation } from '../model/observation.ts';
import type { NodeEyes } from '../ports.ts';
import type { Announcer } from './announcer.ts';
import { EvictionNotices } from './eviction-notices.ts';
import type { EvictionRules, Seen } from './eviction-rules.ts';
import { withEvidence } from './evidence.ts';
import { endsInTime } from './patience.ts';
import { RunningEvictions, type RunningParts } from './running-evictions.ts';
import { graceLeft, isOnlyWaiting, whatFollows } from './seeing-through.ts';
import { TaintTurn } from './taint-turn.ts';

/** Where evictions that were begun are kept, so that an agent that is killed does not begin others for the same shortage. */
interface PendingStore {
  /** Durable when it resolves; a sentence where it could not be made so. */
  save(pending: readonly PendingRelease[]): Promise<string | undefined>;
}

export interface EvictionParts extends RunningParts {
  readonly announcer: Announcer;
  readonly pending: PendingStore;
  /** Keeps an observation; gives a sentence where it could not. */
  trace(observation: Observation): string | undefined;
}

/** How long an eviction waits until it is on disk that it was begun. */
const PATIENCE_MS = 1000;

/** The ranking of an eviction that is taken over went with the run that made it. */
const TAKEN_OVER = 'begun by a run of nodeqos that ended before it was through';

/** The part of a tick that evicts: decides, looks a second time, begins at most one eviction, and never waits for its end. */
export class EvictionTurn {
  #state: EvictionState = NO_HISTORY;
  readonly #parts: EvictionParts;
  readonly #notices: EvictionNotices;
  readonly #running: RunningEvictions;
  /** Who has to go for taints. */
  readonly taints: TaintTurn;
  /** What a former run had begun, until there is a list of pods to hold it against: without one nobody is gone. */
  #adopted: readonly PendingRelease[] = [];
  /** What of it this run has not seen through yet. */
  #unfinished: readonly PendingRelease[] = [];

  constructor(parts: EvictionParts) {
    this.#parts = parts;
    this.#notices = new EvictionNotices(parts.announcer);
    this.#running = new RunningEvictions(parts);
    this.taints = new TaintTurn(parts);
  }

  /** Evictions that were begun and have not ended. */
  get pending(): readonly PendingRelease[] {
    return [...this.#adopted, ...this.#state.pending];
  }

  /** Takes over what a former run of the agent had begun. */
  adopt(pending: readonly PendingRelease[]): void {
    this.#adopted = pending;
    this.#unfinished = pending;
  }

  /** One look: what it leads to is begun when this resolves, and on record before that. */
  async turn(seen: Seen, eyes: NodeEyes, rules: EvictionRules): Promise<EvictionDecision> {
    const list = { atMs: seen.atMs, ...listOf(seen.pods) };
    if (seen.pods.pods !== undefined) {
      this.#state = adoptPending(this.#state, this.#adopted, list, rules.policy);
      this.#adopted = [];
    }
    if (rules.evictions === 'on') this.#seeThrough(seen, eyes, rules);
    await this.#takeOutcomes(rules.policy);
    this.#state = evictionsGoOn(this.#state, this.#running.begun, list, rules.policy);
    const observation = this.#observe(seen, eyes, rules);
    if (rules.isTraced) await this.#parts.announcer.trouble('trace', this.#parts.trace(observation));
    const { state, decision, failed } = decideEviction(this.#state, observation, rules.policy);
    this.#state = state;
    await this.#notices.failed(failed);
    if (failed.length > 0) await this.#save();
    await this.#notices.conditions(decision);
    const done = await this.#act(withEvidence(decision, seen, this.#parts.clock), eyes, rules);
    await this.#notices.decided(done, rules);
    const isTaken = rules.evictions === 'on' && done.evictions.length > 0;
    const order = await this.taints.look({ ...seen, eyes, rules, state: this.#state, isTaken });
    if (order !== undefined) await this.#begin(order, eyes, rules, []);
    return done;
  }

  /** Resolves when every eviction that was begun has ended and is on record. */
  async idle(policy: EvictionPolicy): Promise<void> {
    await this.#running.idle();
    await this.#takeOutcomes(policy);
  }

  #observe({ atMs, signals, pods }: Seen, eyes: NodeEyes, rules: EvictionRules): Observation {
    const readings = freshReadings(signals.readings, atMs, rules.maxSampleAgeMs);
    const { pods: list } = pods;
    const isWanted = rules.isTraced || needsUsage(this.#state, readings, rules.policy, atMs);
    return {
      atMs,
      readings,
      ...listOf(pods),
      usage:
        isWanted && list !== undefined ? usageOfLeaving(eyes.usage(list), this.#state.pending) : undefined,
      layout: signals.layout,
    };
  }

  /** Begins what was decided, if it still stands; gives the decision with what was not begun moved to `withheld`. */
  async #act(decision: EvictionDecision, eyes: NodeEyes, rules: EvictionRules): Promise<EvictionDecision> {
    const begun: PressureOrder[] = [];
    const withheld = [...decision.withheld];
    for (const order of decision.evictions) {
      const atMs = this.#parts.clock.nowMs();
      const fresh = {
        readings: freshReadings(eyes.signals(atMs).readings, atMs, rules.maxSampleAgeMs),
        atMs,
      };
      const look = secondLook(order, fresh, this.#state, rules.policy);
      if (!look.stands) {
        if (order.cause.kind === 'threshold')
          withheld.push({ signal: order.cause.threshold.signal, why: look.why });
        continue;
      }
      begun.push(order);
      if (rules.evictions === 'on') await this.#begin(order, eyes, rules, decision.thresholds);
    }
    return { ...decision, evictions: begun, withheld };
  }

  async #begin(
    order: EvictionOrder,
    eyes: NodeEyes,
    { evictor }: EvictionRules,
    thresholds: readonly ThresholdStatus[],
  ): Promise<void> {
    const { clock, announcer } = this.#parts;
    const place = eyes.placeOf(order.pod);
    const startedAtMs = clock.nowMs();
    this.#state = evictionPlaced(evictionStarted(this.#state, order, startedAtMs), order, place);
    // On record first: what is on disk as pending is seen through by the next run, which knows no candidates any more.
    await announcer.event({ kind: 'evicting', order, evictor: evictor.name });
    // On disk before anything is signalled: killed right after it, the next run knows of it.
    await this.#save();
    const { gracePeriodSeconds } = order;
    this.#running.start({
      ...{ order, evictor, place, gracePeriodSeconds, startedAtMs },
      reactionMs: reactionMs(order, thresholds, clock.nowMs()),
    });
  }

  /**
   * Sees through what a former run had begun: the pod has been asked to end, and nobody but this agent will end it, unless the
   * API server was told. Only the very pod of then is touched. One whose time is over has failed, and a pod that must not go
   * by now is let be, as by somebody who stopped the agent to protect it.
   */
  #seeThrough({ atMs, pods }: Seen, eyes: NodeEyes, { evictor, policy }: EvictionRules): void {
    const { pods: list } = pods;
    if (this.#unfinished.length === 0 || list === undefined) return;
    // Evictions may have been dry until now: one that has come to its end meanwhile is not begun again.
    const pending = new Set(this.#state.pending.map(podKey));
    const unfinished = this.#unfinished.filter((release) => pending.has(podKey(release)));
    this.#unfinished = [];
    for (const release of unfinished) {
      const pod = list.find((candidate) => podKey(candidate) === podKey(release));
      if (pod === undefined || release.unfinished === undefined || isOverdue(release, atMs)) continue;
      if (release.goneAtMs !== undefined) continue;
      const { usage, gracePeriodSeconds, unfinished } = release;
      const order = {
        ...{ pod, gracePeriodSeconds, usage, candidates: [], message: TAKEN_OVER },
        cause: unfinished.cause,
      };
      const found = { pod, release, place: eyes.placeOf(pod) };
      const left = { gracePeriodSeconds: graceLeft(found, evictor, atMs) };
      const begun = { order, evictor, place: found.place, ...left, startedAtMs: atMs, reactionMs: undefined };
      // Whoever owns it may have deleted it meanwhile: that ends nothing that was begun.
      const why = isOnlyWaiting(found, evictor)
        ? undefined
        : passedOverBecause({ ...pod, terminating: false }, true, policy);
      const next = whatFollows(found, evictor);
      if (why !== undefined) this.#running.end(begun, { kind: 'refused', why });
      else if (next === 'go-on') this.#running.start(begun);
      else if (next === 'gone') this.#running.end(begun, { kind: 'gone' });
    }
  }

  async #takeOutcomes(policy: EvictionPolicy): Promise<void> {
    const ended = this.#running.take();
    for (const { order, outcome, evictor, startedAtMs, endedAtMs, reactionMs } of ended) {
      // An agent that ends has not failed to evict: the next run sees it through.
      if (!this.#parts.signal.aborted) {
        this.#state = evictionEnded(this.#state, order, { outcome, atMs: endedAtMs }, policy);
      }
      const tookMs = endedAtMs - startedAtMs;
      await this.#parts.announcer.event({
        kind: 'eviction',
        order,
        evictor: evictor.name,
        outcome,
        reactionMs,
        tookMs,
      });
    }
    if (ended.length > 0 && !this.#parts.signal.aborted) await this.#save();
  }

  /** Waits for the disk, but not for ever: a pod that has to go now cannot wait for one that has no memory to write with. */
  async #save(): Promise<void> {
    const { pending, announcer, clock } = this.#parts;
    const saving = pending.save(this.#state.pending).then((lack) => announcer.trouble('pending', lack));
    if (!(await endsInTime(saving, PATIENCE_MS, clock))) {
      await announcer.trouble('pending', 'evictions that were begun are not on disk yet: it is slow');
    }
  }
}

/** A list that nobody has given yet says of no pod that it is gone. */
function listOf({ pods, ageMs }: Seen['pods']): Required<Pick<Observation, 'pods' | 'podsAgeMs'>> {
  return pods === undefined ? { pods: [], podsAgeMs: Number.POSITIVE_INFINITY } : { pods, podsAgeMs: ageMs };
}
