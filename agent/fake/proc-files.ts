import { uuidOf } from './identities.ts';
import type { MemoryUsage } from './memory-usage.ts';

/** What /proc of a fake node is made from. */
export interface FakeMachine {
  readonly memoryCapacityBytes: bigint;
  readonly kernelRelease: string;
  /** Of the root cgroup. */
  readonly usage: MemoryUsage;
  readonly tasks: number;
}

/** Files below proc/ that nodeqos reads, as Linux 6.1 on a machine with systemd prints them. */
export function procFiles(machine: FakeMachine): ReadonlyMap<string, string> {
  const { kernelRelease, tasks } = machine;
  return new Map([
    ['loadavg', `0.42 0.38 0.35 2/${tasks} ${tasks + 4000}\n`],
    ['meminfo', meminfo(machine)],
    ['mounts', MOUNTS],
    ['pressure/memory', pressure(machine)],
    ['sys/kernel/osrelease', `${kernelRelease}\n`],
    ['sys/kernel/pid_max', '4194304\n'],
    ['sys/kernel/random/boot_id', `${uuidOf('the one boot of a fake node')}\n`],
    ['sys/kernel/threads-max', '127246\n'],
    ['version', `Linux version ${kernelRelease} (a fake node of nodeqos) #1 SMP\n`],
  ]);
}

const MOUNTS = [
  'sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0',
  'proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0',
  'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate,memory_recursiveprot 0 0',
  '',
].join('\n');

function meminfo(machine: FakeMachine): string {
  const { usage } = machine;
  const total = machine.memoryCapacityBytes;
  const free = total > usage.currentBytes ? total - usage.currentBytes : 0n;
  const kernel = usage.currentBytes - usage.anonBytes - usage.fileBytes;
  const lines: readonly (readonly [string, bigint])[] = [
    ['MemTotal', total],
    ['MemFree', free],
    // The kernel counts page cache as available but for a low watermark's worth of it.
    ['MemAvailable', free + (usage.fileBytes * 9n) / 10n],
    ['Buffers', 0n],
    ['Cached', usage.fileBytes],
    ['SwapCached', 0n],
    ['Active', usage.fileBytes - usage.inactiveFileBytes],
    ['Inactive', usage.anonBytes + usage.inactiveFileBytes],
    ['Active(anon)', 0n],
    ['Inactive(anon)', usage.anonBytes],
    ['Active(file)', usage.fileBytes - usage.inactiveFileBytes],
    ['Inactive(file)', usage.inactiveFileBytes],
    ['SwapTotal', 0n],
    ['SwapFree', 0n],
    ['AnonPages', usage.anonBytes],
    ['Slab', kernel / 2n],
  ];
  const sizes = lines.map(
    ([key, bytes]) => `${`${key}:`.padEnd(16)}${String(bytes / 1024n).padStart(8)} kB\n`,
  );
  const pages = ['HugePages_Total:       0', 'HugePages_Free:        0', 'Hugepagesize:       2048 kB'];
  return `${sizes.join('')}${pages.join('\n')}\n`;
}

/** Stalls appear once less than a tenth of the memory is left, and grow from there. */
function pressure({ memoryCapacityBytes, usage }: FakeMachine): string {
  const left = memoryCapacityBytes - usage.anonBytes - usage.fileBytes + usage.inactiveFileBytes;
  const missing = memoryCapacityBytes / 10n - left;
  const hundredths = missing <= 0n ? 0n : (missing * 40_000n) / memoryCapacityBytes;
  const line = (kind: string, value: bigint): string => {
    const percent = `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
    return `${kind} avg10=${percent} avg60=${percent} avg300=${percent} total=${value * 1000n}\n`;
  };
  return line('some', hundredths) + line('full', hundredths / 3n);
}
