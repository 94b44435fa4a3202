import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { KernelCase } from './result.ts';

export const APPLY_CASES: readonly KernelCase[] = [
  {
    name: 'the shipped binary runs',
    run: (notes) => {
      notes(execFileSync('/bin/node', ['/app/nodeqos.mjs', '--version'], { encoding: 'utf8' }));
      assert.equal(1, 1);
    },
  },
];
