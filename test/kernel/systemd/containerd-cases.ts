import type { KernelCase } from '../guest/result.ts';

export const CONTAINERD_CASES: readonly KernelCase[] = [];
