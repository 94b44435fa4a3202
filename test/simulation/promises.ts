import type { AgentEvent } from '../../agent/model/agent-event.ts';
import type { EvictionOrder, EvictionOutcome, PendingRelease } from '../../agent/model/eviction.ts';
import type { Pod } from '../../agent/model/pod.ts';
import type { TickRecord } from '../../agent/model/tick.ts';
import type { EvictionTarget } from '../../agent/ports.ts';
import type { EvictionRules } from '../../agent/run/eviction-rules.ts';
import { nothingSeen, type Seen } from '../fakes/sim-eyes.ts';
import type { SimCgroup } from '../fakes/sim-node.ts';
import { faultsOfBeginning, faultsOfSeeingThrough } from './beginning.ts';
import { nameOf } from './pod-rules.ts';
import { amountOf, type Expected, fresh, isShort, Reference } from './reference.ts';
import type { Witness } from './witness.ts';

/** What one process of the agent may be held to; asked for anew each time, since a reload changes it. */
interface Duties {
  readonly rules: EvictionRules;
  readonly mode: 'dry-run' | 'enforce';
}

interface Parts {
  readonly duties: () => Duties;
  readonly nowMs: () => number;
  /** A promise was broken. */
  readonly broken: (sentence: string) => void;
}

interface Ended {
  readonly outcome: EvictionOutcome;
  readonly atMs: number;
}

/** Holds one process of the agent to its promises, at each thing that it does and after each tick. */
export class Promises {
  readonly #parts: Parts;
  readonly #witness: Witness;
  readonly #reference: Reference;
  readonly #adopted: ReadonlyMap<string, PendingRelease>;
  #expected: Expected | undefined;
  #begunInTick = 0;
  /** Those whose evictor was called in this tick. */
  readonly #begunNow = new Set<string>();
  readonly #ended = new Map<string, Ended>();
  readonly #running = new Map<string, EvictionTarget>();
  /** What each of those was when it was begun here. */
  readonly #begun = new Map<string, PendingRelease>();
  readonly #noEviction = new Map<string, string>();
  readonly #conditions = new Set<string>();
  #blindTicks = 0;
  seen: () => Seen = nothingSeen;
  isEnding = false;

