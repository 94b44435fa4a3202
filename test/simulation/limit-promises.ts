import type { AgentEvent } from '../../agent/model/agent-event.ts';
import type { MemoryQosFigures } from '../../agent/model/tick.ts';
import { type Journal, type JournalRecord, placeKey } from '../../cgroup/journal.ts';
import type { KnownLimitPlace, LimitPlace, LimitRead } from '../../cgroup/limit-port.ts';
import { formatLimit, MEMORY_FILES, type MemoryFile, parseLimit } from '../../cgroup/memory-files.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { restorations } from '../../cgroup/reset.ts';
import type { LimitWitness } from '../fakes/sim-limits.ts';
import { parentOf, type SimNode } from '../fakes/sim-node.ts';

interface Parts {
  readonly node: SimNode;
  readonly nowMs: () => number;
  readonly broken: (sentence: string) => void;
}

/** What somebody else wrote over a value of ours. */
interface Dirt {
  readonly text: string;
  /** What was there, written by this very process and settled: then it is drift, and has to be told. */
  readonly settled: string | undefined;
  isTold: boolean;
}

/** How long a failure excuses that values are not as they should be: it is tried again after a while, not at once. */
const EXCUSED_MS = 60_000;
/** So many looks in a row may find a value other than it should be and do nothing about it. */
const PATIENT_LOOKS = 40;
/** A look at limits comes once an interval, ten times as rarely as the quickest ticks. */
const PATIENT_TICKS = 15;

/** What the world knows of limit files whichever agent writes them, and what it holds each agent to. */
export class LimitPromises implements LimitWitness {
  readonly #parts: Parts;
  /** What each file of each cgroup read before nodeqos came to it, by `placeKey` and inode. */
  readonly #originals = new Map<string, string>();
  readonly #dirt = new Map<string, Dirt>();
  /** Places that somebody else changed, or that could not be read or written, until nodeqos has written them. */
  readonly #disturbed = new Set<string>();
  #excusedUntilMs = 0;
  #journal: Journal | undefined;
  #desired: ReadonlyMap<string, string> = new Map();
  /** What was wanted when what is being written was begun. */
  #planned: ReadonlyMap<string, string> = new Map();
  readonly #writing = new Map<string, MemoryFile>();
  readonly #leftAloneUntilMs = new Map<string, number>();
  /** What this process has written and nobody touched since. */
  readonly #settled = new Map<string, string>();
  readonly #waiting = new Map<string, number>();
  /** Written, by a write that is not over yet. */
  readonly #ending = new Set<string>();
  /** Writes that are over and not on record yet, and for how many ticks. */
  readonly #unrecorded = new Map<string, number>();
  #figures: MemoryQosFigures | undefined;
  mode: () => 'dry-run' | 'enforce' = () => 'dry-run';
  budget: () => number = () => 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Another process begins, which remembers nothing but the journal. */
  beginAnew(journal: Journal): void {
    this.#journal = journal;
    this.#writing.clear();
    this.#leftAloneUntilMs.clear();
    this.#settled.clear();
    this.#waiting.clear();
    this.#unrecorded.clear();
    this.#ending.clear();
    this.#figures = undefined;
    for (const [key, dirt] of this.#dirt) this.#dirt.set(key, { ...dirt, settled: undefined });
    this.#everythingCanBePutBack(journal);
  }

  /** What is wanted from now on. */
  wants(desired: readonly DesiredValue[]): void {
    this.#desired = new Map(
      desired.flatMap(({ cgroup, file, desired: limit }) =>
        cgroup === null ? [] : [[placeKey({ cgroup, file }), formatLimit(limit)] as const],
      ),
    );
  }

  journalled(records: readonly JournalRecord[], journal: Journal): void {
    this.#journal = journal;
    this.#planned = this.#desired;
    if (records.length > this.budget()) this.#break(`${records.length} writes are begun in one tick`);
  }

