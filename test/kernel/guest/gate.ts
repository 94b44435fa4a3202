import { Buffer } from 'node:buffer';
import { closeSync, readSync, writeSync } from 'node:fs';
import koffi from 'koffi';
import { sleep, until } from './machine.ts';

/** linux/fanotify.h: who opens the file waits until it is told that it may. */
const FAN_CLASS_CONTENT = 0x4;
const FAN_NONBLOCK = 0x2;
const FAN_CLOEXEC = 0x1;
const FAN_MARK_ADD = 0x1;
const FAN_OPEN_PERM = 0x10000;
const FAN_ONDIR = 0x40000000;
const FAN_ALLOW = 1;
const AT_FDCWD = -100;
/** struct fanotify_event_metadata: length, version, reserved, metadata length, mask, descriptor, PID. */
const EVENT_BYTES = 24;
const FD_OFFSET = 16;
const PID_OFFSET = 20;
const POLL_MS = 5;

/** Somebody who is about to open a file, and waits in the kernel. */
export interface Opener {
  readonly pid: number;
  /** From now on it goes on. */
  allow(): void;
}

/**
 * A gate before a file or folder of the cgroup tree: whoever opens it is held in the kernel, inside of its system call, until
 * the case lets it go on (fanotify(7)). So a case does what it has to do exactly between two steps of the agent, and a read
 * takes as long as the case wants. The tests themselves must not open what they hold others from. A gate that is taken away
 * lets everybody go on.
 */
export class Gate {
  readonly #fd: number;
  #isOpen = true;

  constructor(path: string) {
    const library = koffi.load(null);
    const start = library.func('int fanotify_init(unsigned int flags, unsigned int eventFlags)');
    const mark = library.func(
      'int fanotify_mark(int fd, unsigned int flags, uint64_t mask, int folder, const char *path)',
    );
    this.#fd = Number(start(FAN_CLASS_CONTENT | FAN_NONBLOCK | FAN_CLOEXEC, 0));
    if (this.#fd < 0 || mark(this.#fd, FAN_MARK_ADD, FAN_OPEN_PERM | FAN_ONDIR, AT_FDCWD, path) !== 0)
      throw new Error(`no gate before ${path}: error ${koffi.errno()}`);
  }

  /** Waits until somebody is held. */
  async held(what: string): Promise<Opener> {
    const openers: Opener[] = [];
    await until(() => {
      const opener = this.#next();
      if (opener !== undefined) openers.push(opener);
      return openers.length > 0;
    }, what);
    const [opener] = openers;
    if (opener === undefined) throw new Error(`nobody is held: ${what}`);
    return opener;
  }

  /** Holds everybody for a while, until the gate is taken away; gives how often that was, when it is. */
  async slow(ms: number): Promise<number> {
    let count = 0;
    while (this.#isOpen) {
      const opener = this.#next();
      if (opener === undefined) await sleep(POLL_MS);
      else {
        count += 1;
        await sleep(ms);
        opener.allow();
      }
    }
    return count;
  }

  /** Takes the gate away. */
  remove(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  #next(): Opener | undefined {
    const event = Buffer.alloc(EVENT_BYTES);
    try {
      readSync(this.#fd, event, 0, EVENT_BYTES, null);
    } catch {
      return undefined;
    }
    const file = event.readInt32LE(FD_OFFSET);
    const answer = Buffer.alloc(8);
    answer.writeInt32LE(file, 0);
    answer.writeUInt32LE(FAN_ALLOW, 4);
    const allow = (): void => {
      // A gate that was taken away has let everybody go on.
      if (this.#isOpen) writeSync(this.#fd, answer);
      closeSync(file);
    };
    return { pid: event.readInt32LE(PID_OFFSET), allow };
  }
}

/** Does something while a gate stands before a path of the cgroup tree, and takes it away in any case. */
export async function withGate(path: string, act: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = new Gate(path);
  try {
    await act(gate);
  } finally {
    gate.remove();
  }
}
