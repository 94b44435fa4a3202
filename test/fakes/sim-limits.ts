import type { JournalFailure } from '../../cgroup/apply.ts';
import type { DirectoryRead, FileRead, FileTree } from '../../cgroup/file-tree.ts';
import {
  type Journal,
  type JournalRecord,
  placeKey,
  pruneJournal,
  recordWrites,
} from '../../cgroup/journal.ts';
import type {
  KnownLimitPlace,
  LimitFiles,
  LimitPlace,
  LimitRead,
  LimitWritten,
} from '../../cgroup/limit-port.ts';
import { isMemoryFile } from '../../cgroup/limit-port.ts';
import { keptLimit } from './kept-limit.ts';
import type { LimitGroup, SimNode } from './sim-node.ts';
import type { Lifeline, SimTime } from './sim-time.ts';

/** What goes on with limit files, for whoever watches. */
export interface LimitWitness {
  /** Old values are on disk. */
  journalled(records: readonly JournalRecord[], journal: Journal): void;
  /** The system begins to write. */
  begins(place: KnownLimitPlace, text: string): void;
  /** The file reads something else from now on; `before` is what it read. */
  written(place: KnownLimitPlace, before: string, text: string): void;
  /** The write is over, one way or the other. */
  over(place: KnownLimitPlace): void;
  /** Something went wrong that nobody but the machine is to blame for. */
  failed(place: LimitPlace | undefined): void;
}

/** What a machine has, and what ails it. It outlives the agent. */
export class SimLimitState {
  journal: Journal = { bootId: 'boot', records: new Map() };
  /** No journal can be written: the disk is full. */
  journalFails = false;
  /** Every write is refused: the tree is mounted read-only. */
  isReadOnly = false;
  /** The kernel reclaims inside a write that lowers memory.high. */
  reclaimMs = 0;
  /** Files that cannot be read, by path. */
  readonly unreadable = new Set<string>();
}

interface LimitParts {
  readonly node: SimNode;
  readonly state: SimLimitState;
  readonly time: SimTime;
  readonly lifeline: Lifeline;
  readonly witness: LimitWitness;
}

/** The limit files of the simulated node: to look at, to write to, and what they read before. */
export class SimLimits implements LimitFiles {
  readonly tree: FileTree;
  readonly journal: {
    readonly journal: Journal;
    record(records: readonly JournalRecord[]): Promise<JournalFailure | undefined>;
  };
  readonly #parts: LimitParts;

  constructor(parts: LimitParts) {
    this.#parts = parts;
    const { node, state } = parts;
    state.journal = pruneJournal(state.journal, 'boot', (cgroup) => node.limitsOf(cgroup)?.inode);
    this.tree = {
      readFile: (path) => this.#readFile(path),
      readDirectory: (path) => this.#readDirectory(path),
      inodeOf: (path) => node.limitsOf(path)?.inode,
      nameOf: (path) => `/node/${path}`,
    };
    this.journal = {
      get journal(): Journal {
        return state.journal;
      },
      record: (records) => this.#record(records),
    };
  }

  read(place: LimitPlace): Promise<LimitRead> {
    return this.#parts.lifeline.later('reading a limit', () => this.#read(place));
  }

  write(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    const { lifeline, state, time, witness } = this.#parts;
    return lifeline.later('writing a limit', () => {
      witness.begins(place, text);
      const said = this.#write(place, text);
      const takesMs = place.file === 'memory.high' ? state.reclaimMs : 0;
      return new Promise<LimitWritten>((resolve) => {
        const end = (): void => {
          if (lifeline.isDead) return;
          witness.over(place);
          resolve(said);
        };
        // The kernel takes the value first and then reclaims, while the writer waits.
        if (takesMs === 0) end();
        else time.in(takesMs, end);
      });
    });
  }

  #record(records: readonly JournalRecord[]): Promise<JournalFailure | undefined> {
    const { lifeline, state, witness } = this.#parts;
    return lifeline.later('keeping old values', () => {
      if (state.journalFails) {
        witness.failed(undefined);
        return { code: 'ENOSPC', message: 'the disk is full' };
      }
      state.journal = recordWrites(state.journal, records);
      witness.journalled(records, state.journal);
      return undefined;
    });
  }

  #read(place: LimitPlace): LimitRead {
    const { node, state, witness } = this.#parts;
    const group = node.limitsOf(place.cgroup);
    if (group === undefined || group.inode !== (place.inode ?? group.inode)) return GONE;
    if (state.unreadable.has(placeKey(place))) {
      witness.failed(place);
      return { kind: 'failed', code: 'EIO', error: `${placeKey(place)} cannot be read` };
    }
    return { kind: 'read', text: group.files[place.file], inode: group.inode };
  }

  #write(place: KnownLimitPlace, text: string): LimitWritten {
    const { node, state, witness } = this.#parts;
    const group = node.limitsOf(place.cgroup);
    if (group?.inode !== place.inode) return GONE;
    if (state.isReadOnly) {
      witness.failed(place);
      return { kind: 'failed', code: 'EROFS', error: `${placeKey(place)} cannot be written` };
    }
    const before = group.files[place.file];
    const kept = keptLimit(text);
    if (kept === undefined) return { kind: 'failed', code: 'EINVAL', error: `${text} is no limit` };
    group.files[place.file] = kept;
    witness.written(place, before, kept);
    return kept.trimEnd() === text.trimEnd()
      ? { kind: 'written' }
      : { kind: 'failed', code: 'EREADBACK', error: `found ${kept} after writing ${text}` };
  }

  #readFile(path: string): FileRead {
    const { node, state, lifeline } = this.#parts;
    if (lifeline.isDead) return { kind: 'missing' };
    const slash = path.lastIndexOf('/');
    const file = path.slice(slash + 1);
    const group: LimitGroup | undefined = isMemoryFile(file)
      ? node.limitsOf(path.slice(0, slash))
      : undefined;
    if (group === undefined || !isMemoryFile(file)) return { kind: 'missing' };
    return state.unreadable.has(path)
      ? { kind: 'failed', code: 'EIO' }
      : { kind: 'read', text: group.files[file] };
  }

  #readDirectory(path: string): DirectoryRead {
    const { node } = this.#parts;
    if (node.limitsOf(path) === undefined) return { kind: 'missing' };
    const directories = node.childrenOf(path).map((child) => child.slice(path.length + 1));
    return { kind: 'read', directories: directories.sort(), files: [] };
  }
}

const GONE = { kind: 'vanished', error: 'it is gone' } as const;
