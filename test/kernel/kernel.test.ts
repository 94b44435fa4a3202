import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { casesOfKernel, kernelCases } from './guest/cases.ts';
import { Machine } from './machine/boot.ts';
import { prepare } from './machine/prepare.ts';

const MEMORY_MIB = 1792;
/** A machine that hangs is switched off; one that is slow because others use the processors is not. */
const LONGEST_MS = 25 * 60_000;

/** A part of the names of the cases that are to be tried; all of them unless it is set. */
const WANTED = process.env['NODEQOS_KERNEL_CASES'] ?? '';

/** A part of the releases of the kernels that are to be booted; all of them unless it is set. */
const RELEASES = new RegExp(process.env['NODEQOS_KERNEL_RELEASES'] ?? '');

const all = kernelCases(WANTED);
const prepared = await prepare(WANTED);
const isHere = !('lack' in prepared);
const booted = isHere ? prepared.kernels.filter(({ release }) => RELEASES.test(release)) : [];
const kernels = booted.map((kernel, number) => ({
  ...kernel,
  cases: casesOfKernel(all, number, booted.length),
}));
if (!isHere && process.env['CI'] !== 'true') console.log(`skipped: cases on real kernels; ${prepared.lack}`);

describe.runIf(!isHere && process.env['CI'] === 'true')('machines with real kernels', () => {
  it('can be built where nothing may be skipped', () => {
    expect(prepared).not.toHaveProperty('lack');
  });
});

/** One for each kernel, by its release. They run beside each other, whichever is asked first. */
const machines = new Map<string, Machine>();

beforeAll(() => {
  if (!isHere) return;
  const { root, app } = prepared;
  const parts = { root, app, init: '/init', memoryMib: MEMORY_MIB, longestMs: LONGEST_MS };
  for (const { image, release, cases } of kernels)
    if (cases.size > 0) machines.set(release, new Machine({ ...parts, cases, kernel: image }));
});

afterAll(() => {
  for (const machine of machines.values()) machine.off();
  if (isHere) rmSync(prepared.folder, { recursive: true, force: true });
});

/** Where nothing can be booted, all of them are told as skipped. */
const nowhere = [{ release: 'a real kernel', image: '', cases: casesOfKernel(all, 0, 1) }];

describe.skipIf(!isHere).each(isHere ? kernels.filter(({ cases }) => cases.size > 0) : nowhere)(
  'on Linux $release',
  ({ release, cases }) => {
    for (const name of cases.keys())
      it(
        name,
        async () => {
          const machine = machines.get(release);
          if (machine === undefined) throw new Error('no machine was started for it');
          await machine.passed(name);
        },
        LONGEST_MS,
      );

    it(
      'all cases come to an end, and the machine switches itself off',
      async () => {
        // 1 is that of a machine in which a case failed, which is told by that case.
        expect([0, 1]).toContain(await machines.get(release)?.exitStatus());
      },
      LONGEST_MS,
    );
  },
);
