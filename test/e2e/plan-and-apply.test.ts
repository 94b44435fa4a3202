import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { BINARY, nodeqos } from './binary.ts';

let node: FixtureNode;
let inputs: readonly string[];
beforeEach(() => {
  node = new FixtureNode();
  inputs = ['--root', node.root, '--pods', node.path('pods.json')];
});
afterEach(() => {
  node.remove();
});

const checked = (): number | null => nodeqos(['plan', '--check', ...inputs]).status;

describe('plan, apply and reset, one after the other', () => {
  it('--check says no, then yes; a second apply and a second reset find nothing to do', () => {
    const before = node.cgroups();
    expect(checked()).toBe(1);
    expect(nodeqos(['apply', ...inputs]).stdout).toContain('18 written, 0 failed');
    expect(checked()).toBe(0);
    const applied = node.cgroups();
    expect(nodeqos(['apply', ...inputs]).stdout).toBe(
      '0 written, 0 failed, 0 vanished, 40 kept, 0 missing\n',
    );
    expect(node.cgroups()).toEqual(applied);
    for (const count of [18, 0]) {
      const { status, stdout } = nodeqos(['reset', '--root', node.root]);
      expect([status, stdout]).toEqual([0, expect.stringContaining(`${count} written, 0 failed`)]);
      expect(node.cgroups()).toEqual(before);
    }
    expect(checked()).toBe(1);
  });

  it('the script of plan -o sh writes what apply writes', () => {
    const script = nodeqos(['plan', '-o', 'sh', ...inputs]).stdout;
    const { status, stderr } = spawnSync('/bin/sh', [], { input: script, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(checked()).toBe(0);
  });

  it('two applies at once: each does its work or gives way with 75, and the tree is as planned', async () => {
    const ends = Array.from({ length: 4 }, () =>
      once(spawn(process.execPath, [BINARY, 'apply', ...inputs], { stdio: 'ignore' }), 'exit'),
    );
    const statuses = (await Promise.all(ends)).map(([status]: unknown[]) => status);
    expect(statuses).toContain(0);
    expect(statuses.filter((status) => status !== 0 && status !== 75)).toEqual([]);
    expect(checked()).toBe(0);
  });
});

describe('names that somebody made up to do harm', () => {
  it.each([
    ['a command', '$(touch OWNED)`touch OWNED`'],
    ['quotes', `'; touch OWNED; '"; touch OWNED; "`],
    ['line breaks', 'a\ntouch OWNED\n#'],
    ['escape sequences', '\u001b[2J\u001b]0;owned\u0007\u009b1m'],
    ['253 characters', 'x'.repeat(253)],
  ])('%s stay text in every format, and in the script', (_what, hostile) => {
    const name = hostile.replaceAll('OWNED', node.path('owned'));
    const uid = '5f0c1a10-0000-4000-8000-0000000000ee';
    const containers = [{ name, resources: { requests: { memory: '64Mi' }, limits: { memory: '1Gi' } } }];
    const metadata = { namespace: name, name, uid };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'mill-1', containers } };
    const args = ['--root', node.root, '--pods', node.write('hostile.json', JSON.stringify(pod))];
    for (const command of ['qos', 'plan', 'rank', 'status', 'apply']) {
      for (const form of ['table', 'yaml', 'json', ...(command === 'plan' ? ['diff', 'sh'] : [])]) {
        const { status, stdout, stderr } = nodeqos([command, ...args, '-o', form]);
        expect([status, stderr]).toEqual([
          0,
          expect.not.stringMatching(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/),
        ]);
        // YAML and JSON carry the name itself, escaped in their own way.
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
        if (form === 'sh') spawnSync('/bin/sh', [], { input: stdout });
      }
    }
    expect(existsSync(node.path('owned'))).toBe(false);
  });
});

describe('a fake node', () => {
  it('is planned for by the very file that it was built from, and by none at all', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-built-'));
    const metadata = { namespace: 'shop', name: 'web', uid: '5f0c1a10-0000-4000-8000-0000000000aa' };
    const containers = [
      { name: 'app', resources: { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } } },
    ];
    const pods = join(folder, 'pods.json');
    writeFileSync(pods, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } }));
    const root = join(folder, 'node');
    expect(nodeqos(['fake-tree', '--pods', pods, '--dir', root]).status).toBe(0);
    const plan = ['plan', '--root', root, '--throttling-factor', '0.9', '-o', 'diff'];
    const named = nodeqos([...plan, '--pods', pods]);
    expect(named.stdout).toMatch(
      /^--- kubepods\.slice\/.*\/cri-containerd-.*\n-memory\.high max\n\+memory\.high 993210368\n$/,
    );
    expect(nodeqos(plan)).toEqual(named);
    rmSync(folder, { recursive: true });
  });
});
