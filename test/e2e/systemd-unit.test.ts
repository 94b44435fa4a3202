import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const UNIT = 'systemd/nodeqos-apply.service';
const MOST_EXPOSED = 2;

const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const isMissing = analyze('--version').status !== 0;
if (isMissing) console.warn('skipped: systemd-analyze is not here; install systemd to test the unit');

describe.skipIf(isMissing)('nodeqos-apply.service', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-unit-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is a unit that systemd understands', () => {
    // The unit names a program that is not installed where the tests run; a program that is there stands in for it.
    const unit = join(folder, 'nodeqos-apply.service');
    writeFileSync(unit, readFileSync(UNIT, 'utf8').replaceAll('/usr/bin/nodeqos', process.execPath));
    const { status, stderr } = analyze('verify', '--man=no', unit);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it(`has an exposure of at most ${MOST_EXPOSED}`, () => {
    const exposure = /exposure level for \S+: ([0-9.]+)/.exec(
      analyze('security', '--offline=true', UNIT).stdout,
    );
    expect(Number(exposure?.[1])).toBeGreaterThan(0);
    expect(Number(exposure?.[1])).toBeLessThanOrEqual(MOST_EXPOSED);
  });

  it('calls commands that are there', () => {
    const commands = [...readFileSync(UNIT, 'utf8').matchAll(/^Exec\w+=\/usr\/bin\/nodeqos (\w+)$/gm)];
    expect(commands.map(([, command]) => command)).toEqual(['apply', 'apply', 'reset']);
  });
});
