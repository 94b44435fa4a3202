import { MEMORY_FILES, type MemoryFile } from './memory-files.ts';

/**
 * One limit file of one cgroup. `cgroup` is relative to the mount, without a leading slash. With `inode` the cgroup has to
 * be the very one with that inode: another one of the same name, made later, counts as vanished and is not touched.
 */
export interface LimitPlace {
  readonly cgroup: string;
  readonly file: MemoryFile;
  readonly inode?: bigint;
}

/** Through whom a value is set: the file itself, or systemd, where the cgroup is one of its units. */
export type LimitWriter = 'cgroupfs' | 'systemd';

/** The way that a value goes; `because` is why it goes directly although it is wanted through systemd. */
export interface LimitWay {
  readonly writer: LimitWriter;
  readonly because?: string;
}

/** A place whose cgroup is known by its inode; only such places are written to. */
export interface KnownLimitPlace extends LimitPlace {
  readonly inode: bigint;
  /** Through whom it has to be written, whatever the setting says; absent where the setting decides. */
  readonly writer?: LimitWriter;
}

/** `code` is the system's (EACCES, EROFS, EINVAL ...) or one of ours; `error` is a sentence for a person. */
export interface LimitFailure {
  readonly kind: 'failed';
  readonly code: string;
  readonly error: string;
}

/** The cgroup or its file is gone, or is another one by now. */
export interface LimitVanished {
  readonly kind: 'vanished';
  readonly error: string;
}

/** `text` is the file byte for byte; `inode` is the cgroup's. */
export type LimitRead =
  | { readonly kind: 'read'; readonly text: string; readonly inode: bigint }
  | LimitVanished
  | LimitFailure;

/** The way is absent where there is but one. */
export type LimitWritten = ({ readonly kind: 'written' } & Partial<LimitWay>) | LimitVanished | LimitFailure;

/** The limit files of one cgroup mount. Nothing throws for what a machine can do to a reader or writer. */
export interface LimitFiles {
  read(place: LimitPlace): Promise<LimitRead>;
  /** Makes the file read `text`, byte for byte where the file keeps bytes; looks again and compares. */
  write(place: KnownLimitPlace, text: string): Promise<LimitWritten>;
  /**
   * Through whom `write` will try first, for the journal, which is written before. Where this is absent there is but one
   * way. `systemd` may still end as a direct write.
   */
  wayOf?(place: KnownLimitPlace): Promise<LimitWay>;
}

/** Whether a path names a cgroup below the mount: components with a name, none of them `.` or `..`. */
export function isCgroupPath(cgroup: string): boolean {
  return cgroup
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'));
}

/**
 * Whether a name is one of the three files that may be written, asked at run time whatever the types said: memory.max is
 * not among them and never will be.
 */
export function isMemoryFile(name: unknown): name is MemoryFile {
  return MEMORY_FILES.some((file) => file === name);
}
