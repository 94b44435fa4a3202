import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Machine } from './machine/boot.ts';
import { prepareSystemd } from './machine/systemd-prepare.ts';
import { systemdCases, systemdMachines } from './systemd/cases.ts';

const MEMORY_MIB = 1024;
/** A machine that hangs is switched off; one that is slow because others use the processors is not. */
const LONGEST_MS = 25 * 60_000;

/** A part of the names of the cases that are to be tried; all of them unless it is set. */
const WANTED = process.env['NODEQOS_KERNEL_CASES'] ?? '';

const cases = systemdCases(WANTED);
const prepared = cases.length === 0 ? { lack: 'none of its cases is wanted' } : await prepareSystemd(WANTED);
const isHere = !('lack' in prepared);
const mayBeSkipped = cases.length === 0 || process.env['CI'] !== 'true';
if (!isHere && mayBeSkipped) console.log(`skipped: the machine with systemd; ${prepared.lack}`);

describe.runIf(!isHere && !mayBeSkipped)('a machine with systemd', () => {
  it('can be built where nothing may be skipped', () => {
    expect(prepared).not.toHaveProperty('lack');
  });
});

/** They run beside each other, whichever is asked first. */
const machines = new Map<string, Machine>();

beforeAll(() => {
  if (!isHere) return;
  const { kernel, root, app } = prepared;
  const parts = { kernel: kernel.image, root, app, init: '/sbin/init' };
  for (const { name, cases: its } of systemdMachines(cases))
    machines.set(name, new Machine({ ...parts, memoryMib: MEMORY_MIB, cases: its, longestMs: LONGEST_MS }));
});

afterAll(() => {
  for (const machine of machines.values()) machine.off();
  if (isHere) rmSync(prepared.folder, { recursive: true, force: true });
});

describe.skipIf(!isHere).each(systemdMachines(cases))('in $name', ({ name: where, cases: its }) => {
  for (const name of its.keys())
    it(
      name,
      async () => {
        const machine = machines.get(where);
        if (machine === undefined) throw new Error('no machine was started for it');
        await machine.passed(name);
      },
      LONGEST_MS,
    );

  it(
    'all cases come to an end, and the machine switches itself off',
    async () => {
      // 1 is that of a machine in which a case failed, which is told by that case.
      expect([0, 1]).toContain(await machines.get(where)?.exitStatus());
    },
    LONGEST_MS,
  );
});
