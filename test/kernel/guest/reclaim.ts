import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { MOUNT } from './machine.ts';

const GENERATIONS = '/sys/kernel/mm/lru_gen/enabled';

/** Reclaims about so much from a cgroup and all below it; gives whether all of it was found. */
export function reclaimIn(cgroup: string, mib: number): boolean {
  try {
    writeFileSync(`${MOUNT}/${cgroup}/memory.reclaim`, `${mib}M`);
    return true;
  } catch {
    return false;
  }
}

/** Does something while the kernel keeps its pages in the classic two lists, if it can keep them otherwise at all. */
export async function withoutGenerations(act: () => Promise<void> | void): Promise<void> {
  const before = existsSync(GENERATIONS) ? readFileSync(GENERATIONS, 'utf8').trim() : undefined;
  if (before !== undefined) writeFileSync(GENERATIONS, '0');
  try {
    await act();
  } finally {
    if (before !== undefined) writeFileSync(GENERATIONS, before);
  }
}

/**
 * Reclaims all that is not protected from the whole machine, in small steps. Kernels with the multi-generational LRU heed no
 * protection when that is asked of the root, though they do when memory is short: it is off meanwhile.
 */
export async function reclaimAll(): Promise<void> {
  await withoutGenerations(() => {
    let vain = 0;
    for (let round = 0; round < 200 && vain < 3; round += 1) if (!reclaimIn('', 5)) vain += 1;
  });
}
