import type { FileTree } from '../../../cgroup/file-tree.ts';
import type {
  KnownLimitPlace,
  LimitFiles,
  LimitPlace,
  LimitRead,
  LimitWay,
  LimitWriter,
  LimitWritten,
} from '../../../cgroup/limit-port.ts';
import { type Limit, MEMORY_FILES, parseLimit } from '../../../cgroup/memory-files.ts';
import { unitNameOf } from '../../../cgroup/units/unit-name.ts';
import type { UnitFailure, UnitManager } from '../../../cgroup/units/unit-port.ts';
import {
  FOREIGN_FILES,
  isKept,
  type UnitFiles,
  type UnitWish,
  unitChange,
} from '../../../cgroup/units/unit-properties.ts';
import type { Clock } from '../../ports.ts';
import { type Attempt, elsewhere, type NotThrough, nameOf, notThrough, vanished } from './unit-attempt.ts';

/** systemd writes the files after it has answered. */
const LONGEST_DELAY_MS = 5000;
const LOOK_AGAIN_MS = 20;
/** Nothing ends a wait as short as these. */
const NEVER = new AbortController().signal;
/** systemd that did not let this user set a property will hardly let it set the next one. */
const DENIED_FOR_MS = 60_000;

export interface UnitLimitsParts {
  /** The files themselves. */
  readonly direct: LimitFiles;
  readonly units: UnitManager;
  readonly tree: FileTree;
  readonly pageSizeBytes: number;
  readonly clock: Clock;
  /** The setting that is in force: with `systemd`, what cannot be set through it fails; with `auto`, it is written directly. */
  readonly writer: () => LimitWriter | 'auto';
  /** Told why systemd does not set values at the moment; undefined when it does again. */
  readonly told?: ((lack: string | undefined) => void) | undefined;
}

/**
 * Limit files of which those that belong to units are written through systemd, as runtime properties of the unit: what is
 * written to the file alone, systemd overwrites from what it keeps (daemon-reload, set-property). Reading stays with the files.
 */
