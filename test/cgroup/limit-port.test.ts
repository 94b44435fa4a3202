import { describe, expect, it } from 'vitest';
import { isCgroupPath, isMemoryFile } from '../../cgroup/limit-port.ts';

describe('what may be written', () => {
  it.each(['kubepods', 'kubepods.slice/kubepods-pod1.slice/a.scope', 'a/..b', 'a/.b', 'a/b..', ' '])(
    'is a cgroup below the mount: %j',
    (cgroup) => {
      expect(isCgroupPath(cgroup)).toBe(true);
    },
  );

  it.each(['', '/', '/a', 'a/', 'a//b', '.', './a', 'a/.', '..', 'a/..', 'a/../b', '../a', 'a\0', '\0/a'])(
    'is not: %j',
    (cgroup) => {
      expect(isCgroupPath(cgroup)).toBe(false);
    },
  );

  it.each(['memory.min', 'memory.low', 'memory.high'])('is its file %s', (file) => {
    expect(isMemoryFile(file)).toBe(true);
  });

  it.each(['memory.max', 'memory.swap.max', 'cgroup.procs', 'memory.min\n', '', undefined, null, 1])(
    'is no other file: %j',
    (file) => {
      expect(isMemoryFile(file)).toBe(false);
    },
  );
});
