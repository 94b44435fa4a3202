/** The memory files that Memory QoS owns. memory.max is never among them: nodeqos does not write it. */
export type MemoryFile = 'memory.min' | 'memory.low' | 'memory.high';

/** In the order in which a person reads them, and in which they are written within one cgroup. */
export const MEMORY_FILES: readonly MemoryFile[] = ['memory.min', 'memory.low', 'memory.high'];

/** The content of a limit file: bytes, or no limit. There is no -1 and no 0 that means unset. */
export type Limit = bigint | 'max';

const LONG_MAX = 9223372036854775807n;
const LINE_FEED = 10;
const DIGIT_ZERO = 48;

/** What a new cgroup has (kernel, cgroup-v2: no protection, no limit). */
export function kernelDefault(file: MemoryFile): Limit {
  return file === 'memory.high' ? 'max' : 0n;
}

/**
 * Reads a limit file as the kernel prints it: decimal digits or `max`, and at most one line feed. Anything else, an empty
 * text too, is undefined: not known, never 0.
 */
export function parseLimit(text: string): Limit | undefined {
  const end = text.charCodeAt(text.length - 1) === LINE_FEED ? text.length - 1 : text.length;
  // Values of up to 15 digits are exact as doubles, and most values are.
  if (end <= 15) {
    return parseShortLimit(text, end);
  }
  const digits = text.slice(0, end);
  return /^[0-9]+$/.test(digits) ? BigInt(digits) : undefined;
}

function parseShortLimit(text: string, end: number): Limit | undefined {
  if (end === 0) {
    return undefined;
  }
  let value = 0;
  for (let index = 0; index < end; index += 1) {
    const digit = text.charCodeAt(index) - DIGIT_ZERO;
    if (digit < 0 || digit > 9) {
      return end === 3 && text.startsWith('max') ? 'max' : undefined;
    }
    value = value * 10 + digit;
  }
  return BigInt(value);
}

/** The text to write for a limit: decimal digits without sign, padding or suffix, or `max`. */
export function formatLimit(limit: Limit): string {
  return limit === 'max' ? 'max' : limit.toString();
}

/** Bytes rounded down to whole pages, as the kernel keeps them. */
export function floorToPage(bytes: bigint, pageSizeBytes: number): bigint {
  const page = BigInt(pageSizeBytes);
  return bytes - (bytes % page);
}

/** The greatest byte value below `max`: at this value and above, the kernel reads back `max` (PAGE_COUNTER_MAX). */
export function greatestLimitBytes(pageSizeBytes: number): bigint {
  return floorToPage(LONG_MAX, pageSizeBytes);
}

/**
 * What the kernel reads back after `bytes` were written: whole pages, and `max` from PAGE_COUNTER_MAX on. Desired values
 * go through this, or a plan would find the same difference for ever.
 */
export function asTheKernelKeeps(bytes: bigint, pageSizeBytes: number): Limit {
  const floored = floorToPage(bytes, pageSizeBytes);
  return floored >= greatestLimitBytes(pageSizeBytes) ? 'max' : floored;
}

/** Orders limits by size, `max` last. */
export function compareLimits(a: Limit, b: Limit): -1 | 0 | 1 {
  if (a === b) {
    return 0;
  }
  if (a === 'max') {
    return 1;
  }
  return b === 'max' || a < b ? -1 : 1;
}
