import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { MOUNT } from '../guest/machine.ts';
import type { Notes } from '../guest/result.ts';
import { systemctl } from './commands.ts';
import { memoryMib, OWN_CGROUP, type Service, SLICE } from './service.ts';
import { crossThreshold, hogIn, nearThreshold } from './service-shortage.ts';

/** More than the machine has. */
const ALL_MEMORY_MIB = 2048;
const RECLAIMS = 3;

function oomKills(): number {
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1]);
}

/** A shortage that the kernel has to end, since nobody is evicted in it. */
export async function outlivesTheOomKiller(service: Service, notes: Notes): Promise<void> {
  const leak = service.add({ name: 'leak', class: 'BestEffort' });
  const batch = service.add({ name: 'batch', class: 'BestEffort', graceSeconds: 5 });
  await service.enforce();
  const pid = await service.pid();
  const { NRestarts } = await service.show('NRestarts');
  const kills = oomKills();
  const leaking = await hogIn(leak.container, 1);
  leaking.order(ALL_MEMORY_MIB);
  await leaking.ended();
  assert.equal(leaking.endedBy, 'SIGKILL');
  notes(`killed by the kernel: ${oomKills() - kills}`);
  assert.ok(oomKills() > kills, 'the kernel had to kill');
  assert.equal(await service.pid(), pid, 'it is another process');
  assert.deepEqual(await service.show('NRestarts'), { NRestarts });
  // It is as good as before: the next shortage it ends itself.
  const taken = await hogIn(batch.container, 16);
  await nearThreshold(service, { mode: 'enforce' });
  await crossThreshold(service, taken);
  const [eviction] = await service.recorded('eviction');
  assert.equal(eviction?.['outcome'], 'gone', String(eviction?.['why']));
  assert.equal(eviction['name'], 'batch');
  assert.equal(await service.pid(), pid);
}

/** The pages of its program are page cache, which every shortage takes first unless the slice keeps them. */
export async function keepsItsPages(service: Service, notes: Notes): Promise<void> {
  // What was read to install the program, or by an agent before, is to be charged to this one.
  writeFileSync('/proc/sys/vm/drop_caches', '1');
  await service.takeConfiguration();
  const beforeMib = memoryMib(OWN_CGROUP, 'file');
  reclaimAll();
  const keptMib = memoryMib(OWN_CGROUP, 'file');
  try {
    await systemctl('set-property', '--runtime', SLICE, 'MemoryMin=0');
    reclaimAll();
  } finally {
    await systemctl('revert', SLICE);
  }
  const leftMib = memoryMib(OWN_CGROUP, 'file');
  const figures = [beforeMib, keptMib, leftMib].map((mib) => mib.toFixed(1));
  notes(
    `page cache of the service in MiB: ${figures[0]}, after reclaim ${figures[1]}, unprotected ${figures[2]}`,
  );
  assert.ok(keptMib >= beforeMib * 0.9, 'it was taken although the slice keeps it');
  assert.ok(leftMib < beforeMib * 0.7, 'it would not have been taken anyway, so this shows nothing');
}

/** Reclaim of the whole machine, which heeds protection as a shortage does (on Linux 6.1). */
function reclaimAll(): void {
  for (let round = 0; round < RECLAIMS; round += 1) {
    try {
      writeFileSync(`${MOUNT}/memory.reclaim`, `${ALL_MEMORY_MIB}M`, { flag: 'r+' });
    } catch (error) {
      // There is less than that, which is said when all that may be taken is taken.
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
    }
  }
}
