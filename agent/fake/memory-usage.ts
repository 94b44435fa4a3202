/** What a cgroup uses, all in bytes; `current` also holds what is neither anonymous nor file: kernel memory. */
export interface MemoryUsage {
  readonly currentBytes: bigint;
  readonly anonBytes: bigint;
  readonly fileBytes: bigint;
  readonly inactiveFileBytes: bigint;
}

export const NO_USAGE: MemoryUsage = {
  currentBytes: 0n,
  anonBytes: 0n,
  fileBytes: 0n,
  inactiveFileBytes: 0n,
};

const PAGE_BYTES = 4096n;
const MIB = 1024n * 1024n;

/** Both together, as a parent's counters hold its children's. */
export function addUsage(a: MemoryUsage, b: MemoryUsage): MemoryUsage {
  return {
    currentBytes: a.currentBytes + b.currentBytes,
    anonBytes: a.anonBytes + b.anonBytes,
    fileBytes: a.fileBytes + b.fileBytes,
    inactiveFileBytes: a.inactiveFileBytes + b.inactiveFileBytes,
  };
}

/** A usage whose parts are whole pages, as the kernel counts them. */
export function usageOf(anonBytes: bigint, fileBytes: bigint, kernelBytes: bigint): MemoryUsage {
  const anon = wholePages(anonBytes);
  const file = wholePages(fileBytes);
  return {
    currentBytes: anon + file + wholePages(kernelBytes),
    anonBytes: anon,
    fileBytes: file,
    inactiveFileBytes: wholePages((file * 6n) / 10n),
  };
}

/**
 * What a container might use: a share of its request that `lot` (0 to 99) draws, at most nine tenths of its limit, and a
 * few dozen MiB where it requests nothing.
 */
export function plausibleUsage(requestBytes: bigint, limitBytes: bigint | null, lot: bigint): MemoryUsage {
  const wanted = requestBytes > 0n ? (requestBytes * (40n + (lot * 7n) / 10n)) / 100n : (24n + lot) * MIB;
  const cap = limitBytes === null ? wanted : (limitBytes * 9n) / 10n;
  const total = wanted < cap ? wanted : cap;
  return usageOf((total * 68n) / 100n, (total * 28n) / 100n, (total * 4n) / 100n);
}

/** The largest number of whole pages that fits in. */
export function wholePages(bytes: bigint): bigint {
  return bytes - (bytes % PAGE_BYTES);
}
