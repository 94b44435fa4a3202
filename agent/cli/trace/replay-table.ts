import { formatDuration } from '../../../config/numbers/duration.ts';
import { isSignal } from '../../../config/signal.ts';
import { counted } from '../../decide/human.ts';
import { type ComparisonSummary, isSameLook, NOTHING_COMPARED, withLooks } from '../../whatif/compare.ts';
import { evictionsOf, type ReplayedEviction, type ReplayedLook } from '../../whatif/replay.ts';
import { amountText } from '../check-report.ts';
import { drawTable } from '../console/print.ts';

/** More rows than a person reads; -o jsonl has them all. */
const MOST_ROWS = 500;
const HEAD = ['AT', 'PRESSURE', 'THRESHOLDS', 'EVICTED'];
const COMPARED_HEAD = ['AT', '', ...HEAD.slice(1)];

/** What a trace leads to, for people: a row where something changes, counted from the first observation, and the sum. */
export class ReplayTable {
  readonly #rows = new Rows();
  #last: ReplayedLook | undefined;
  #looks = 0;
  #evictions = 0;

  add(look: ReplayedLook): void {
    this.#rows.at(look.atMs);
    if (!isSameLook(this.#last ?? NOTHING, look)) this.#rows.add(look.atMs, [cellsOf(look)]);
    this.#last = look;
    this.#looks += 1;
    this.#evictions += evictionsOf(look).length;
  }

  text(columns: number): string {
    const sum = `${looksText(this.#looks, this.#rows)}: ${evictionsText(this.#evictions)}.\n`;
    return this.#rows.isEmpty
      ? `No threshold was past its grace at any time.\n${sum}`
      : `${this.#rows.text(HEAD, columns)}\n${sum}`;
  }
}

/** Where two configurations part over a trace, for people: both sides where they begin to differ or differ otherwise. */
export class ComparisonTable {
  readonly #rows = new Rows();
  readonly #names: { readonly a: string; readonly b: string };
  #last: { readonly a: ReplayedLook; readonly b: ReplayedLook } | undefined;
  #summary: ComparisonSummary = NOTHING_COMPARED;

  /** Takes the names of the two configurations. */
  constructor(names: { readonly a: string; readonly b: string }) {
    this.#names = names;
  }

  add(a: ReplayedLook, b: ReplayedLook): void {
    this.#rows.at(a.atMs);
    this.#summary = withLooks(this.#summary, a, b);
    const last = this.#last;
    const isNew = last === undefined || !isSameLook(last.a, a) || !isSameLook(last.b, b);
    if (isNew && !isSameLook(a, b)) {
      this.#rows.add(a.atMs, [
        ['A', ...cellsOf(a)],
        ['B', ...cellsOf(b)],
      ]);
    }
    this.#last = { a, b };
  }

  text(columns: number): string {
    const { observations, differing, evictionsA, evictionsB } = this.#summary;
    const names = `A is ${this.#names.a}, B is ${this.#names.b}.\n`;
    const evictions = `A: ${evictionsText(evictionsA)}, B: ${evictionsText(evictionsB)}.\n`;
    const looks = looksText(observations, this.#rows);
    return differing === 0
      ? `${names}${looks}: both lead to the same.\n${evictions}`
      : `${names}\n${this.#rows.text(COMPARED_HEAD, columns)}\n${looks}: they part at ${differing}.\n${evictions}`;
  }
}

/** Before the first observation: nothing is short and nobody goes. */
const NOTHING: ReplayedLook = { atMs: 0, conditions: [], thresholdsMet: [], evict: null };

/** Rows with their times, as many as a person reads. */
class Rows {
  readonly #rows: (readonly string[])[] = [];
  #firstMs: number | undefined;
  #lastMs = 0;
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** From the first observation to the last. */
  get spanMs(): number {
    return this.#lastMs - (this.#firstMs ?? this.#lastMs);
  }

  at(atMs: number): void {
    this.#firstMs ??= atMs;
    this.#lastMs = atMs;
  }

  /** Rows of one moment; only the first of them says which. */
  add(atMs: number, rows: readonly (readonly string[])[]): void {
    if (this.#rows.length >= MOST_ROWS) {
      this.#leftOut += 1;
      return;
    }
    const since = formatDuration(atMs - (this.#firstMs ?? atMs));
    this.#rows.push(...rows.map((cells, index) => [index === 0 ? since : '', ...cells]));
  }

  text(head: readonly string[], columns: number): string {
    const table = drawTable(head, this.#rows, { fit: { column: head.length - 1, columns } });
    const more = `... and ${counted(BigInt(this.#leftOut), 'more change', 'more changes')}; -o jsonl has them all\n`;
    return this.#leftOut === 0 ? table : `${table}${more}`;
  }
}

function cellsOf(look: ReplayedLook): readonly string[] {
  const pressure = look.conditions.map((condition) => condition.replace('Pressure', ''));
  const thresholds = look.thresholdsMet.map(({ signal, type, value }, index, all) => {
    const amount = `${type} ${amountText(value, signal)}`;
    return all[index - 1]?.signal === signal ? amount : `${signal} ${amount}`;
  });
  const evicted = evictionsOf(look).map((eviction) => evictedText(eviction, look));
  return [pressure, thresholds, evicted].map((all) => (all.length === 0 ? '-' : all.join(', ')));
}

/** The pod, what it goes for as far as the thresholds do not say it, and its grace. */
function evictedText(eviction: ReplayedEviction, { thresholdsMet }: ReplayedLook): string {
  const { namespace, name, signal, type, gracePeriodSeconds } = eviction;
  const isClear = thresholdsMet.every((threshold) => threshold.signal === signal);
  const cause = thresholdsMet.length > 0 && isClear ? type : isSignal(signal) ? `${signal} ${type}` : signal;
  return `${namespace}/${name} (${cause}, ${gracePeriodSeconds} s)`;
}

function looksText(looks: number, rows: Rows): string {
  return `${counted(BigInt(looks), 'observation', 'observations')} over ${formatDuration(rows.spanMs)}`;
}

function evictionsText(evictions: number): string {
  return counted(BigInt(evictions), 'eviction', 'evictions');
}