  begins(place: KnownLimitPlace, text: string): void {
    const key = placeKey(place);
    const record = this.#journal?.records.get(key);
    if (this.mode() !== 'enforce') this.#break(`${key} is written in dry-run`);
    if (record?.inode !== place.inode || `${record.written}\n` !== text) {
      this.#break(`${key} is written and the journal does not know`);
    }
    if ((this.#leftAloneUntilMs.get(ownKey(place)) ?? 0) > this.#parts.nowMs()) {
      this.#break(`${key} is written although it is to be left alone`);
    }
    const others = [...this.#writing.values()].filter((file) => file !== 'memory.high');
    if (place.file !== 'memory.high' && others.length > 0) this.#break(`${key} is written beside another`);
    this.#writing.set(key, place.file);
    const highs = [...this.#writing.values()].filter((file) => file === 'memory.high');
    if (highs.length > 2) this.#break('three writes block at a time');
    this.#repairIsTold(place, text);
  }

  written(place: KnownLimitPlace, before: string, text: string): void {
    const key = placeKey(place);
    const own = ownKey(place);
    this.#originalIsKept(place, before);
    this.#dirt.delete(own);
    this.#settled.set(own, text);
    this.#ending.add(key);
    this.#disturbed.delete(key);
    if (place.file !== 'memory.high') this.#parentsCover(place, before);
  }

  over(place: KnownLimitPlace): void {
    const key = placeKey(place);
    this.#writing.delete(key);
    if (this.#ending.delete(key)) this.#unrecorded.set(key, 0);
  }

  failed(place: LimitPlace | undefined): void {
    if (place !== undefined) this.#disturbed.add(placeKey(place));
    this.#excusedUntilMs = this.#parts.nowMs() + EXCUSED_MS;
  }

  /** Somebody else has written a file. */
  dirtied(place: KnownLimitPlace, before: string, text: string): void {
    const key = placeKey(place);
    const isOurs = this.#settled.get(ownKey(place)) === before && this.#desired.get(key) === before.trim();
    const settled = isOurs && !this.#writing.has(key) ? before : undefined;
    this.#dirt.set(ownKey(place), { text, settled, isTold: false });
    this.#disturbed.add(key);
  }

  event(event: AgentEvent): void {
    if (event.kind === 'write') this.#unrecorded.delete(placeKey(event));
    if (event.kind === 'write' && event.outcome === 'wanted' && this.mode() === 'enforce') {
      this.#break(`a write of ${event.cgroup} is only wanted in enforce`);
    }
    if (event.kind !== 'drift') return;
    const key = placeKey(event);
    const own = ownKey({ ...event, inode: this.#parts.node.limitsOf(event.cgroup)?.inode ?? 0n });
    const dirt = this.#dirt.get(own);
    if (dirt?.text.trim() !== event.found)
      this.#break(`drift is told of ${key}, which nobody changed to ${event.found}`);
    if (dirt !== undefined) dirt.isTold = true;
    if (event.leftAlone !== undefined) {
      this.#leftAloneUntilMs.set(own, this.#parts.nowMs() + event.leftAlone.forMs);
    }
  }

  /** A tick is over: what was written comes on record, and what is not as it should be does not stay so for long. */
  tick(figures: MemoryQosFigures | undefined): void {
    for (const [key, ticks] of this.#unrecorded) {
      this.#unrecorded.set(key, ticks + 1);
      if (ticks > PATIENT_TICKS) this.#break(`${key} was written and that is on no record`);
    }
    if (figures === undefined || figures === this.#figures || this.mode() !== 'enforce') return;
    this.#figures = figures;
    for (const [key, desired] of this.#desired) this.#comesRight(key, desired);
  }

  #comesRight(key: string, desired: string): void {
    const { node, nowMs } = this.#parts;
    const slash = key.lastIndexOf('/');
    const cgroup = key.slice(0, slash);
    const file = key.slice(slash + 1) as MemoryFile;
    const group = node.limitsOf(cgroup);
    if (
      group === undefined ||
      group.files[file].trim() === desired ||
      this.#isExcused({ cgroup, file, ...group })
    ) {
      this.#waiting.delete(key);
      return;
    }
    const looks = (this.#waiting.get(key) ?? 0) + 1;
    this.#waiting.set(key, looks);
    if (looks > PATIENT_LOOKS) {
      this.#break(`${key} reads ${group.files[file].trim()} at ${nowMs()} and is not brought to ${desired}`);
    }
  }

  #isExcused(place: KnownLimitPlace): boolean {
    const nowMs = this.#parts.nowMs();
    const isLeftAlone = (this.#leftAloneUntilMs.get(ownKey(place)) ?? 0) > nowMs;
    return isLeftAlone || nowMs < this.#excusedUntilMs || this.#writing.size > 0;
  }

  /** What `reset` would make of the journal at this moment is what the node was before nodeqos came. */
  #everythingCanBePutBack(journal: Journal): void {
    const { node } = this.#parts;
    const looks = new Map<string, LimitRead>();
    for (const [key, { cgroup, file }] of journal.records) {
      const group = node.limitsOf(cgroup);
      if (group !== undefined) looks.set(key, { kind: 'read', text: group.files[file], inode: group.inode });
    }
    const writes = new Map<string, string>();
    for (const prepared of restorations(journal, looks).writes) {
      if (prepared.kind === 'ready') writes.set(ownKey(prepared.place), prepared.text);
    }
    for (const [cgroup, { inode, files }] of node.limitGroups) {
      for (const file of MEMORY_FILES) {
        const own = ownKey({ cgroup, file, inode });
        const original = this.#originals.get(own);
        const left = writes.get(own) ?? files[file];
        if (original !== undefined && left !== original && !this.#disturbed.has(placeKey({ cgroup, file }))) {
          this.#break(`${own} would be left at ${left.trim()} and read ${original.trim()} before nodeqos`);
        }
      }
    }
  }

  #originalIsKept(place: KnownLimitPlace, before: string): void {
    const key = placeKey(place);
    const known = this.#originals.get(ownKey(place));
    const record = this.#journal?.records.get(key);
    const isOurs = record?.inode === place.inode;
    // What was changed between the look and the write counts as changed after it: nobody can tell.
    this.#originals.set(ownKey(place), known ?? (isOurs ? record.before : before));
    if (!isOurs || this.#disturbed.has(key) || record.before === (known ?? before)) return;
    this.#break(`the journal has ${record.before.trim()} for ${key}, which read ${(known ?? before).trim()}`);
  }

  #repairIsTold(place: KnownLimitPlace, text: string): void {
    const dirt = this.#dirt.get(ownKey(place));
    if (dirt?.settled === undefined || dirt.isTold || dirt.settled !== text) return;
    this.#break(`${placeKey(place)} is repaired and nobody told that it had been changed`);
  }

  /** A parent that covered its children before a write still does. */
  #parentsCover(place: KnownLimitPlace, before: string): void {
    for (const parent of [parentOf(place.cgroup), place.cgroup]) {
      const group = this.#parts.node.limitsOf(parent);
      if (group === undefined) continue;
      const children = this.#parts.node.childrenOf(parent);
      const isTrusted = [parent, ...children].every((cgroup) => {
        const key = placeKey({ cgroup, file: place.file });
        const isWanted = this.#desired.has(key) && this.#planned.has(key);
        return isWanted ? !this.#disturbed.has(key) : this.#bytes(cgroup, place.file) === 0n;
      });
      const now = this.#excess(parent, children, place.file);
      const raisedBy = this.#bytes(place.cgroup, place.file) - bytesOf(before);
      const was = parent === place.cgroup ? now + raisedBy : now - raisedBy;
      if (isTrusted && was <= 0n && now > 0n) {
        this.#break(`${parent} does not cover what is in it any more, since ${placeKey(place)} was written`);
      }
    }
  }

  /** By how much the children of a cgroup exceed it. */
  #excess(parent: string, children: readonly string[], file: MemoryFile): bigint {
    return children.reduce((sum, child) => sum + this.#bytes(child, file), -this.#bytes(parent, file));
  }

  #bytes(cgroup: string, file: MemoryFile): bigint {
    return bytesOf(this.#parts.node.limitsOf(cgroup)?.files[file] ?? '0');
  }

  #break(sentence: string): void {
    this.#parts.broken(sentence);
  }
}

function ownKey(place: KnownLimitPlace): string {
  return `${placeKey(place)} of ${place.inode}`;
}

function bytesOf(text: string): bigint {
  const limit = parseLimit(text);
  return typeof limit === 'bigint' ? limit : 0n;
}
