import type { JournalFailure, JournalPort } from '../../cgroup/apply.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { type Journal, type JournalRecord, placeKey, recordWrites } from '../../cgroup/journal.ts';
import type {
  KnownLimitPlace,
  LimitFiles,
  LimitPlace,
  LimitRead,
  LimitWritten,
} from '../../cgroup/limit-port.ts';

interface FakeCgroup {
  readonly inode: bigint;
  readonly files: Map<string, string>;
}

/** Limit files in memory, which fail where they are told to. Every call is noted in `calls`, in order. */
export class FakeLimitFiles implements LimitFiles {
  readonly calls: string[] = [];
  readonly failures = new Map<string, LimitWritten & { kind: 'failed' | 'vanished' }>();
  readonly unreadable = new Map<string, LimitRead & { kind: 'failed' }>();
  private readonly cgroups = new Map<string, FakeCgroup>();

  /** Adds a cgroup, or makes it anew. */
  with(cgroup: string, inode: bigint, files: Readonly<Record<string, string>>): this {
    this.cgroups.set(cgroup, { inode, files: new Map(Object.entries(files)) });
    return this;
  }

  /** Somebody else writes: whatever the files read before, they read this now. */
  put(cgroup: string, texts: Readonly<Record<string, string>>): void {
    for (const [file, text] of Object.entries(texts)) this.cgroups.get(cgroup)?.files.set(file, text);
  }

  /** The same files as a tree to read. */
  tree(): FileTree {
    return {
      readFile: (path) => {
        const text = this.contents()[path];
        return text === undefined ? { kind: 'missing' } : { kind: 'read', text };
      },
      readDirectory: () => ({ kind: 'missing' }),
      inodeOf: (cgroup) => this.cgroups.get(cgroup)?.inode,
      nameOf: (path) => path,
    };
  }

  /** All files and what they read. */
  contents(): Record<string, string> {
    return Object.fromEntries(
      [...this.cgroups].flatMap(([cgroup, { files }]) =>
        [...files].map(([file, text]) => [`${cgroup}/${file}`, text]),
      ),
    );
  }

  read(place: LimitPlace): Promise<LimitRead> {
    const key = placeKey(place);
    this.calls.push(`read ${key}`);
    const unreadable = this.unreadable.get(key);
    const cgroup = this.cgroups.get(place.cgroup);
    const text = cgroup?.files.get(place.file);
    if (unreadable !== undefined) {
      return Promise.resolve(unreadable);
    }
    if (cgroup === undefined || text === undefined || (place.inode ?? cgroup.inode) !== cgroup.inode) {
      return Promise.resolve({ kind: 'vanished', error: `${key} is gone` });
    }
    return Promise.resolve({ kind: 'read', text, inode: cgroup.inode });
  }

  write(place: KnownLimitPlace, text: string): Promise<LimitWritten> {
    const key = placeKey(place);
    this.calls.push(`write ${key} ${JSON.stringify(text)}`);
    const failure = this.failures.get(key);
    const cgroup = this.cgroups.get(place.cgroup);
    if (failure !== undefined) {
      return Promise.resolve(failure);
    }
    if (cgroup?.inode !== place.inode) {
      return Promise.resolve({ kind: 'vanished', error: `${key} is gone` });
    }
    cgroup.files.set(place.file, text);
    return Promise.resolve({ kind: 'written' });
  }
}

/** A journal in memory that notes in the same `calls` when it was written. */
export class FakeJournal implements JournalPort {
  journal: Journal;
  failure: JournalFailure | undefined;
  private readonly calls: string[];

  constructor(journal: Journal, calls: string[]) {
    this.journal = journal;
    this.calls = calls;
  }

  record(records: readonly JournalRecord[]): Promise<JournalFailure | undefined> {
    this.calls.push(`journal ${records.map(placeKey).join(' ')}`);
    if (this.failure === undefined) {
      this.journal = recordWrites(this.journal, records);
    }
    return Promise.resolve(this.failure);
  }
}
