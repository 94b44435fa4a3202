import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import type { FileTree } from '../../cgroup/file-tree.ts';
import type { Warning } from '../../cgroup/warning.ts';
import { warning } from '../../cgroup/warning.ts';
import { parsePageSize } from './auxiliary-vector.ts';
import { cgroup2MountAt, type Mount, parseMounts } from './mounts.ts';
import { ownNamespaceRoot } from './own-cgroup.ts';
import { present } from './present.ts';
import type { NodeRoot } from './root.ts';

/** What a plan needs of the machine. A field that is absent could not be found out. */
export interface Machine {
  /** MemTotal of /proc/meminfo in bytes: what the kubelet reports as the node's capacity. */
  readonly memoryCapacityBytes?: bigint;
  /** MemAvailable of /proc/meminfo in bytes. */
  readonly memAvailableBytes?: bigint;
  /** Memory set aside for huge pages of the default size, in bytes. */
  readonly hugepagesBytes?: bigint;
  readonly pageSizeBytes: number;
  readonly kernelRelease?: string;
  /** Whether the cgroup2 mount in use has the option memory_recursiveprot. */
  readonly memoryRecursiveProt?: boolean;
  /** The cgroup whose limits nodeqos may not write, since it is the root of its own cgroup namespace. */
  readonly ownNamespaceRoot?: string;
  readonly bootId?: string;
}

/** A machine, and what a person should know about how it was seen. */
export interface MachineObservation extends Machine {
  readonly warnings: readonly Warning[];
}

/** The page size where none is known; right for x86_64 and for most arm64 nodes. */
export const DEFAULT_PAGE_SIZE_BYTES = 4096;

/**
 * Looks at a root's machine. A captured page size is taken from the manifest, any other root that is not the host gets
 * 4096, so that nothing of the real host leaks in. Throws nothing.
 */
export function observeMachine(root: NodeRoot): MachineObservation {
  const meminfo = readMeminfo(root.files);
  const hugepages = meminfo.get('HugePages_Total');
  const hugepageBytes = meminfo.get('Hugepagesize');
  const pageSize = observePageSize(root);
  const mount = observeMount(root);
  return {
    ...present('memoryCapacityBytes', meminfo.get('MemTotal')),
    ...present('memAvailableBytes', meminfo.get('MemAvailable')),
    ...present(
      'hugepagesBytes',
      hugepages === undefined || hugepageBytes === undefined ? undefined : hugepages * hugepageBytes,
    ),
    ...present('kernelRelease', readWord(root.files, 'proc/sys/kernel/osrelease')),
    ...present('memoryRecursiveProt', mount?.options.includes('memory_recursiveprot')),
    ...present('ownNamespaceRoot', observeOwnNamespaceRoot(root, mount)),
    ...present('bootId', readBootId(root.files)),
    ...pageSize,
  };
}

/** Numbers of /proc/meminfo by key; those in kB as bytes, plain counts as they are. */
function readMeminfo(files: FileTree): ReadonlyMap<string, bigint> {
  const numbers = new Map<string, bigint>();
  const read = files.readFile('proc/meminfo');
  if (read.kind !== 'read') {
    return numbers;
  }
  for (const line of read.text.split('\n')) {
    const [, key, digits, unit] = /^([^:\s]+):\s+(\d+)(?: (kB))?\s*$/.exec(line) ?? [];
    if (key !== undefined && digits !== undefined) {
      numbers.set(key, BigInt(digits) * (unit === 'kB' ? 1024n : 1n));
    }
  }
  return numbers;
}

/** MemAvailable of a root's /proc/meminfo in bytes; undefined where it does not say. */
export function readMemAvailable(files: FileTree): bigint | undefined {
  return readMeminfo(files).get('MemAvailable');
}

/** The boot that a root's cgroups are of; undefined where it is not said, as on most fake trees. */
export function readBootId(files: FileTree): string | undefined {
  return readWord(files, 'proc/sys/kernel/random/boot_id');
}

function readWord(files: FileTree, path: string): string | undefined {
  const read = files.readFile(path);
  const word = read.kind === 'read' ? read.text.trim() : '';
  return word === '' ? undefined : word;
}

/** A mount of another namespace may carry other options, so a root without the file tells nothing. */
function observeMount(root: NodeRoot): Mount | undefined {
  const read = root.files.readFile('proc/mounts');
  return read.kind === 'read' ? cgroup2MountAt(parseMounts(read.text), cgroupMountPoint(root)) : undefined;
}

function observeOwnNamespaceRoot(root: NodeRoot, mount: Mount | undefined): string | undefined {
  const { kind, cgroups, cgroupMountPath } = root;
  const isClosed = kind === 'host' && mount?.options.includes('nsdelegate') === true;
  return isClosed && cgroupMountPath !== undefined ? ownNamespaceRoot(cgroups, cgroupMountPath) : undefined;
}

/** Where the root's own /proc/mounts has the cgroup2 mount in use, or would have it. */
export function cgroupMountPoint(root: NodeRoot): string {
  if (root.capture !== undefined) {
    return root.capture.cgroupMountPoint;
  }
  return root.kind === 'host' && root.cgroupMountPath !== undefined ? root.cgroupMountPath : '/sys/fs/cgroup';
}

function observePageSize(root: NodeRoot): { pageSizeBytes: number; warnings: readonly Warning[] } {
  if (root.kind !== 'host') {
    return { pageSizeBytes: root.capture?.pageSizeBytes ?? DEFAULT_PAGE_SIZE_BYTES, warnings: [] };
  }
  const pageSizeBytes = hostPageSize();
  return pageSizeBytes === undefined
    ? {
        pageSizeBytes: DEFAULT_PAGE_SIZE_BYTES,
        warnings: [
          warning(
            'page-size-unknown',
            `/proc/self/auxv does not tell the page size; ${DEFAULT_PAGE_SIZE_BYTES} is assumed (--page-size sets it)`,
          ),
        ],
      }
    : { pageSizeBytes, warnings: [] };
}

/** Node has no getpagesize; the kernel hands the page size to every process in its auxiliary vector. */
function hostPageSize(): number | undefined {
  try {
    return parsePageSize(readFileSync('/proc/self/auxv'), {
      wordBytes: ['arm', 'ia32', 'mips', 'mipsel'].includes(process.arch) ? 4 : 8,
      isLittleEndian: endianness() === 'LE',
    });
  } catch {
    // No /proc in this container: the caller says what is assumed instead.
    return undefined;
  }
}
