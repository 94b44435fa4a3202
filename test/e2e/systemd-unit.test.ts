import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FOLDER = 'systemd';
const DROP_INS = `${FOLDER}/drop-ins`;
const MOST_EXPOSED = 2;
const UNITS = ['nodeqos-apply.service', 'nodeqos.service'] as const;

const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const isMissing = analyze('--version').status !== 0;
if (isMissing) console.warn('skipped: systemd-analyze is not here; install systemd to test the units');

const textOf = (unit: string): string => readFileSync(`${FOLDER}/${unit}`, 'utf8');
/** The value of a setting that is made once. */
const settingOf = (unit: string, key: string): string | undefined =>
  new RegExp(`^${key}=(.*)$`, 'm').exec(textOf(unit))?.[1];

describe.skipIf(isMissing)('the units', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-unit-'));
    // The units name a program that is not installed where the tests run; a program that is there stands in for it.
    for (const unit of [...UNITS, 'nodeqos.slice'])
      writeFileSync(join(folder, unit), textOf(unit).replaceAll('/usr/bin/nodeqos', process.execPath));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([...UNITS, 'nodeqos.slice'])('%s is a unit that systemd understands', (unit) => {
    const { status, stderr } = analyze('verify', '--man=no', join(folder, unit));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(readdirSync(DROP_INS))('nodeqos.service is one with the drop-in %s too', (dropIn) => {
    const changed = mkdtempSync(join(tmpdir(), 'nodeqos-drop-in-'));
    cpSync(folder, changed, { recursive: true });
    mkdirSync(join(changed, 'nodeqos.service.d'));
    cpSync(join(DROP_INS, dropIn), join(changed, 'nodeqos.service.d', dropIn));
    const { status, stderr } = analyze('verify', '--man=no', join(changed, 'nodeqos.service'));
    rmSync(changed, { recursive: true, force: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(UNITS)(`%s has an exposure of at most ${MOST_EXPOSED}`, (unit) => {
    const said = analyze('security', '--offline=true', `${FOLDER}/${unit}`).stdout;
    const exposure = /exposure level for \S+: ([0-9.]+)/.exec(said);
    expect(Number(exposure?.[1])).toBeGreaterThan(0);
    expect(Number(exposure?.[1])).toBeLessThanOrEqual(MOST_EXPOSED);
  });
});

describe('what the units say', () => {
  it.each([
    ['nodeqos-apply.service', ['apply', 'apply', 'reset']],
    ['nodeqos.service', ['run']],
  ])('%s calls commands that are there', (unit, expected) => {
    const commands = [...textOf(unit).matchAll(/^Exec\w+=\/usr\/bin\/nodeqos (\w+)$/gm)];
    expect(commands.map(([, command]) => command)).toEqual(expected);
  });

  it('the slice grants the service all that it is to keep', () => {
    expect(settingOf('nodeqos.service', 'Slice')).toBe('nodeqos.slice');
    expect(settingOf('nodeqos.slice', 'MemoryMin')).toBe(settingOf('nodeqos.service', 'MemoryMin'));
  });

  it('the service may be given what it is allowed to have, and no more', () => {
    const given = settingOf('nodeqos.service', 'AmbientCapabilities');
    expect(given).toBe('CAP_DAC_OVERRIDE CAP_KILL CAP_SYS_RESOURCE');
    expect(settingOf('nodeqos.service', 'CapabilityBoundingSet')).toBe(given);
  });
});
