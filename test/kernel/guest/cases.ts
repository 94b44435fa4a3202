import { APPLY_CASES } from './apply-cases.ts';
import type { KernelCase } from './result.ts';

/** All that is tried on each kernel, in this order. */
export const KERNEL_CASES: readonly KernelCase[] = [...APPLY_CASES];
