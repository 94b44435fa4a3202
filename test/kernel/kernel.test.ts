import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kernelCases } from './guest/cases.ts';
import { Machine } from './machine/boot.ts';
import { prepare } from './machine/prepare.ts';

const MEMORY_MIB = 1024;
/** A machine that hangs is switched off; one that is slow because others use the processors is not. */
const LONGEST_MS = 25 * 60_000;

/** A part of the names of the cases that are to be tried; all of them unless it is set. */
const WANTED = process.env['NODEQOS_KERNEL_CASES'] ?? '';

const prepared = await prepare(WANTED);
const cases = kernelCases(WANTED).map(({ name }) => name);
const isHere = !('lack' in prepared);
if (!isHere && process.env['CI'] !== 'true') console.log(`skipped: cases on real kernels; ${prepared.lack}`);

describe.runIf(!isHere && process.env['CI'] === 'true')('machines with real kernels', () => {
  it('can be built where nothing may be skipped', () => {
    expect(prepared).not.toHaveProperty('lack');
  });
});

describe.skipIf(!isHere).each(isHere ? prepared.kernels : [{ release: 'a real kernel', image: '' }])(
  'on Linux $release',
  ({ image }) => {
    let machine: Machine | undefined;

    beforeAll(() => {
      if (!isHere) return;
      const { root, app } = prepared;
      machine = new Machine({
        kernel: image,
        root,
        app,
        init: '/init',
        memoryMib: MEMORY_MIB,
        cases,
        longestMs: LONGEST_MS,
      });
    });

    afterAll(() => {
      machine?.off();
    });

    for (const name of cases)
      it(
        name,
        async () => {
          const result = await machine?.result(name);
          for (const note of result?.notes ?? []) console.log(`  ${note}`);
          if (result?.passed !== true) throw new Error(result?.error ?? 'no result');
        },
        LONGEST_MS,
      );

    it(
      'all cases come to an end, and the machine switches itself off',
      async () => {
        expect(await machine?.exitStatus()).toBe(0);
      },
      LONGEST_MS,
    );
  },
);

afterAll(() => {
  if (isHere) rmSync(prepared.folder, { recursive: true, force: true });
});
