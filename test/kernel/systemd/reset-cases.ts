import type { KernelCase } from '../guest/result.ts';

export const RESET_CASES: readonly KernelCase[] = [];
