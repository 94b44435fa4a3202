import { type EvictionState, podKey } from '../decide/eviction/state.ts';
import { victimRules } from '../decide/eviction/victim-rules.ts';
import { outdatedList } from '../decide/eviction/withheld.ts';
import { type KnownTaints, knownTaints } from '../decide/taints/known-taints.ts';
import {
  lookAtTaints,
  NO_TAINT_EVICTIONS,
  type TaintEvictionState,
  waitingForTaints,
} from '../decide/taints/taint-evictions.ts';
import {
  chooseForTaints,
  outdatedTaints,
  secondTaintLook,
  type TaintChoice,
} from '../decide/taints/taint-orders.ts';
import type { TaintStanding } from '../decide/taints/taint-standing.ts';
import { taintText } from '../decide/taints/taint-text.ts';
import type { EvictionOrder, TaintCause, WithheldForTaint } from '../model/eviction.ts';
import type { Taint } from '../model/node.ts';
import type { Pod } from '../model/pod.ts';
import type { TaintFigures } from '../model/tick.ts';
import type { Clock, NodeEyes, TaintLook } from '../ports.ts';
import type { Announcer } from './announcer.ts';
import { dryOutcome } from './eviction-notices.ts';
import type { EvictionRules, Seen, TaintRules } from './eviction-rules.ts';

interface TaintParts {
  readonly clock: Clock;
  readonly announcer: Announcer;
}

/** What the rest of the look has come to. */
export interface TaintTurnLook extends Seen {
  readonly eyes: NodeEyes;
  readonly rules: EvictionRules;
  readonly state: EvictionState;
  /** An eviction has begun at this look already, so that none may. */
  readonly isTaken: boolean;
}

type TaintOrder = EvictionOrder<TaintCause>;

/**
 * The part of a look that is about taints: who has to go for one, and why somebody stays. The times of tolerations begin at
 * the look that first sees a pod that needs one, go on over a reload, and begin anew with the process.
 */
export class TaintTurn {
  readonly #parts: TaintParts;
  #state: TaintEvictionState = NO_TAINT_EVICTIONS;
  #figures: TaintFigures | undefined;
  #nextAtMs = Number.POSITIVE_INFINITY;
  /** What a dry run has told already. */
  #told: ReadonlyMap<string, string> = new Map();
  #withheld: ReadonlyMap<string, string> = new Map();

  constructor(parts: TaintParts) {
    this.#parts = parts;
  }

  /** Undefined where taints do not evict. */
  get figures(): TaintFigures | undefined {
    return this.#figures;
  }

  /** When somebody's time will be over, or is already: monotonic milliseconds, infinite where nobody waits. */
  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  /** One look. Gives the eviction that is to begin now; of a dry run it tells instead. */
  async look(look: TaintTurnLook): Promise<TaintOrder | undefined> {
    const rules = look.rules.taints;
    if (rules === undefined) {
      await this.#forget();
      return undefined;
    }
    const { pods } = look.pods;
    const { taints, ageMs, lack } = taintsHere(rules.look(look.atMs), pods, look.rules);
    await this.#parts.announcer.trouble('taints', lack);
    // Without a list nobody is gone, and without taints nobody is tolerated: what is remembered stays.
    if (pods === undefined || taints === undefined) {
      this.#nextAtMs = Number.POSITIVE_INFINITY;
      return undefined;
    }
    const { state, due } = lookAtTaints(this.#state, { atMs: look.atMs, taints, pods });
    this.#state = state;
    this.#figures = figuresOf(rules, taints, waitingForTaints(state, pods));
    this.#forgetOthers(due);
    const choice = this.#choose(due, taints, ageMs, look);
    const order = await this.#act(choice, rules, look);
    this.#nextAtMs = nextAt(
      state,
      look.atMs,
      choice.isMoreDue || (look.isTaken && choice.order !== undefined),
    );
    return order;
  }

