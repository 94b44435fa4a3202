import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeFolder } from '../fakes/node-folder.ts';
import { argumentsFor, nodeWithPods } from '../fakes/node-with-pods.ts';
import { type BinaryOptions, type BinaryRun, nodeqos } from './binary.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: run --once of an unprivileged user (only root can run as another)');

let node: NodeFolder;
let before: Record<string, string>;
beforeEach(() => {
  node = nodeWithPods();
  chmodSync(node.root, 0o755);
  before = node.cgroups();
});
afterEach(() => {
  node.remove();
});

function run(options: BinaryOptions = {}, ...args: readonly string[]): BinaryRun {
  const all = [
    'run',
    '--once',
    '--listen',
    'none',
    '--audit-log',
    '/dev/null',
    ...argumentsFor(node),
    ...args,
  ];
  return nodeqos(all, options);
}

/** What it could not do but look at memory, which this node does not tell; without the time of a line. */
function troubles({ stderr }: BinaryRun): readonly string[] {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
  return lines
    .map((line) => line.replace(/^\S+ /, ''))
    .filter((line) => !line.startsWith('crit: statistics: '));
}

describe('run --once --enforce that can write no limit', () => {
  it('for want of the lock ends with 74', () => {
    node.write({ 'var/lib/nodeqos': 'a file and no folder' });
    const ended = run({}, '--enforce');
    expect(troubles(ended)[0]).toMatch(/^error: lock: .*; no limit is written without the lock$/);
    expect([ended.status, node.cgroups()]).toEqual([74, before]);
  });

  it('for want of a journal that can be trusted ends with 74', () => {
    node.write({ 'var/lib/nodeqos/journal.jsonl': 'junk\n' });
    const ended = run({}, '--enforce');
    expect(troubles(ended)).toEqual([expect.stringMatching(/^error: journal: .*; no limit is written$/)]);
    expect([ended.status, node.cgroups()]).toEqual([74, before]);
  });

  it('ends with 0 all the same where nothing is to be written, and in dry-run', () => {
    expect(nodeqos(['apply', ...argumentsFor(node)]).status).toBe(0);
    rmSync(node.state, { recursive: true });
    node.write({ 'var/lib/nodeqos': 'a file and no folder' });
    expect(run({}, '--enforce').status).toBe(0);
    node.writeCgroups(before);
    expect(run({}, '--dry-run').status).toBe(0);
  });

  it('ends with 0 where Memory QoS is not enabled', () => {
    node.write({
      'etc/nodeqos/nodeqos.yaml':
        'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nmemoryQos: {enabled: false}\n',
      'var/lib/nodeqos': 'a file and no folder',
    });
    expect(run({}, '--enforce').status).toBe(0);
  });
});

describe.skipIf(!isRoot)('run --once --enforce of an unprivileged user', () => {
  it('without permission for the state folder ends with 77', () => {
    const ended = run({ uid: NOBODY }, '--enforce');
    expect(troubles(ended)).toEqual([
      `error: lock: ${node.state}: permission denied; run nodeqos as root, or as the owner of the file; no limit is written without the lock`,
    ]);
    expect([ended.status, node.cgroups()]).toEqual([77, before]);
  });

  it('without permission for the journal ends with 77', () => {
    node.write({ 'var/lib/nodeqos/journal.jsonl': '' });
    chmodSync(join(node.state, 'journal.jsonl'), 0o600);
    chownSync(node.state, NOBODY, NOBODY);
    const ended = run({ uid: NOBODY }, '--enforce');
    expect(troubles(ended)[0]).toMatch(/^error: journal: .*permission denied.*; no limit is written$/);
    expect([ended.status, node.cgroups()]).toEqual([77, before]);
  });

  it('without permission for any limit ends with 77', () => {
    mkdirSync(node.state, { recursive: true });
    chownSync(node.state, NOBODY, NOBODY);
    const ended = run({ uid: NOBODY }, '--enforce');
    expect([ended.status, node.cgroups()]).toEqual([77, before]);
  });
});
