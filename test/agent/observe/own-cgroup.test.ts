import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownNamespaceRoot } from '../../../agent/observe/own-cgroup.ts';
import { diskTree } from '../../../cgroup/disk/disk-tree.ts';

const OWN = 'kubepods.slice/kubepods-pod1.slice/own.scope';

describe('the root of the cgroup namespace that nodeqos is in', () => {
  let folder = '';
  let mount = '';
  const rootIn = (namespace: string, mountPoint: string): string | undefined => {
    symlinkSync(namespace, join(folder, 'link'));
    return ownNamespaceRoot(diskTree(mount, 'cgroups'), mount, {
      namespaceLink: join(folder, 'link'),
      mountPoint,
    });
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-own-'));
    mount = join(folder, 'cgroup');
    for (const name of ['a.slice/b.slice', 'kubepods.slice/kubepods-pod1.slice/other.scope', OWN])
      mkdirSync(join(mount, name), { recursive: true });
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is found among all cgroups by its inode', () => {
    expect(rootIn('cgroup:[4026532500]', join(mount, OWN))).toBe(OWN);
  });

  it('is none in the namespace of the machine', () => {
    expect(rootIn('cgroup:[4026531835]', join(mount, OWN))).toBeUndefined();
  });

  it('is none where the mount is that root itself', () => {
    expect(rootIn('cgroup:[4026532500]', mount)).toBeUndefined();
  });

  it.each(['/proc', '/nowhere'])('is none where its own mount is not among them: %s', (mountPoint) => {
    expect(rootIn('cgroup:[4026532500]', mountPoint)).toBeUndefined();
  });
});
