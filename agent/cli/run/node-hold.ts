import type { ControlFiles } from '../../../cgroup/control-port.ts';
import { controlFiles } from '../../../cgroup/disk/control-files.ts';
import type { JournalFile } from '../../../cgroup/disk/journal-file.ts';
import { type Lock, takeLock } from '../../../cgroup/disk/lock-file.ts';
import { closeMount, type Mount } from '../../../cgroup/disk/mount.ts';
import { isPermission } from '../../../cgroup/disk/system-error.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { Clock } from '../../ports.ts';
import type { Announcer } from '../../run/announcer.ts';
import type { WritableLimits } from '../../run/memory-qos-loop.ts';
import { type NodeLimits, nodeLimits, type WriterSetting } from '../memory-qos/limit-writer.ts';
import { mountOf, openJournal, type WritablePlaces } from '../memory-qos/write-session.ts';

/** How long after a failed try the lock and the journal are tried again. */
const TRY_AGAIN_MS = 10_000;

/** Limits that may be written, with the very journal of the state folder, which can also forget. */
interface HeldLimits extends WritableLimits {
  readonly journal: JournalFile;
}

export interface HoldParts {
  readonly root: NodeRoot;
  readonly places: WritablePlaces;
  readonly clock: Clock;
  readonly announcer: Announcer;
  /** `memoryQos.writer` as it is in force. */
  readonly limitWriter: () => WriterSetting;
}

/**
 * What the agent holds of a node: the lock of its state folder, the mount, the journal. Each can fail by itself and is tried
 * again: on a full disk there is no lock and no journal, and so no limit is written, but pods can still be evicted.
 */
export class NodeHold {
  readonly #parts: HoldParts;
  #lock: Extract<Lock, { kind: 'held' }> | undefined;
  #mount: Mount | undefined;
  #control: ControlFiles | undefined;
  #limits: HeldLimits | undefined;
  #nodeLimits: NodeLimits | undefined;
  #triedAtMs: number | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #isNotPermitted = false;

  constructor(parts: HoldParts) {
    this.#parts = parts;
  }

  /** The control files of pods; undefined where the mount cannot be opened. Nothing is opened for writing before it is used. */
  get control(): ControlFiles | undefined {
    return this.#control;
  }

  /** undefined while the lock or the journal cannot be had. */
  get limits(): HeldLimits | undefined {
    return this.#limits;
  }

  /** The exit status for what could not be had at the last try: 77 where the system said permission, else 74. */
  get statusOfLack(): ExitStatus {
    return this.#isNotPermitted ? EXIT.notPermitted : EXIT.ioError;
  }

  /**
   * The first taking of the lock. Where it fails, `ensure` tries again and tells: the record of the start comes before all
   * others. Throws Failure 75 where another nodeqos holds it.
   */
  begin(): void {
    const lock = takeLock(this.#parts.places.stateFolder, 'run', this.#parts.clock.wallMs());
    if (lock.kind === 'busy') throw new Failure(EXIT.tryAgain, lock.message);
    if (lock.kind === 'held') this.#lock = lock;
  }

  /** Gets what is lacking and is due to be tried; `mode` says whether anything but the lock is wanted. */
  async ensure(mode: 'dry-run' | 'enforce'): Promise<void> {
    if (mode === 'enforce') await this.#openMount();
    await this.#checkLock();
    const isComplete = this.#lock !== undefined && (mode === 'dry-run' || this.#limits !== undefined);
    const nowMs = this.#parts.clock.nowMs();
    const isDue = this.#triedAtMs === undefined || nowMs - this.#triedAtMs >= TRY_AGAIN_MS;
    if (isComplete || !isDue) return;
    this.#triedAtMs = nowMs;
    if (this.#lock === undefined) {
      await this.#took(takeLock(this.#parts.places.stateFolder, 'run', this.#parts.clock.wallMs()));
    }
    if (mode === 'enforce' && this.#lock !== undefined) await this.#openLimits();
  }

  /** Lets go of everything. */
  release(): void {
    this.#nodeLimits?.close();
    if (this.#mount !== undefined) closeMount(this.#mount);
    this.#lock?.release();
    this.#nodeLimits = undefined;
    this.#mount = undefined;
    this.#control = undefined;
    this.#limits = undefined;
    this.#lock = undefined;
  }

  /** A lock that somebody removed, with the folder that it lay in, keeps nobody out: it is taken again, or lost. */
  async #checkLock(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#lock === undefined || nowMs - this.#checkedAtMs < TRY_AGAIN_MS) return;
    this.#checkedAtMs = nowMs;
    if (isStillOurs(this.#lock)) return;
    this.#lock = undefined;
    this.#limits = undefined;
    this.#triedAtMs = undefined;
    await this.#parts.announcer.trouble(
      'lock',
      'the lock was removed by somebody else; no limit is written without it',
    );
  }

  async #took(lock: Lock): Promise<void> {
    if (lock.kind === 'held') this.#lock = lock;
    this.#isNotPermitted = lock.kind === 'failed' && isPermission(lock.code);
    const sentence =
      lock.kind === 'held' ? undefined : `${lock.message}; no limit is written without the lock`;
    await this.#parts.announcer.trouble('lock', sentence);
  }

  async #openMount(): Promise<void> {
    if (this.#mount !== undefined) return;
    try {
      this.#mount = mountOf(this.#parts.root, this.#parts.places);
      this.#control = controlFiles(this.#mount);
      await this.#parts.announcer.trouble('mount', undefined);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await this.#parts.announcer.trouble('mount', error.message);
    }
  }

  async #openLimits(): Promise<void> {
    if (this.#mount === undefined) return;
    try {
      const journal = openJournal(this.#parts.root, this.#parts.places);
      this.#nodeLimits ??= this.#limitsOf(this.#mount);
      this.#limits = { files: this.#nodeLimits.files, journal };
      await this.#parts.announcer.trouble('journal', undefined);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#isNotPermitted = error.status === EXIT.notPermitted;
      await this.#parts.announcer.trouble('journal', `${error.message}; no limit is written`);
    }
  }

  #limitsOf(mount: Mount): NodeLimits {
    const { root, announcer, limitWriter } = this.#parts;
    const told = (lack: string | undefined): void => {
      const how =
        limitWriter() === 'systemd' ? 'no limit of a unit is written' : 'limits are written directly';
      void announcer.trouble('writer', lack === undefined ? undefined : `${lack}; ${how}`);
    };
    return nodeLimits({ root, mount, writer: limitWriter, told });
  }
}

/** One that cannot be read at the moment may well be: what cannot be looked at is not lost. */
function isStillOurs(lock: { isOurs(): boolean }): boolean {
  try {
    return lock.isOurs();
  } catch {
    return true;
  }
}
