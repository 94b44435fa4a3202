import type { TextFile } from '../../config/finding.ts';
import type { NodeRoot } from '../observe/root.ts';

/** The inputs that lie in a captured root, each under the name it had on the node. */
export interface CapturedTexts {
  readonly kubeletMain?: TextFile;
  readonly kubeletDropIns: readonly TextFile[];
  readonly nodeqosMain?: TextFile;
  readonly nodeqosDropIns: readonly TextFile[];
  readonly pods?: TextFile;
  readonly node?: TextFile;
  readonly statsSummary?: TextFile;
  readonly nodeName?: string;
  readonly memoryCapacityBytes?: bigint;
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
}

/**
 * The inputs of a captured root, to be used where the command line gives none; undefined where the root is no capture.
 * Throws Failure 65 where the manifest names a file that is not there.
 */
export function capturedTexts(root: NodeRoot): CapturedTexts | undefined {
  throw new Error(`not there yet: ${root.name}`);
}