export class UnitLimits implements LimitFiles {
  readonly #parts: UnitLimitsParts;
  /** The last write to each unit: a write sets what the unit's other files read, so there is one at a time. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #denied: { readonly because: string; readonly untilMs: number } | undefined;

  constructor(parts: UnitLimitsParts) {
    this.#parts = parts;
  }

  read(place: LimitPlace): Promise<LimitRead> {
    return this.#parts.direct.read(place);
  }

  async wayOf(place: KnownLimitPlace): Promise<LimitWay> {
    const through = place.writer ?? this.#parts.writer();
    if (through === 'cgroupfs' || unitNameOf(place.cgroup) === undefined) return { writer: 'cgroupfs' };
    if (through === 'systemd') return { writer: 'systemd' };
    const denial = this.#denial();
    if (denial !== undefined) return { writer: 'cgroupfs', because: denial.because };
    const lack = await this.#parts.units.lack();
    if (lack === undefined) return { writer: 'systemd' };
    return { writer: 'cgroupfs', because: this.#notThrough(lack).because };
  }

  async write(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    const through = place.writer ?? this.#parts.writer();
    const unit = unitNameOf(place.cgroup);
    const limit = parseLimit(text);
    const isNoUnit = unit === undefined && through === 'auto';
    if (through === 'cgroupfs' || isNoUnit || limit === undefined) return await this.#directly(place, text);
    if (unit === undefined) {
      const because = `${place.cgroup} is no unit of systemd`;
      return await this.#otherwise(place, text, { kind: 'not-through', code: 'ENOTSUP', because });
    }
    return await this.#inTurn(unit, async () => {
      const attempt = await this.#attempt(place, unit, limit);
      if (attempt.kind === 'written') return { kind: 'written', writer: 'systemd' };
      return attempt.kind === 'not-through' ? await this.#otherwise(place, text, attempt) : attempt;
    });
  }

  async #inTurn<T>(unit: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(unit) ?? Promise.resolve()).then(act);
    const ended = done.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(unit, ended);
    try {
      return await done;
    } finally {
      if (this.#turns.get(unit) === ended) this.#turns.delete(unit);
    }
  }

  async #directly(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    const done = await this.#parts.direct.write(place, text);
    return done.kind === 'written' ? { kind: 'written', writer: 'cgroupfs' } : done;
  }

  /** What becomes of a value that cannot be set through systemd. */
  async #otherwise(place: KnownLimitPlace, text: string, attempt: NotThrough): Promise<LimitWritten> {
    const { code, because } = attempt;
    if (place.writer === undefined && this.#parts.writer() === 'systemd') {
      const remedy = 'memoryQos.writer: auto writes the file instead';
      return { kind: 'failed', code, error: `${nameOf(place)}: ${because}; ${remedy}` };
    }
    const done = await this.#directly(place, text);
    if (done.kind !== 'written') return done;
    if (place.writer !== 'systemd' || code === 'ENOENT' || code === 'ENOTSUP') {
      return { ...done, because };
    }
    const danger = 'systemd may still keep the value of nodeqos and write it again; run reset again';
    return {
      kind: 'failed',
      code,
      error: `${nameOf(place)}: the file is put back, but ${because}: ${danger}`,
    };
  }

  async #attempt(place: KnownLimitPlace, unit: string, limit: Limit): Promise<Attempt> {
    const denial = this.#denial();
    if (denial !== undefined) return denial;
    if (this.#isAnother(place)) return vanished(place);
    const { units, pageSizeBytes } = this.#parts;
    const look = await units.look(unit);
    if (look.kind === 'failed') return this.#notThrough(look);
    if (look.cgroup !== place.cgroup) return elsewhere(unit, look);
    const wish: UnitWish = { file: place.file, limit, pageSizeBytes };
    if (isKept(wish, look.kept)) return await this.#onlyTheFile(place, limit);
    const change = unitChange(wish, this.#filesOf(place.cgroup), look.kept);
    if (change.kind === 'would-change') {
      const { file, reads, kept } = change;
      const because = `systemd keeps ${kept} for ${file} of ${unit}, which reads ${reads}, and would write it along`;
      return { kind: 'not-through', code: 'EBUSY', because };
    }
    const undo = await this.#reclaimFirst(place, limit);
    const set = await units.set(unit, change.properties);
    if (set.kind === 'failed') {
      await undo?.();
      return this.#notThrough(set);
    }
    this.#parts.told?.(undefined);
    return await this.#seen(place, limit);
  }

  /**
   * Lowers memory.high in the file before systemd does: the kernel reclaims inside that write, and systemd, which is one
   * thread, would answer nobody meanwhile. Gives how to undo it; where this user may not write the file, systemd has to.
   */
  async #reclaimFirst(place: KnownLimitPlace, limit: Limit): Promise<(() => Promise<unknown>) | undefined> {
    if (place.file !== 'memory.high' || limit === 'max') return undefined;
    const { direct } = this.#parts;
    const before = await direct.read(place);
    const done = await direct.write(place, `${limit}\n`);
    return before.kind === 'read' && done.kind === 'written'
      ? () => direct.write(place, before.text)
      : undefined;
  }

  /** systemd keeps the value already, and so nothing but the file has to be set right. */
  async #onlyTheFile(place: KnownLimitPlace, limit: Limit): Promise<Attempt> {
    const done = await this.#parts.direct.write(place, `${limit}\n`);
    return done.kind === 'written' ? { kind: 'written' } : done;
  }

  /** Whether the file, of the very cgroup that was meant, reads what was asked for; systemd may take a moment. */
  async #seen(place: KnownLimitPlace, limit: Limit): Promise<Attempt> {
    const { direct, clock } = this.#parts;
    const deadlineMs = clock.nowMs() + LONGEST_DELAY_MS;
    for (;;) {
      const look = await direct.read(place);
      if (look.kind !== 'read') return look;
      if (parseLimit(look.text) === limit) return { kind: 'written' };
      if (clock.nowMs() >= deadlineMs) {
        const found = JSON.stringify(look.text.trimEnd());
        const error = `${nameOf(place)}: found ${found} after systemd was told ${limit}: another writer, or another page size than planned`;
        return { kind: 'failed', code: 'EREADBACK', error };
      }
      await clock.sleep(LOOK_AGAIN_MS, NEVER);
    }
  }

  #filesOf(cgroup: string): UnitFiles {
    const read = [...MEMORY_FILES, ...FOREIGN_FILES].flatMap((file) => {
      const look = this.#parts.tree.readFile(`${cgroup}/${file}`);
      return look.kind === 'read' ? [[file, look.text] as const] : [];
    });
    return Object.fromEntries(read);
  }

  #isAnother({ cgroup, inode }: KnownLimitPlace): boolean {
    return this.#parts.tree.inodeOf(cgroup) !== inode;
  }

  #denial(): NotThrough | undefined {
    const denied = this.#denied;
    return denied === undefined || this.#parts.clock.nowMs() >= denied.untilMs
      ? undefined
      : { kind: 'not-through', code: 'EACCES', because: denied.because };
  }

  #notThrough(failure: UnitFailure): NotThrough {
    const { why, error } = failure;
    if (why === 'away' || why === 'denied') this.#parts.told?.(error);
    if (why === 'denied') {
      this.#denied = { because: error, untilMs: this.#parts.clock.nowMs() + DENIED_FOR_MS };
    }
    return notThrough(failure);
  }
}
