import { allowance, type BackOff, NO_BACK_OFF, noteOutcome, placesPutOff } from '../../cgroup/back-off.ts';
import { type Differences, readDifferences } from '../../cgroup/differences.ts';
import { type DriftState, driftAtStart, noteWrites, observeDrift } from '../../cgroup/drift.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { holdUp } from '../../cgroup/held-sums.ts';
import { type Journal, placeKey } from '../../cgroup/journal.ts';
import { formatLimit } from '../../cgroup/memory-files.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { writesOfTick } from '../../cgroup/reconcile.ts';
import { type LimitWritePorts, LimitWrites } from '../act/limits/limit-writes.ts';
import type { AgentMode } from '../model/agent-event.ts';
import type { Pod } from '../model/pod.ts';
import type { MemoryQosFigures } from '../model/tick.ts';
import type { Announcer } from './announcer.ts';
import { driftEvent, endedWrite, orderedWrite } from './limit-events.ts';
import { WantedWrites } from './wanted-writes.ts';
import { WriteTally } from './write-tally.ts';

/** Where limits can be written: their files, and the journal with what it holds. */
export interface WritableLimits extends LimitWritePorts {
  readonly journal: LimitWritePorts['journal'] & { readonly journal: Journal };
}

/** Everything that is wanted for a list of pods, and whether that is all pods. */
interface Desired {
  readonly values: readonly DesiredValue[];
  /** The sentence about pods that run on the node and are not in the list; undefined where there are none. */
  readonly unlisted: string | undefined;
  /** Places, by `placeKey`, that are raised and not lowered: sums over pods of which some are not in the list. */
  readonly notLowered?: ReadonlySet<string>;
}

/** What Memory QoS goes by, until a reload says otherwise. */
export interface MemoryQosRules {
  readonly mode: AgentMode;
  /** How many writes may be begun in one tick. */
  readonly maxWritesPerTick: number;
  desired(pods: readonly Pod[]): Desired;
  /** Whether what is wanted depends on the pods alone, and not on what they use at the moment. */
  readonly isStable: boolean;
  /** Who else may write a cgroup's limits, in words. */
  likelyWriter(cgroup: string): string;
}

export interface MemoryQosParts {
  readonly tree: FileTree;
  /** undefined while nothing may be written, for want of the lock, the mount or the journal. */
  limits(): WritableLimits | undefined;
  readonly announcer: Announcer;
}

/** What is wanted is worked out anew after this, whatever did not change: a runtime may have made cgroups meanwhile. */
const WANTED_FOR_MS = 30_000;

interface Wanted extends Desired {
  readonly pods: readonly Pod[];
  readonly rules: MemoryQosRules;
  readonly atMs: number;
  readonly byPlace: ReadonlyMap<string, string>;
}

/**
 * Memory QoS, tick by tick: reads what the governed files say, tells what somebody else changed, and begins the writes that
 * bring them to what is wanted. It waits for none of them: what is being written is neither drift nor written again.
 */
export class MemoryQosLoop {
  readonly #parts: MemoryQosParts;
  #rules: MemoryQosRules;
  #limits: WritableLimits | undefined;
  #writes: LimitWrites | undefined;
  #drift: DriftState = { unsure: new Set(), disputes: new Map() };
  #backOff: BackOff = NO_BACK_OFF;
  #wanted: Wanted | undefined;
  readonly #tally = new WriteTally();
  #hasBegun = false;
  readonly #wantedWrites: WantedWrites;

  constructor(parts: MemoryQosParts, rules: MemoryQosRules) {
    this.#parts = parts;
    this.#rules = rules;
    this.#wantedWrites = new WantedWrites(parts.announcer);
  }

  /** Goes by other rules from the next tick on. Into dry-run no write goes along that has not begun. */
  use(rules: MemoryQosRules): void {
    this.#rules = rules;
    if (rules.mode === 'dry-run') this.halt();
  }

  /** What has become of writes since the start. */
  get tally(): Readonly<WriteTally> {
    return this.#tally;
  }

