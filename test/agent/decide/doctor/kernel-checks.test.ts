import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

describe('the kernel and the machine', () => {
  it.each<[string, string, FactsChange, string]>([
    [
      'a kernel that was tried',
      'kernel-release',
      { kernel: { release: '6.12.95+deb12-cloud-amd64' } },
      'ok: 6.12.95+deb12-cloud-amd64; memory.high, min and low were tried on this version',
    ],
    [
      'another one of the same major version',
      'kernel-release',
      { kernel: { release: '6.2.1' } },
      'ok: 6.2.1; memory.high, min and low were tried on 6.1 and 6.12',
    ],
    [
      'a newer major version with a tried minor one',
      'kernel-release',
      { kernel: { release: '7.1.0' } },
      'ok: 7.1.0; memory.high, min and low were tried on 6.1 and 6.12',
    ],
    [
      'the oldest without the livelock',
      'kernel-release',
      { kernel: { release: '5.9.0' } },
      'ok: 5.9.0; memory.high, min and low were tried on 6.1 and 6.12',
    ],
    [
      'one with the livelock',
      'kernel-release',
      { kernel: { release: '5.8.18' } },
      'warning: 5.8.18 is older than 5.9 | a process over memory.high can be held back for ever and never be ended | use kernel 5.9 or newer, or leave memoryThrottlingFactor unset',
    ],
    [
      'the oldest that will do',
      'kernel-release',
      { kernel: { release: '5.2.0' } },
      'warning: 5.2.0 is older than 5.9 | a process over memory.high can be held back for ever and never be ended | use kernel 5.9 or newer, or leave memoryThrottlingFactor unset',
    ],
    [
      'one that is too old',
      'kernel-release',
      { kernel: { release: '5.1.21' } },
      'missing: 5.1.21 is too old | cgroup v2 has no freezer and its memory controller is not what nodeqos goes by | use kernel 5.9 or newer; 6.1 or newer is better',
    ],
    [
      'one of the last century',
      'kernel-release',
      { kernel: { release: '4.19.0-27' } },
      'missing: 4.19.0-27 is too old | cgroup v2 has no freezer and its memory controller is not what nodeqos goes by | use kernel 5.9 or newer; 6.1 or newer is better',
    ],
    [
      'a release that is none',
      'kernel-release',
      { kernel: { release: 'gvisor' } },
      'not-known: the release gvisor is no version | what memory.high, memory.min and memory.low do depends on it | make /proc/sys/kernel/osrelease readable',
    ],
    [
      'no release',
      'kernel-release',
      { kernel: { release: undefined } },
      'not-known: its release cannot be read | what memory.high, memory.min and memory.low do depends on it | make /proc/sys/kernel/osrelease readable',
    ],
    ['memory', 'memory-capacity', {}, 'ok: 16Gi'],
    [
      'memory of unknown size',
      'memory-capacity',
      { kernel: { memoryCapacityBytes: undefined } },
      'missing: the capacity is not known: proc/meminfo has no MemTotal that can be read | memory.high of containers without a limit, and every threshold in percent, are made of it | give --memory-capacity Q or --node FILE, or make /proc/meminfo readable',
    ],
    ['large pages', 'page-size', { kernel: { pageSizeBytes: 65536 } }, 'ok: 65536 bytes'],
    [
      'pages of unknown size',
      'page-size',
      { kernel: { pageSizeBytes: undefined } },
      'not-known: 4096 bytes are assumed | the kernel keeps limits in whole pages, so a wrong size plans the same writes again and again | give --page-size N if the node has others (getconf PAGESIZE)',
    ],
    ['no swap', 'swap', {}, 'ok: none: memory.high takes page cache, and holds back a process that has none'],
    [
      'swap',
      'swap',
      { kernel: { swapTotalBytes: 2147483648n } },
      'ok: 2Gi: memory.high moves anonymous memory there',
    ],
    [
      'swap of unknown size',
      'swap',
      { kernel: { swapTotalBytes: undefined } },
      'not-known: proc/meminfo has no SwapTotal | without swap, memory.high can take nothing but page cache from a process, and holds it back instead | look at SwapTotal in /proc/meminfo on the node',
    ],
    ['pidfds', 'pidfd', {}, 'ok: pidfd_open works'],
    [
      'pidfds that are refused',
      'pidfd',
      { kernel: { pidfd: { code: 'ENOSYS' } } },
      'missing: pidfd_open is refused (ENOSYS) | processes of a pod are signalled by PID, after a look at their frozen cgroup | use kernel 5.3 or newer; in a container, let its seccomp profile pass pidfd_open',
    ],
    [
      'pidfds without the native part',
      'pidfd',
      { kernel: { pidfd: undefined }, own: { nativeLack: 'koffi is not there' } },
      'missing: not to be had without the native part | processes of a pod are signalled by PID, after a look at their frozen cgroup | install the package of nodeqos, or the library koffi beside it',
    ],
    [
      'pidfds of a node elsewhere',
      'pidfd',
      { root: { kind: 'capture' }, kernel: { pidfd: undefined }, own: { nativeLack: 'koffi is not there' } },
      'not-known: only the node itself tells | processes of a pod are signalled by PID, after a look at their frozen cgroup | run the doctor on the node',
    ],
    [
      'pidfds that nobody tried',
      'pidfd',
      { kernel: { pidfd: undefined } },
      'not-known: only the node itself tells | processes of a pod are signalled by PID, after a look at their frozen cgroup | run the doctor on the node',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
