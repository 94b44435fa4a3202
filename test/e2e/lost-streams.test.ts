import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { BINARY, nodeqos } from './binary.ts';

let node: FixtureNode;
beforeEach(() => {
  node = new FixtureNode();
});
afterEach(() => {
  node.remove();
});

/** Runs a command in bash, and gives the status of nodeqos itself, whatever it is piped into. */
function statusOf(command: string, redirection: string): number {
  const line = `"$NODE" "$BINARY" ${command} --root "$ROOT" ${redirection}; exit \${PIPESTATUS[0]}`;
  const env = { PATH: process.env['PATH'], NODE: process.execPath, BINARY, ROOT: node.root };
  return spawnSync('bash', ['-c', line], { env, encoding: 'utf8', timeout: 60_000 }).status ?? -1;
}

const toWrite = (): number | null => nodeqos(['plan', '--check', '--root', node.root]).status;

describe('output that nobody can read', () => {
  it.each(['2>&1 | true', '2>/dev/full >/dev/null', '>/dev/null 2>&-'])(
    'does not keep apply and reset from their work: %s',
    (redirection) => {
      expect(statusOf('apply', redirection)).toBe(0);
      expect(toWrite()).toBe(0);
      expect(statusOf('reset', redirection)).toBe(0);
      expect(toWrite()).toBe(1);
    },
  );

  it.each([
    ['plan --check', 1],
    ['plan --pods /nowhere', 66],
  ])('does not change the answer of %s', (command, status) => {
    expect(statusOf(command, '2>&1 | true')).toBe(status);
  });

  it.skipIf(!existsSync('/dev/full'))('is 74 and a sentence on a full disk, and the work is done', () => {
    expect(statusOf('apply', '> /dev/full')).toBe(74);
    expect(toWrite()).toBe(0);
    const run = spawnSync(
      'bash',
      ['-c', '"$0" "$1" plan --root "$2" > /dev/full', process.execPath, BINARY, node.root],
      {
        encoding: 'utf8',
      },
    );
    expect(run.status).toBe(74);
    expect(run.stderr).toMatch(/^nodeqos: the output could not be written \(ENOSPC\)[^\n]*$/m);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });
});
