import { closeSync } from 'node:fs';
import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { KernelFacts } from '../../decide/doctor/facts.ts';
import { isNative, type Native, type NativeLack } from '../../native/native.ts';
import type { MachineObservation } from '../machine.ts';
import { present } from '../present.ts';
import type { NodeRoot } from '../root.ts';

/** What is to be known of a machine besides what plans need of it. */
export interface MachineLook {
  readonly machine: MachineObservation;
  /** `--page-size` was given. */
  readonly isPageSizeGiven: boolean;
  readonly native: Native | NativeLack;
}

/** The kernel and the machine of a root. Of this machine alone pidfds are tried, on the process itself. Throws nothing. */
export function kernelFacts(root: NodeRoot, { machine, isPageSizeGiven, native }: MachineLook): KernelFacts {
  const isSeen = root.kind === 'host' || root.capture !== undefined;
  const isKnown =
    isPageSizeGiven || (isSeen && machine.warnings.every(({ code }) => code !== 'page-size-unknown'));
  return {
    ...present('release', machine.kernelRelease),
    ...present('memoryCapacityBytes', machine.memoryCapacityBytes),
    ...present('pageSizeBytes', isKnown ? machine.pageSizeBytes : undefined),
    ...present('swapTotalBytes', readSwapTotal(root.files)),
    ...present('pidfd', root.kind === 'host' && isNative(native) ? tryPidfd(native) : undefined),
  };
}

function readSwapTotal(files: FileTree): bigint | undefined {
  const read = files.readFile('proc/meminfo');
  const [, kibibytes] = (read.kind === 'read' ? /^SwapTotal:\s+(\d+) kB\s*$/m.exec(read.text) : null) ?? [];
  return kibibytes === undefined ? undefined : BigInt(kibibytes) * 1024n;
}

function tryPidfd(native: Native): Exclude<KernelFacts['pidfd'], undefined> {
  const opened = native.pidfdOpen(process.pid);
  if (!opened.ok) return { code: opened.code };
  closeSync(opened.value);
  return 'works';
}
