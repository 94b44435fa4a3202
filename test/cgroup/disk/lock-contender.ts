// A process of its own that takes the lock again and again, notes when it is in and out, and leaves it behind by dying at times.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { takeLock } from '../../../cgroup/disk/lock-file.ts';
import { lockPath } from '../../../cgroup/disk/lock-holder.ts';

const [, , state = '', log = ''] = process.argv;

for (let round = 0; round < 60; round += 1) {
  const lock = takeLock(state, 'contend', Date.now());
  if (lock.kind === 'held') {
    appendFileSync(log, `in ${process.pid} ${round}\n`);
    appendFileSync(log, `out ${process.pid} ${round}\n`);
    if (round % 2 === 0) {
      lock.release();
    } else {
      // As if its holder were gone: the next one has to take over.
      const holder = JSON.parse(readFileSync(lockPath(state), 'utf8')) as Record<string, unknown>;
      writeFileSync(lockPath(state), JSON.stringify({ ...holder, startTime: '0' }));
    }
  }
}
