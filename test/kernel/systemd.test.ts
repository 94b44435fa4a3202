import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine } from './machine/boot.ts';
import { prepareSystemd } from './machine/systemd-prepare.ts';
import { systemdCases } from './systemd/cases.ts';

const MEMORY_MIB = 1024;
/** A machine that hangs is switched off; one that is slow because others use the processors is not. */
const LONGEST_MS = 25 * 60_000;

/** A part of the names of the cases that are to be tried; all of them unless it is set. */
const WANTED = process.env['NODEQOS_KERNEL_CASES'] ?? '';

const cases = systemdCases(WANTED).map(({ name }) => name);
const prepared = cases.length === 0 ? { lack: 'none of its cases is wanted' } : await prepareSystemd(WANTED);
const isHere = !('lack' in prepared);
const mayBeSkipped = cases.length === 0 || process.env['CI'] !== 'true';
if (!isHere && mayBeSkipped) console.log(`skipped: the machine with systemd; ${prepared.lack}`);

describe.runIf(!isHere && !mayBeSkipped)('a machine with systemd', () => {
  it('can be built where nothing may be skipped', () => {
    expect(prepared).not.toHaveProperty('lack');
  });
});

describe.skipIf(!isHere)('in a machine with systemd', () => {
  let machine: Machine | undefined;

  beforeAll(() => {
    if (!isHere) return;
    const { kernel, root, app } = prepared;
    machine = new Machine({
      kernel: kernel.image,
      root,
      app,
      init: '/sbin/init',
      memoryMib: MEMORY_MIB,
      cases: new Map(cases.map((name, place) => [name, place])),
      longestMs: LONGEST_MS,
    });
  });

  afterAll(() => {
    machine?.off();
    if (isHere) rmSync(prepared.folder, { recursive: true, force: true });
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
});
