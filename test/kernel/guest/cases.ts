import { APPLY_CASES } from './apply-cases.ts';
import { LIMIT_FILE_CASES } from './limit-file-cases.ts';
import { PROTECTION_CASES } from './protection-cases.ts';
import type { KernelCase } from './result.ts';

/** All that is tried on each kernel, in this order. */
export const KERNEL_CASES: readonly KernelCase[] = [...LIMIT_FILE_CASES, ...PROTECTION_CASES, ...APPLY_CASES];
