import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { type BinaryRun, nodeqos } from './binary.ts';

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65534;

interface Report {
  readonly checks: readonly { readonly id: string; readonly state: string; readonly found: string }[];
  readonly works: readonly { readonly id: string; readonly works: string; readonly because: string }[];
}

function told({ stdout }: BinaryRun, id: string): string {
  const { checks, works } = JSON.parse(stdout) as Report;
  const check = checks.find((one) => one.id === id);
  const work = works.find((one) => one.id === id);
  return check === undefined ? `${work?.works}: ${work?.because}` : `${check.state}: ${check.found}`;
}

describe('doctor of the shipped binary', () => {
  let node: FixtureNode;

  beforeEach(() => {
    node = new FixtureNode();
  });
  afterEach(() => {
    node.remove();
  });

  it('leaves no trace on a node', () => {
    const before = node.traces();
    const run = nodeqos(['doctor', '--root', node.root]);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(node.traces()).toEqual(before);
  });

  it('finds the lock of an agent, and what it has written', () => {
    const pods = ['--root', node.root, '--pods', node.path('pods.json')];
    expect(nodeqos(['run', ...pods, '--enforce', '--once']).status).toBe(0);
    const run = nodeqos(['doctor', '--root', node.root, '-o', 'json']);
    expect(told(run, 'values-of-others')).toMatch(/^ok: none; \d+ are nodeqos' own$/);
  });

  it.skipIf(!IS_ROOT)('needs no privileges, and says what it may not see and do', () => {
    nodeqos(['apply', '--root', node.root, '--pods', node.path('pods.json')]);
    const run = nodeqos(['doctor', '--root', node.root, '-o', 'json'], { uid: NOBODY });
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(told(run, 'state-folder')).toBe(`warning: ${node.state} may not be written (EACCES)`);
    expect(told(run, 'values-of-others')).toMatch(/^not-known: kubepods\.slice.*permission denied/);
    expect(told(run, 'lock')).toBe('not-known: it cannot be read');
    expect(told(run, 'memory-qos-writes')).toBe(
      'no: this user may not write limits (EACCES); another one may, such as root',
    );
  });

  it.skipIf(!IS_ROOT)('looks at this machine as nobody, all of it', () => {
    const run = nodeqos(['doctor', '-o', 'json'], { uid: NOBODY });
    expect([0, 69]).toContain(run.status);
    expect(told(run, 'user')).toBe('warning: user 65534, without CAP_DAC_OVERRIDE and CAP_KILL');
    expect(run.stdout.endsWith('}\n')).toBe(true);
  });
});
