import type { KernelCase } from '../guest/result.ts';

export const WRITER_CASES: readonly KernelCase[] = [];
