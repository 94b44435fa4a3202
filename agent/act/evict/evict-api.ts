import type { PlainRecord } from '../../../config/text/plain-value.ts';
import { isStaticOrMirror } from '../../decide/critical.ts';
import type { EvictionOutcome } from '../../model/eviction.ts';
import type { ApiAnswer, ApiClient } from '../../peers/api/api-client.ts';
import { asked } from '../../peers/api/asked.ts';
import type { Clock, EvictionTarget, Evictor } from '../../ports.ts';
import { readVerdict, type Verdict } from './api-answers.ts';
import { type PodSight, readSight, waitsFor } from './api-pod.ts';

/**
 * How long a pod may take to go after its grace, as with the other evictors: a second less than what a pending release is
 * granted, so that whoever tried is the one who says that it failed.
 */
const LONGEST_DYING_MS = 29_000;
/** How long a budget is asked again at least: a hard threshold gives a grace of a second, and budgets recover in seconds. */
const SHORTEST_BUDGET_MS = 15_000;
/** Where the server does not say when to ask a budget again. */
const BUDGET_PAUSE_MS = 3000;
/** A server that fails is asked so often, with pauses that double. */
const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 500;
/** Between two looks at a pod that is on its way out. */
const FIRST_LOOK_MS = 200;
const LONGEST_LOOK_MS = 2000;
const MS_PER_SECOND = 1000;

/** What the API evictor works with. */
export interface ApiEvictorParts {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** What follows when a PodDisruptionBudget refuses (eviction.budgetRefused). */
  readonly budgetRefused: 'pass-over' | 'retry' | 'delete';
  /** LONGEST_DYING_MS, unless somebody waits for the end of a single tick. */
  readonly longestDyingMs?: number;
}

/**
 * Makes pods go by telling the API server: the Eviction subresource (policy/v1), which asks disruption budgets, with the grace
 * and, as a precondition, the UID, so that a pod of the same name is never touched. The pod is gone when the API has it no
 * more, or has another of its name, or says that it has ended. A grace below a second is sent as one: 0 would have the API
 * forget the pod without a word from its kubelet. One that is terminating already is only waited for.
 */
export function createApiEvictor(parts: ApiEvictorParts): Evictor {
  return { name: 'api', evict: (target, signal) => evict(parts, target, signal) };
}

async function evict(
  parts: ApiEvictorParts,
  target: EvictionTarget,
  signal: AbortSignal,
): Promise<EvictionOutcome> {
  const { uid } = target.pod;
  if (uid === undefined) {
    return { kind: 'refused', why: 'it has no UID, so the API server cannot be told which pod is meant' };
  }
  if (isStaticOrMirror(target.pod)) {
    return { kind: 'refused', why: 'it is a static pod: only its manifest on the node makes it go' };
  }
  return await new ApiEviction(parts, { ...target, uid }, signal).run();
}

/** A target that the API knows. */
interface KnownTarget extends EvictionTarget {
  readonly uid: string;
}

/** What one question to the server came to: an outcome, the pod's being told, or a pause before the next. */
type Step =
  | { readonly kind: 'ended'; readonly outcome: EvictionOutcome }
  | { readonly kind: 'told' }
  | { readonly kind: 'pause'; readonly ms: number };

/** The eviction of one pod. */
class ApiEviction {
  readonly #parts: ApiEvictorParts;
  readonly #target: KnownTarget;
  readonly #signal: AbortSignal;
  readonly #graceSeconds: number;
  readonly #startedAtMs: number;
  readonly #endMs: number;
  #isDeletion = false;
  #failures = 0;
  #refusals = 0;

  constructor(parts: ApiEvictorParts, target: KnownTarget, signal: AbortSignal) {
    const { clock, longestDyingMs = LONGEST_DYING_MS } = parts;
    this.#parts = parts;
    this.#target = target;
    this.#signal = signal;
    this.#graceSeconds = Math.max(1, target.gracePeriodSeconds);
    this.#startedAtMs = clock.nowMs();
    this.#endMs = this.#startedAtMs + this.#graceSeconds * MS_PER_SECOND + longestDyingMs;
  }

