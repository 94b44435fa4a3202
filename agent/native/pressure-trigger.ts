import { Buffer } from 'node:buffer';
import { closeSync, constants, openSync, statfsSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { errorCode } from '../../cgroup/disk/system-error.ts';
import type { ArmedTrigger, NativeResult } from './native.ts';
import type { System } from './system.ts';

/** proc and cgroup2 (linux/magic.h): a trigger is written to nothing but the kernel's own files. */
const KERNEL_FILESYSTEMS: readonly number[] = [0x9fa0, 0x63677270];
const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLPRI = 0x2;
const EPOLLERR = 0x8;
/** struct epoll_event is packed to 12 bytes on x86-64 and padded to 16 elsewhere; its first word is the events. */
const EVENT_BYTES = 16;

/**
 * Arms a PSI trigger and calls `fired` from the event loop. A trigger shows as POLLPRI, which Node.js cannot wait for; an
 * epoll descriptor that waits for it is readable when it fires, and that it can wait for. So no thread is held.
 */
export function armPressureTrigger(
  system: System,
  path: string,
  trigger: string,
  fired: () => void,
): NativeResult<ArmedTrigger> {
  const opened = openTrigger(path, trigger);
  if (!opened.ok) {
    return opened;
  }
  const fd = opened.value;
  const created = system.resultOf(system.epollCreate(EPOLL_CLOEXEC));
  if (!created.ok) {
    closeSync(fd);
    return created;
  }
  const epoll = created.value;
  const added = system.resultOf(system.epollControl(epoll, EPOLL_CTL_ADD, fd, eventFor(EPOLLPRI)));
  if (!added.ok) {
    closeSync(epoll);
    closeSync(fd);
    return added;
  }
  let isArmed = true;
  const poll = system.whenReadable(epoll, () => {
    if (isDead(system, epoll)) {
      disarm();
    } else if (isArmed) {
      fired();
    }
  });
  function disarm(): void {
    if (isArmed) {
      isArmed = false;
      poll.close();
      closeSync(epoll);
      closeSync(fd);
    }
  }
  return { ok: true, value: { disarm } };
}

/**
 * The file takes the trigger's last byte for its end whatever it is, so a text without a line break would lose a digit
 * (kernel: psi_write).
 */
function openTrigger(path: string, trigger: string): NativeResult<number> {
  let fd: number | undefined;
  try {
    if (!KERNEL_FILESYSTEMS.includes(statfsSync(path).type)) {
      return { ok: false, code: 'EOPNOTSUPP' };
    }
    const opened = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    fd = opened;
    writeSync(opened, `${trigger}\n`);
    return { ok: true, value: opened };
  } catch (error) {
    if (fd !== undefined) {
      closeSync(fd);
    }
    return { ok: false, code: errorCode(error) };
  }
}

/** A trigger whose file went away says POLLERR for ever; the one that fired has been seen by now and says nothing. */
function isDead(system: System, epoll: number): boolean {
  const event = Buffer.alloc(EVENT_BYTES);
  const count = system.epollWait(epoll, event, 1, 0);
  return count > 0 && (firstWord(event) & EPOLLERR) !== 0;
}

function eventFor(events: number): Uint8Array {
  const event = Buffer.alloc(EVENT_BYTES);
  if (endianness() === 'LE') {
    event.writeUInt32LE(events);
  } else {
    event.writeUInt32BE(events);
  }
  return event;
}

function firstWord(event: Buffer): number {
  return endianness() === 'LE' ? event.readUInt32LE() : event.readUInt32BE();
}
