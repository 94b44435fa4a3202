import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

describe('memory pressure', () => {
  it.each<[string, string, FactsChange, string]>([
    ['PSI', 'psi', {}, 'ok: /proc/pressure/memory is read'],
    [
      'no file',
      'psi',
      { pressure: { memory: 'missing', built: undefined } },
      'missing: there is no proc/pressure/memory | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'a file that says that it is off',
      'psi',
      { pressure: { memory: { code: 'EOPNOTSUPP' }, built: undefined } },
      'missing: off | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'switched off at boot',
      'psi',
      { pressure: { memory: { code: 'EOPNOTSUPP' }, bootOption: '0' } },
      'missing: switched off at boot (psi=0) | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'switched off at boot by a word',
      'psi',
      { pressure: { memory: 'missing', bootOption: 'off' } },
      'missing: switched off at boot (psi=off) | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'switched off at boot by a no',
      'psi',
      { pressure: { memory: 'missing', bootOption: 'N' } },
      'missing: switched off at boot (psi=N) | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'an option that does not switch it off',
      'psi',
      { pressure: { memory: 'missing', bootOption: '10' } },
      'missing: there is no proc/pressure/memory | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'off by default',
      'psi',
      { pressure: { memory: { code: 'EOPNOTSUPP' }, built: 'off-by-default' } },
      'missing: off, as CONFIG_PSI_DEFAULT_DISABLED has it | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    [
      'not built',
      'psi',
      { pressure: { memory: 'missing', built: 'no' } },
      'missing: this kernel is built without CONFIG_PSI | pressure is not shown beside decisions, and wakes nobody | use a kernel that is built with CONFIG_PSI',
    ],
    [
      'a file that may not be read',
      'psi',
      { pressure: { memory: { code: 'EACCES' } } },
      'not-known: /proc/pressure/memory cannot be read (EACCES) | pressure is not shown beside decisions, and wakes nobody | run the doctor as a user who may read it',
    ],
    [
      'switched off at boot by a false',
      'psi',
      { pressure: { memory: 'missing', bootOption: 'false' } },
      'missing: switched off at boot (psi=false) | pressure is not shown beside decisions, and wakes nobody | boot with psi=1',
    ],
    ['a trigger of a second', 'psi-trigger', {}, 'ok: 150 ms of stall within 1 s wake the agent'],
    [
      'a trigger of two seconds',
      'psi-trigger',
      { pressure: { trigger: { windowSeconds: 2 } } },
      'ok: 150 ms of stall within 2 s wake the agent (1 s with CAP_SYS_RESOURCE)',
    ],
    [
      'a trigger without PSI',
      'psi-trigger',
      { pressure: { memory: 'missing', trigger: undefined } },
      'missing: there is no PSI to set one on | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | boot with psi=1',
    ],
    [
      'a trigger on PSI that is off',
      'psi-trigger',
      { pressure: { memory: { code: 'EOPNOTSUPP' }, trigger: undefined } },
      'missing: there is no PSI to set one on | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | boot with psi=1',
    ],
    [
      'a trigger that an older kernel refuses',
      'psi-trigger',
      { pressure: { trigger: { code: 'EINVAL' } } },
      'missing: the kernel refused one on /proc/pressure/memory (EINVAL) | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run nodeqos with CAP_SYS_RESOURCE, or use kernel 6.5 or newer',
    ],
    [
      'a trigger on a read-only file',
      'psi-trigger',
      { pressure: { trigger: { code: 'EROFS' } } },
      'missing: the kernel refused one on /proc/pressure/memory (EROFS) | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run nodeqos with CAP_SYS_RESOURCE; in a container, mount /proc of the host writable',
    ],
    [
      'a trigger that this user may not set',
      'psi-trigger',
      { pressure: { trigger: { code: 'EACCES' } } },
      'missing: the kernel refused one on /proc/pressure/memory (EACCES) | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run nodeqos with CAP_SYS_RESOURCE; in a container, mount /proc of the host writable',
    ],
    [
      'a trigger that is not permitted',
      'psi-trigger',
      { pressure: { trigger: { code: 'EPERM' } } },
      'missing: the kernel refused one on /proc/pressure/memory (EPERM) | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run nodeqos with CAP_SYS_RESOURCE; in a container, mount /proc of the host writable',
    ],
    [
      'a trigger that fails in another way',
      'psi-trigger',
      { pressure: { trigger: { code: 'ENOMEM' } } },
      'missing: the kernel refused one on /proc/pressure/memory (ENOMEM) | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | look into the log of the kernel; nodeqos goes on without it',
    ],
    [
      'a trigger without the native part',
      'psi-trigger',
      { pressure: { trigger: undefined }, own: { nativeLack: 'koffi is not there' } },
      'missing: not to be had without the native part | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | install the package of nodeqos, or the library koffi beside it',
    ],
    [
      'a trigger on a node elsewhere',
      'psi-trigger',
      {
        root: { kind: 'folder' },
        pressure: { trigger: undefined },
        own: { nativeLack: 'koffi is not there' },
      },
      'not-known: only the node itself tells | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run the doctor on the node',
    ],
    [
      'a trigger that nobody tried',
      'psi-trigger',
      { pressure: { trigger: undefined } },
      'not-known: only the node itself tells | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run the doctor on the node',
    ],
    [
      'a trigger on a file that may not be read',
      'psi-trigger',
      { pressure: { memory: { code: 'EACCES' }, trigger: undefined } },
      'not-known: only the node itself tells | memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then | run the doctor on the node',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
