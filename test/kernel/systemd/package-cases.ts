import type { KernelCase } from '../guest/result.ts';

export const PACKAGE_CASES: readonly KernelCase[] = [];
