import type { MemoryUsage } from './memory-usage.ts';

/** Every key of memory.stat on a 6.1 kernel, in its order. */
const KEYS = [
  ...['anon', 'file', 'kernel', 'kernel_stack', 'pagetables', 'sec_pagetables', 'percpu', 'sock', 'vmalloc'],
  ...['shmem', 'zswap', 'zswapped', 'file_mapped', 'file_dirty', 'file_writeback', 'swapcached', 'anon_thp'],
  ...['file_thp', 'shmem_thp', 'inactive_anon', 'active_anon', 'inactive_file', 'active_file', 'unevictable'],
  ...['slab_reclaimable', 'slab_unreclaimable', 'slab', 'workingset_refault_anon', 'workingset_refault_file'],
  ...['workingset_activate_anon', 'workingset_activate_file', 'workingset_restore_anon'],
  ...['workingset_restore_file', 'workingset_nodereclaim', 'pgscan', 'pgsteal', 'pgscan_kswapd'],
  ...['pgscan_direct', 'pgsteal_kswapd', 'pgsteal_direct', 'pgfault', 'pgmajfault', 'pgrefill', 'pgactivate'],
  ...['pgdeactivate', 'pglazyfree', 'pglazyfreed', 'zswpin', 'zswpout', 'thp_fault_alloc'],
  'thp_collapse_alloc',
] as const;

const PAGE_BYTES = 4096n;

/** memory.stat of a cgroup with this usage: all keys of Linux 6.1 in the kernel's order, amounts in bytes. */
export function memoryStatText(usage: MemoryUsage): string {
  const { anonBytes, fileBytes, inactiveFileBytes } = usage;
  const kernel = usage.currentBytes - anonBytes - fileBytes;
  const reclaimable = kernel / 2n;
  const unreclaimable = kernel / 8n;
  const stacks = wholeQuarter(kernel);
  const values = new Map<string, bigint>([
    ['anon', anonBytes],
    ['file', fileBytes],
    ['kernel', kernel],
    ['kernel_stack', stacks],
    ['pagetables', stacks],
    ['file_mapped', wholeQuarter(fileBytes)],
    ['inactive_anon', anonBytes],
    ['inactive_file', inactiveFileBytes],
    ['active_file', fileBytes - inactiveFileBytes],
    ['slab_reclaimable', reclaimable],
    ['slab_unreclaimable', unreclaimable],
    ['slab', reclaimable + unreclaimable],
    ['pgfault', (anonBytes / PAGE_BYTES) * 3n],
    ['pgmajfault', fileBytes / (PAGE_BYTES * 64n)],
  ]);
  return KEYS.map((key) => `${key} ${values.get(key) ?? 0n}\n`).join('');
}

function wholeQuarter(bytes: bigint): bigint {
  const share = bytes / 4n;
  return share - (share % PAGE_BYTES);
}
