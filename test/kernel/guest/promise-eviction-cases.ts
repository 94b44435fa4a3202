import type { KernelCase } from './result.ts';

export const PROMISE_EVICTION_CASES: readonly KernelCase[] = [];
