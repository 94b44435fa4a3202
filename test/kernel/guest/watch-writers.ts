import { Buffer } from 'node:buffer';
import { closeSync, readlinkSync, readSync } from 'node:fs';
import koffi from 'koffi';
import { MOUNT, sleep } from './machine.ts';

/** linux/fanotify.h: told when a file that was open for writing is closed, anywhere in a mount. */
const FAN_CLASS_NOTIF = 0;
const FAN_CLOEXEC = 0x1;
const FAN_NONBLOCK = 0x2;
const FAN_MARK_ADD = 0x1;
const FAN_MARK_MOUNT = 0x10;
const FAN_CLOSE_WRITE = 0x8;
const AT_FDCWD = -100;
/** struct fanotify_event_metadata: length, version, reserved, metadata length, mask, descriptor, PID. */
const EVENT_BYTES = 24;
const FD_OFFSET = 16;
const PID_OFFSET = 20;

/** The kernel queues an event before the file is closed; this is for who asks while something is on its way. */
const SETTLE_MS = 200;

/**
 * Which files of the cgroup mount somebody else had open for writing while something was done, whether it wrote or not
 * (fanotify(7)). A file that cannot be named is there as the code of the error.
 */
export async function openedForWriting(act: () => Promise<unknown>): Promise<readonly string[]> {
  const library = koffi.load(null);
  const start = library.func('int fanotify_init(unsigned int flags, unsigned int eventFlags)');
  const mark = library.func(
    'int fanotify_mark(int fd, unsigned int flags, uint64_t mask, int folder, const char *path)',
  );
  const fd = Number(start(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_CLOEXEC, 0));
  try {
    if (fd < 0 || mark(fd, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_CLOSE_WRITE, AT_FDCWD, MOUNT) !== 0)
      throw new Error(`the cgroup mount cannot be watched: error ${koffi.errno()}`);
    await act();
    await sleep(SETTLE_MS);
    return namesOf(fd);
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

function namesOf(fd: number): readonly string[] {
  const names: string[] = [];
  for (;;) {
    const event = Buffer.alloc(EVENT_BYTES);
    try {
      if (readSync(fd, event, 0, EVENT_BYTES, null) === 0) return names;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      if (code === 'EAGAIN') return names;
      names.push(code);
      continue;
    }
    const file = event.readInt32LE(FD_OFFSET);
    const path = readlinkSync(`/proc/self/fd/${file}`);
    closeSync(file);
    if (event.readInt32LE(PID_OFFSET) !== process.pid) names.push(path.slice(MOUNT.length + 1));
  }
}
