import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { NodeFolder } from '../fakes/node-folder.ts';
import { argumentsFor, nodeWithPods } from '../fakes/node-with-pods.ts';
import { BINARY } from './binary.ts';

const SAID =
  'nodeqos: the folder that it was started in was removed; it goes on in /, where relative paths begin now\n';

/** Runs nodeqos in a folder that is removed before it starts. */
function inRemovedFolder(node: NodeFolder, ...args: readonly string[]) {
  const script = 'mkdir "$ROOT/gone"; cd "$ROOT/gone"; rmdir "$ROOT/gone"; exec "$@"';
  const command = ['-ec', script, 'sh', process.execPath, BINARY, ...args];
  return spawnSync('sh', command, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ROOT: node.root },
  });
}

describe('started in a folder that was removed', () => {
  it('works with absolute paths, and says where relative ones begin', () => {
    const node = nodeWithPods();
    try {
      const before = node.cgroups();
      const applied = inRemovedFolder(node, 'apply', ...argumentsFor(node));
      expect([applied.status, applied.stderr.split('warning: ')[0]]).toEqual([0, SAID]);
      expect(node.cgroups()).not.toEqual(before);
      const reset = inRemovedFolder(node, 'reset', '--root', node.root);
      expect([reset.status, reset.stderr]).toEqual([0, SAID]);
      expect(node.cgroups()).toEqual(before);
      const lost = inRemovedFolder(node, 'plan', '--offline', '--pods', 'no-such-pods.yaml');
      expect(lost.status).toBe(66);
      expect(lost.stderr).toContain(SAID);
      expect(lost.stderr).not.toMatch(/^ +at /m);
    } finally {
      node.remove();
    }
  });
});