  async run(): Promise<EvictionOutcome> {
    const outcome = this.#target.pod.terminating ? undefined : await this.#tell();
    return outcome ?? (await this.#untilGone());
  }

  /** undefined: the pod is told to end. */
  async #tell(): Promise<EvictionOutcome | undefined> {
    const { clock } = this.#parts;
    for (;;) {
      if (this.#signal.aborted) return stillThere('the agent ended before the API server had answered');
      const step = await this.#step();
      if (step.kind === 'ended') return step.outcome;
      if (step.kind === 'told') return undefined;
      await clock.sleep(step.ms, this.#signal);
    }
  }

  async #step(): Promise<Step> {
    const verdict = await this.#asked();
    if (this.#signal.aborted && verdict.kind === 'again') return { kind: 'pause', ms: 0 };
    switch (verdict.kind) {
      case 'told':
        return { kind: 'told' };
      case 'gone':
        return ended({ kind: 'gone' });
      case 'refused':
        return ended(verdict);
      case 'budget':
        return this.#budgetStep(verdict.why, verdict.retryAfterMs);
      case 'again':
        return this.#failureStep(verdict.why, verdict.retryAfterMs);
      case 'conflict': {
        const sight = await this.#look();
        return sight.kind === 'gone' ? ended(sight) : this.#failureStep(verdict.why, undefined);
      }
    }
  }

  #budgetStep(why: string, retryAfterMs: number | undefined): Step {
    const { budgetRefused, clock } = this.#parts;
    this.#refusals += 1;
    if (budgetRefused === 'delete' && !this.#isDeletion) {
      this.#isDeletion = true;
      return { kind: 'pause', ms: 0 };
    }
    const pauseMs = Math.max(MS_PER_SECOND, retryAfterMs ?? BUDGET_PAUSE_MS);
    const longestMs = Math.max(this.#graceSeconds * MS_PER_SECOND, SHORTEST_BUDGET_MS);
    const isOver = clock.nowMs() + pauseMs > this.#startedAtMs + longestMs;
    if (budgetRefused === 'retry' && !isOver) return { kind: 'pause', ms: pauseMs };
    const often = this.#refusals === 1 ? '' : `, asked ${this.#refusals} times`;
    return ended({ kind: 'refused', why: `a PodDisruptionBudget refuses it${often}: ${why}` });
  }

  #failureStep(why: string, retryAfterMs: number | undefined): Step {
    const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** this.#failures, retryAfterMs ?? 0);
    this.#failures += 1;
    const isOver = this.#failures >= MOST_FAILURES || this.#parts.clock.nowMs() + pauseMs >= this.#endMs;
    if (!isOver) return { kind: 'pause', ms: pauseMs };
    const often = this.#failures === 1 ? '' : `, asked ${this.#failures} times`;
    return ended(stillThere(`the API server did not take it${often}: ${why}`));
  }

  async #asked(): Promise<Verdict> {
    const { client } = this.#parts;
    const [answer, what] = this.#isDeletion
      ? ([await this.#request('DELETE', '', this.#deletion()), { verb: 'delete', resource: 'pods' }] as const)
      : ([
          await this.#request('POST', '/eviction', this.#eviction()),
          { verb: 'create', resource: 'pods/eviction' },
        ] as const);
    return typeof answer === 'string'
      ? { kind: 'again', why: answer }
      : readVerdict(answer, { client, ...what });
  }

  #eviction(): PlainRecord {
    const { namespace, name } = this.#target.pod;
    const { gracePeriodSeconds, preconditions } = this.#options();
    return {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { gracePeriodSeconds, preconditions },
    };
  }

  #deletion(): PlainRecord {
    return { apiVersion: 'v1', kind: 'DeleteOptions', ...this.#options() };
  }

  #options(): { readonly gracePeriodSeconds: number; readonly preconditions: PlainRecord } {
    return { gracePeriodSeconds: this.#graceSeconds, preconditions: { uid: this.#target.uid } };
  }

  async #untilGone(): Promise<EvictionOutcome> {
    const { clock } = this.#parts;
    let pauseMs = FIRST_LOOK_MS;
    for (;;) {
      const sight = await this.#look();
      if (sight.kind === 'gone') return sight;
      const waitedMs = clock.nowMs() - this.#startedAtMs;
      const leftMs = this.#endMs - clock.nowMs();
      if (this.#signal.aborted)
        return stillThere('it was told to end, and the agent ended before it was gone');
      const isOver = leftMs <= 0 || (sight.kind === 'unknown' && sight.isForGood);
      if (isOver) return stillThere(waitsFor(sight, waitedMs));
      await clock.sleep(Math.min(pauseMs, leftMs), this.#signal);
      pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS);
    }
  }

  async #look(): Promise<PodSight> {
    const answer = await this.#request('GET', '');
    return typeof answer === 'string'
      ? { kind: 'unknown', why: answer, isForGood: false }
      : readSight(answer, this.#target.uid, { client: this.#parts.client, verb: 'get', resource: 'pods' });
  }

  /** The answer, or why there is none. */
  async #request(method: string, end: string, body?: PlainRecord): Promise<ApiAnswer | string> {
    const { namespace, name } = this.#target.pod;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}${end}`;
    const sent = body === undefined ? {} : { body };
    return await asked(this.#parts.client.request(method, path, sent, this.#signal));
  }
}

function ended(outcome: EvictionOutcome): Step {
  return { kind: 'ended', outcome };
}

function stillThere(why: string): EvictionOutcome {
  return { kind: 'still-there', why };
}
