import type { KernelCase } from './result.ts';

export const PRESSURE_CASES: readonly KernelCase[] = [];