  constructor(parts: Parts, witness: Witness) {
    this.#parts = parts;
    this.#witness = witness;
    witness.beginAnew();
    this.#reference = new Reference(witness.stored);
    this.#adopted = new Map(
      witness.stored
        .filter(({ goneAtMs }) => goneAtMs === undefined)
        .map((release) => [nameOf(release), release]),
    );
  }

  /** How much the pods that were told to go still hold, for whoever wants to come close to it. */
  comingBack(signal: Parameters<typeof amountOf>[0]): bigint {
    const releases = [...this.#reference.pending.values()];
    return releases.reduce((sum, { usage }) => sum + (amountOf(signal, usage) ?? 0n), 0n);
  }

  /** Something is on record. */
  event(event: AgentEvent): void {
    switch (event.kind) {
      case 'evicting':
        this.#orderOnRecord(event.order);
        break;
      case 'eviction':
        this.#outcomeOnRecord(event.order, event.outcome);
        break;
      case 'no-eviction':
        if (!('taint' in event)) this.#noEviction.set(event.signal, event.why);
        break;
      case 'condition':
        if (event.status) this.#conditions.add(event.type);
        else this.#conditions.delete(event.type);
        break;
      default:
    }
  }

  /** The evictor is called. */
  evict(target: EvictionTarget): void {
    const name = nameOf(target.pod);
    const adopted = this.#adopted.get(name);
    const { rules, mode } = this.#parts.duties();
    const call = { target, seen: this.seen(), rules, nowMs: this.#parts.nowMs() };
    if (rules.evictions !== 'on' || mode !== 'enforce') this.#break(`${name} is told to go in mode ${mode}`);
    const standing = this.#reference.pending.get(name);
    if (adopted !== undefined && standing !== undefined && standing.goneAtMs === undefined) {
      this.#breakAll(faultsOfSeeingThrough(call, adopted, this.#witness.recorded.get(name)));
      this.#begun.set(name, { ...adopted, evictedAtMs: call.seen.atMs ?? 0 });
    } else {
      this.#look();
      this.#begunInTick += 1;
      if (this.#begunInTick > 1) this.#break('two evictions are begun in one tick');
      if (this.#running.has(name)) this.#break(`${name} is told to go while that goes on already`);
      this.#breakAll(faultsOfBeginning(call, this.#witness));
      this.#remember(name);
    }
    this.#begunNow.add(name);
    this.#running.set(name, target);
  }

  /** The evictor has said what became of it. */
  ended(target: EvictionTarget, outcome: EvictionOutcome): void {
    const name = nameOf(target.pod);
    this.#running.delete(name);
    this.#begun.delete(name);
    this.#ended.set(name, { outcome, atMs: this.#parts.nowMs() });
  }

  /** Something was done to a cgroup or to a process in it. */
  touched(cgroup: SimCgroup, what: string): void {
    const target = [...this.#running.values()].find(({ place }) => place?.cgroup === cgroup.cgroup);
    if (target?.place?.inode !== cgroup.inode) {
      this.#break(`${what} reached ${cgroup.cgroup} with inode ${cgroup.inode}, which nobody decided on`);
    }
  }

  /** The tick is over. */
  tick(record: TickRecord): void {
    const { decision, pending, agent } = record;
    const expected = this.#look();
    this.#same('past their grace', decision.thresholdsMet.map(({ id }) => id).sort(), expected.past);
    this.#same('conditions', decision.conditions, expected.conditions);
    this.#same('conditions on record', [...this.#conditions].sort(), expected.conditions);
    for (const { threshold, metSinceMs } of decision.thresholds) {
      this.#same(`since when ${threshold.id} is met`, metSinceMs, expected.sinceMs.get(threshold.id));
    }
    this.#victimIsRight(record, expected);
    this.#refusalsOnRecord(record, expected);
    const stillPending = [...this.#reference.pending.keys()].sort();
    this.#same('pending releases', pending.map(nameOf).sort(), stillPending);
    this.#blindTicks = this.#isBlind() ? this.#blindTicks + 1 : 0;
    this.#same('blind ticks', agent.blindTicks, this.#blindTicks);
    for (const name of this.#ended.keys()) {
      if (!this.#begunNow.has(name)) this.#break(`what became of ${name} is not on record after the tick`);
    }
    this.#expected = undefined;
    this.#begunInTick = 0;
    this.#begunNow.clear();
  }

  /** By the book, worked out once a tick from what the agent has seen until now. */
  #look(): Expected {
    const { policy, maxSampleAgeMs } = this.#parts.duties().rules;
    if (this.#expected === undefined) {
      const seen = this.seen();
      this.#reference.goOn(this.#begun, seen, policy);
      this.#expected = this.#reference.look(seen, { policy, maxSampleAgeMs });
      this.#witness.look(seen);
    }
    return this.#expected;
  }

  #remember(name: string): void {
    const release = this.#witness.asked.find((one) => nameOf(one) === name);
    if (release === undefined) return;
    this.#witness.told.set(name, release);
    this.#reference.pending.set(name, release);
    this.#begun.set(name, release);
  }

  #isBlind(): boolean {
    const { rules } = this.#parts.duties();
    const seen = this.seen();
    const readings = fresh(seen.signals[0]?.look.readings ?? new Map(), seen.atMs ?? 0, rules.maxSampleAgeMs);
    const { lack, pods, ageMs = 0 } = seen.pods ?? { pods: undefined };
    const isOld = pods === undefined || ageMs > rules.policy.maxPodListAgeMs;
    return !readings.has('memory.available') || (lack !== undefined && isOld);
  }

  #victimIsRight({ decision }: TickRecord, { victim, needsUsage }: Expected): void {
    const seen = this.seen();
    const [order] = decision.evictions;
    if (decision.evictions.length > 1) this.#break('more than one pod is to go in one tick');
    if (needsUsage && seen.pods?.pods !== undefined && seen.usage === undefined) {
      this.#break('a threshold is past its grace and nobody looked at what pods use');
    }
    const stands = victim !== undefined && this.#standsAgain(victim, seen);
    const wanted = stands ? whoGoes(victim.pod, victim.cause) : 'nobody';
    this.#same('who goes', order === undefined ? 'nobody' : whoGoes(order.pod, causeOf(order)), wanted);
    const isReal = this.#parts.duties().rules.evictions === 'on';
    if (order !== undefined && isReal && this.#begunInTick !== 1) {
      this.#break(`${nameOf(order.pod)} was to go and nobody told it`);
    }
  }

  /** The same by the numbers of the second look. */
  #standsAgain({ cause }: NonNullable<Expected['victim']>, seen: Seen): boolean {
    if (cause === 'storage') return true;
    const [one, second] = seen.signals;
    const first = one?.look.readings.get(cause.signal);
    if (first === undefined || second === undefined) return false;
    const { maxSampleAgeMs } = this.#parts.duties().rules;
    const reading = fresh(second.look.readings, second.atMs, maxSampleAgeMs).get(cause.signal);
    if (reading === undefined || !isShort(cause, reading, !isShort(cause, first, false))) return false;
    return !this.#reference.covers(cause, reading, second.atMs, this.#begunNow);
  }

  #refusalsOnRecord({ decision }: TickRecord, expected: Expected): void {
    const said = new Map<string, string>(decision.withheld.map(({ signal, why }) => [signal, why]));
    for (const [signal, why] of said) {
      if (this.#noEviction.get(signal) !== why) this.#break(`no record says of ${signal}: ${why}`);
    }
    // Where a second look has kept one from going, the others come with the next tick.
    if (decision.evictions.length > 0 || expected.victim !== undefined) return;
    for (const id of expected.past) {
      const signal = id.split(' ')[0] ?? id;
      if (!said.has(signal)) this.#break(`${id} is past its grace, nobody goes, and nothing says why`);
    }
  }

  #orderOnRecord(order: EvictionOrder): void {
    const { pod, cause, candidates, message } = order;
    const name = nameOf(pod);
    this.#witness.recorded.set(name, { order, atMs: this.#parts.nowMs() });
    if (message === '') this.#break(`the record of ${name} has no message`);
    if (cause.kind !== 'threshold') return;
    if (candidates.length === 0) this.#break(`the record of ${name} names no candidates`);
    const own = candidates.find((one) => one.uid === (pod.uid ?? null) && one.name === pod.name);
    if (own?.evictable === false) this.#break(`the record says that ${name} may not go`);
  }

  #outcomeOnRecord(order: EvictionOrder, outcome: EvictionOutcome): void {
    const { pod } = order;
    const name = nameOf(pod);
    const { rules } = this.#parts.duties();
    if (outcome.kind === 'dry-run') {
      if (rules.evictions === 'on') this.#break('an eviction is dry although it is not to be');
      return;
    }
    const ended = this.#ended.get(name);
    this.#ended.delete(name);
    if (ended === undefined && !(this.#adopted.has(name) && outcome.kind !== 'still-there')) {
      this.#break(`the record says that the eviction of ${name} has ended, and it has not`);
    }
    this.#same(`what became of ${name}`, outcome, ended?.outcome ?? outcome);
    if (this.isEnding) return;
    this.#witness.told.delete(name);
    // Of one that a former process had begun, that its cgroup is another one by now is seen at once.
    const atMs = ended?.atMs ?? this.seen().placedAtMs.get(pod) ?? this.#parts.nowMs();
    this.#reference.ended(order, outcome, atMs, rules.policy);
  }

  #same(what: string, is: unknown, should: unknown): void {
    const [a, b] = [print(is), print(should)];
    if (a !== b) this.#break(`${what}: ${a} where ${b} is right`);
  }

  #breakAll(sentences: readonly string[]): void {
    for (const sentence of sentences) this.#break(sentence);
  }

  #break(sentence: string): void {
    this.#parts.broken(sentence);
  }
}

function causeOf({ cause }: EvictionOrder): NonNullable<Expected['victim']>['cause'] {
  return cause.kind === 'threshold' ? cause.threshold : 'storage';
}

function whoGoes(pod: Pod, cause: NonNullable<Expected['victim']>['cause']): string {
  return `${nameOf(pod)} for ${cause === 'storage' ? cause : cause.id}`;
}

function print(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
