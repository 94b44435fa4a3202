import type { KernelCase } from './result.ts';

export const SECOND_LOOK_CASES: readonly KernelCase[] = [];
