import type { KernelCase } from './result.ts';

export const NEGATIVE_CASES: readonly KernelCase[] = [];
