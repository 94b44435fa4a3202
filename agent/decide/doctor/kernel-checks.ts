import { humanBytes } from '../human.ts';
import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { DoctorFacts, KernelFacts } from './facts.ts';
import { isAtLeast, type KernelVersion, kernelVersion } from './kernel-version.ts';

const group = 'kernel' as const;
const RELEASE: Subject = { id: 'kernel-release', group, title: 'Kernel' };
const MEMORY: Subject = { id: 'memory-capacity', group, title: 'Memory' };
const PAGE_SIZE: Subject = { id: 'page-size', group, title: 'Page size' };
const SWAP: Subject = { id: 'swap', group, title: 'Swap' };
const PIDFD: Subject = { id: 'pidfd', group, title: 'pidfd' };

/** memory.high no longer holds a process back for ever (kernel b3ff92916af3; KEP-2570 asks for it). */
export const WITHOUT_LIVELOCK: KernelVersion = [5, 9];
/** The memory controller of cgroup v2 as nodeqos uses it: memory.events with oom_kill, the freezer (kernel, cgroup-v2). */
const OLDEST: KernelVersion = [5, 2];
/** Both are tried with each version of nodeqos (KERNELS.md). */
const TRIED: readonly KernelVersion[] = [
  [6, 1],
  [6, 12],
];

/** What the kernel is and has besides cgroups. */
export function kernelChecks({ kernel, own, root }: DoctorFacts): readonly DoctorCheck[] {
  return [
    releaseCheck(kernel),
    memoryCheck(kernel),
    pageSizeCheck(kernel),
    swapCheck(kernel),
    pidfdCheck(kernel, own.nativeLack !== undefined, root.kind === 'host'),
  ];
}

function releaseCheck({ release }: KernelFacts): DoctorCheck {
  const version = kernelVersion(release);
  if (release === undefined || version === undefined) {
    const found =
      release === undefined ? 'its release cannot be read' : `the release ${release} is no version`;
    return amiss(RELEASE, 'not-known', found, {
      consequence: 'what memory.high, memory.min and memory.low do depends on it',
      remedy: 'make /proc/sys/kernel/osrelease readable',
    });
  }
  if (!isAtLeast(version, OLDEST)) {
    return amiss(RELEASE, 'missing', `${release} is too old`, {
      consequence: 'cgroup v2 has no freezer and its memory controller is not what nodeqos goes by',
      remedy: 'use kernel 5.9 or newer; 6.1 or newer is better',
    });
  }
  if (!isAtLeast(version, WITHOUT_LIVELOCK)) {
    return amiss(RELEASE, 'warning', `${release} is older than 5.9`, {
      consequence: 'a process over memory.high can be held back for ever and never be ended',
      remedy: 'use kernel 5.9 or newer, or leave memoryThrottlingFactor unset',
    });
  }
  const isTried = TRIED.some(([major, minor]) => major === version[0] && minor === version[1]);
  const known = isTried
    ? 'memory.high, min and low were tried on this version'
    : 'memory.high, min and low were tried on 6.1 and 6.12';
  return fine(RELEASE, `${release}; ${known}`);
}

function memoryCheck({ memoryCapacityBytes }: KernelFacts): DoctorCheck {
  return memoryCapacityBytes === undefined
    ? amiss(MEMORY, 'missing', 'the capacity is not known: proc/meminfo has no MemTotal that can be read', {
        consequence:
          'memory.high of containers without a limit, and every threshold in percent, are made of it',
        remedy: 'give --memory-capacity Q or --node FILE, or make /proc/meminfo readable',
      })
    : fine(MEMORY, humanBytes(memoryCapacityBytes));
}

function pageSizeCheck({ pageSizeBytes }: KernelFacts): DoctorCheck {
  return pageSizeBytes === undefined
    ? amiss(PAGE_SIZE, 'not-known', '4096 bytes are assumed', {
        consequence:
          'the kernel keeps limits in whole pages, so a wrong size plans the same writes again and again',
        remedy: 'give --page-size N if the node has others (getconf PAGESIZE)',
      })
    : fine(PAGE_SIZE, `${pageSizeBytes} bytes`);
}

function swapCheck({ swapTotalBytes }: KernelFacts): DoctorCheck {
  if (swapTotalBytes === undefined) {
    return amiss(SWAP, 'not-known', 'proc/meminfo has no SwapTotal', {
      consequence:
        'without swap, memory.high can take nothing but page cache from a process, and holds it back instead',
      remedy: 'look at SwapTotal in /proc/meminfo on the node',
    });
  }
  return swapTotalBytes === 0n
    ? fine(SWAP, 'none: memory.high takes page cache, and holds back a process that has none')
    : fine(SWAP, `${humanBytes(swapTotalBytes)}: memory.high moves anonymous memory there`);
}

function pidfdCheck({ pidfd }: KernelFacts, hasNoNative: boolean, isHost: boolean): DoctorCheck {
  if (pidfd === 'works') return fine(PIDFD, 'pidfd_open works');
  const consequence = 'processes of a pod are signalled by PID, after a look at their frozen cgroup';
  if (pidfd !== undefined) {
    return amiss(PIDFD, 'missing', `pidfd_open is refused (${pidfd.code})`, {
      consequence,
      remedy: 'use kernel 5.3 or newer; in a container, let its seccomp profile pass pidfd_open',
    });
  }
  return hasNoNative && isHost
    ? amiss(PIDFD, 'missing', 'not to be had without the native part', {
        consequence,
        remedy: 'install the package of nodeqos, or the library koffi beside it',
      })
    : amiss(PIDFD, 'not-known', 'only the node itself tells', {
        consequence,
        remedy: 'run the doctor on the node',
      });
}