  async #forget(): Promise<void> {
    this.#state = NO_TAINT_EVICTIONS;
    this.#figures = undefined;
    this.#nextAtMs = Number.POSITIVE_INFINITY;
    this.#told = new Map();
    this.#withheld = new Map();
    await this.#parts.announcer.trouble('taints', undefined);
  }

  /** Those who are not due any more are told of again when they are. */
  #forgetOthers(due: readonly Pod[]): void {
    const keys = new Set(due.map(podKey));
    this.#told = new Map([...this.#told].filter(([key]) => keys.has(key)));
  }

  #choose(
    due: readonly Pod[],
    taints: readonly Taint[],
    taintsAgeMs: number,
    look: TaintTurnLook,
  ): TaintChoice {
    const { policy, taints: rules } = look.rules;
    const { pending, backOffUntilMs } = look.state;
    return chooseForTaints(due, {
      taints,
      victims: victimRules(policy, { pending, backOffUntilMs }),
      because: outdated(look.pods.ageMs, taintsAgeMs, policy.maxPodListAgeMs),
      isWanted: (order) =>
        look.eyes.isRunning(order.pod) &&
        (rules?.evictions === 'on' || this.#told.get(podKey(order.pod)) !== taintText(order.cause.taint)),
    });
  }

  async #act(
    { order, withheld }: TaintChoice,
    rules: TaintRules,
    look: TaintTurnLook,
  ): Promise<TaintOrder | undefined> {
    if (order === undefined || (rules.evictions === 'on' && look.isTaken)) {
      await this.#tellWithheld(withheld);
      return undefined;
    }
    if (rules.evictions === 'dry') {
      await this.#tellWithheld(withheld);
      await this.#wouldEvict(order, rules.because);
      return undefined;
    }
    const nowMs = this.#parts.clock.nowMs();
    const fresh = rules.look(nowMs);
    const { pods } = look.eyes.pods(nowMs);
    const { taints } = taintsHere(fresh, pods, look.rules);
    const second = secondTaintLook(order, { taints, pods });
    const fallen = second.stands ? [] : [{ pod: order.pod, taint: order.cause.taint, why: second.why }];
    await this.#tellWithheld([...withheld, ...fallen]);
    return second.stands ? order : undefined;
  }

  async #wouldEvict(order: TaintOrder, because: string | undefined): Promise<void> {
    this.#told = new Map([...this.#told, [podKey(order.pod), taintText(order.cause.taint)]]);
    await this.#parts.announcer.event({
      kind: 'eviction',
      order,
      evictor: 'dry',
      outcome: dryOutcome(because),
      reactionMs: undefined,
      tookMs: 0,
    });
  }

  /** Each once per change of the reason. */
  async #tellWithheld(withheld: readonly WithheldForTaint[]): Promise<void> {
    const before = this.#withheld;
    this.#withheld = new Map(withheld.map((one) => [withheldKey(one), one.why]));
    for (const one of withheld) {
      if (before.get(withheldKey(one)) !== one.why) {
        await this.#parts.announcer.event({ kind: 'no-eviction', ...one });
      }
    }
  }
}

/** What is known of the taints of the node that these pods are on. */
function taintsHere(
  look: TaintLook,
  pods: readonly Pod[] | undefined,
  { policy }: EvictionRules,
): KnownTaints {
  return knownTaints(look, pods ?? [], policy.maxPodListAgeMs);
}

function figuresOf(
  { evictions, because }: TaintStanding,
  taints: readonly Taint[],
  waiting: TaintFigures['waiting'],
): TaintFigures {
  return {
    evictions,
    ...(because === undefined ? {} : { evictionsBecause: because }),
    taints: taints.filter(({ effect }) => effect === 'NoExecute'),
    waiting,
  };
}

/** Pods may be others by now, and so may taints. */
function outdated(podsAgeMs: number, taintsAgeMs: number, maxAgeMs: number): string | undefined {
  if (podsAgeMs > maxAgeMs) return outdatedList(maxAgeMs);
  return taintsAgeMs > maxAgeMs ? outdatedTaints(maxAgeMs) : undefined;
}

/** Now where somebody else is due already, else when the next time is over. Who is due and may not go is not waited for. */
function nextAt({ deadlinesMs }: TaintEvictionState, nowMs: number, isSomebodyDue: boolean): number {
  return isSomebodyDue
    ? nowMs
    : Math.min(...[...deadlinesMs.values()].filter((deadlineMs) => deadlineMs > nowMs));
}

function withheldKey({ pod, taint }: WithheldForTaint): string {
  return `${podKey(pod)} ${taintText(taint)}`;
}