  /** One look at every governed file. Resolves when what can be begun has begun. */
  async turn(pods: readonly Pod[], atMs: number): Promise<MemoryQosFigures> {
    this.#hasBegun = false;
    await this.#takeResults(atMs);
    const writes = this.#opened();
    const inFlight = this.#writes?.inFlight() ?? new Set<string>();
    const wanted = this.#wantedFor(pods, atMs);
    const read = readDifferences(this.#parts.tree, wanted.values);
    const { differences, held } = holdUp(read, wanted.notLowered);
    this.#wanted = wanted;
    await this.#parts.announcer.trouble('cgroups', this.#obstacleOr(differences));
    await this.#parts.announcer.trouble('unlisted', wanted.unlisted);
    this.#tally.isHeldBack =
      this.#rules.mode === 'enforce' && writes === undefined && differences.summary.write > 0;
    if (this.#rules.mode === 'dry-run') {
      await this.#wantedWrites.tell(differences.differing);
      return { ...differences.summary, leftAlone: 0, inFlight: 0 };
    }
    const leftAlone = await this.#tellDrift(differences, { wanted, held, inFlight }, atMs);
    if (writes !== undefined) this.#begin(writes, differences, { leftAlone, inFlight, atMs });
    return {
      ...differences.summary,
      leftAlone: leftAlone.size,
      inFlight: this.#writes?.inFlight().size ?? 0,
    };
  }

  /** Whether the last look began writes: only then may another one find more to do. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves when nothing is being written, and what became of it is on record. */
  async idle(atMs: number): Promise<void> {
    await this.#writes?.idle();
    await this.#takeResults(atMs);
  }

  /** Puts on record what has ended since the last turn, and begins nothing: for when Memory QoS has been turned off. */
  async settle(atMs: number): Promise<void> {
    this.halt();
    await this.#takeResults(atMs);
    // Nobody looks any more, and so nobody could say that it is over.
    await this.#parts.announcer.trouble('unlisted', undefined);
  }

  /** Begins no further write. */
  halt(): void {
    this.#writes?.stop();
  }

  #opened(): LimitWrites | undefined {
    const limits = this.#rules.mode === 'enforce' ? this.#parts.limits() : undefined;
    if (limits === this.#limits) return this.#writes;
    this.#writes?.stop();
    // What blocks in the kernel still counts against how much may block at a time, and has to come on record.
    if (limits === undefined || (this.#writes?.inFlight().size ?? 0) > 0) return undefined;
    this.#limits = limits;
    this.#writes = new LimitWrites(limits);
    this.#drift = driftAtStart(limits.journal.journal);
    return this.#writes;
  }

  #wantedFor(pods: readonly Pod[], atMs: number): Wanted {
    const known = this.#wanted;
    const isGood =
      this.#rules.isStable &&
      known?.pods === pods &&
      known.rules === this.#rules &&
      atMs - known.atMs < WANTED_FOR_MS;
    if (isGood) return known;
    const desired = this.#rules.desired(pods);
    const byPlace = new Map(
      desired.values.flatMap(({ cgroup, file, desired }) =>
        cgroup === null ? [] : [[placeKey({ cgroup, file }), formatLimit(desired)] as const],
      ),
    );
    return { ...desired, pods, rules: this.#rules, atMs, byPlace };
  }

  #obstacleOr({ warnings }: Differences): string | undefined {
    const { obstacle } = this.#backOff;
    if (obstacle?.part === 'cgroups') return obstacle.sentence;
    const [first, ...others] = warnings;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return first === undefined ? undefined : `${first.message}${more}`;
  }

  async #tellDrift(
    { differing }: Differences,
    { wanted, held, inFlight }: { wanted: Wanted; held: ReadonlySet<string>; inFlight: ReadonlySet<string> },
    atMs: number,
  ): Promise<ReadonlySet<string>> {
    const records = this.#limits?.journal.journal.records ?? new Map();
    const seen = observeDrift(
      this.#drift,
      {
        differing,
        records,
        inFlight,
        // What is held up reads other than it is wanted, and nobody's write can be told from that.
        desiredAt: (key) => (held.has(key) ? undefined : wanted.byPlace.get(key)),
        inodeOf: (cgroup) => this.#parts.tree.inodeOf(cgroup),
        likelyWriter: (cgroup) => this.#rules.likelyWriter(cgroup),
      },
      atMs,
    );
    this.#drift = seen.state;
    for (const drift of seen.drifts) {
      await this.#parts.announcer.event(driftEvent(drift, differing));
    }
    return seen.leftAlone;
  }

  #begin(
    writes: LimitWrites,
    { differing }: Differences,
    held: {
      readonly leftAlone: ReadonlySet<string>;
      readonly inFlight: ReadonlySet<string>;
      readonly atMs: number;
    },
  ): void {
    const { leftAlone, inFlight, atMs } = held;
    const budget = allowance(this.#backOff, this.#rules.maxWritesPerTick, atMs);
    const putOff = placesPutOff(this.#backOff, atMs);
    const chosen = writesOfTick(differing, { leftAlone, putOff, inFlight, budget });
    const orders = chosen.flatMap((entry) => orderedWrite(entry, this.#parts.tree));
    this.#hasBegun = writes.start(orders) && orders.length > 0;
  }

  /** Puts what has ended on record. */
  async #takeResults(atMs: number): Promise<void> {
    if (this.#writes === undefined) return;
    const { announcer } = this.#parts;
    const taken = this.#writes.take();
    const { results, notBegun, journal } = taken;
    this.#drift = noteWrites(this.#drift, results, notBegun);
    const { backOff, news } = noteOutcome(this.#backOff, { results, journal }, atMs);
    this.#backOff = backOff;
    const { obstacle } = backOff;
    if (journal !== undefined) {
      await announcer.trouble('journal', obstacle?.part === 'journal' ? obstacle.sentence : undefined);
    }
    for (const result of news) await announcer.event(endedWrite(result));
    const counts = this.#tally.note(taken);
    if (news.length > 0) await announcer.event({ kind: 'plan-applied', ...counts, wanted: 0 });
  }
}
