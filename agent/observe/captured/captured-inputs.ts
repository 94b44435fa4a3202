import type { Warning } from '../../../cgroup/warning.ts';
import type { TextFile } from '../../../config/finding.ts';
import { EXIT, Failure } from '../../exit.ts';
import { present } from '../present.ts';
import type { NodeRoot } from '../root.ts';
import type { CapturedInput } from './manifest.ts';

/** The inputs that lie in a captured root, each under the name it had on the node. */
export interface CapturedTexts {
  readonly kubeletMain?: TextFile;
  readonly kubeletDropIns: readonly TextFile[];
  readonly nodeqosMain?: TextFile;
  readonly nodeqosDropIns: readonly TextFile[];
  readonly pods?: TextFile;
  /** What reading the pods on the node had to say, to be used instead of what reading them here says. */
  readonly podWarnings: readonly Warning[];
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
  if (root.capture === undefined) {
    return undefined;
  }
  const { inputs } = root.capture;
  const text = (input: CapturedInput): TextFile => readInput(root, input);
  return {
    ...present('kubeletMain', inputs.kubeletConfig && text(inputs.kubeletConfig)),
    kubeletDropIns: inputs.kubeletDropIns.map(text),
    ...present('nodeqosMain', inputs.nodeqosConfig && text(inputs.nodeqosConfig)),
    nodeqosDropIns: inputs.nodeqosDropIns.map(text),
    ...present('pods', inputs.pods && text(inputs.pods)),
    podWarnings: inputs.podWarnings,
    ...present('node', inputs.node && text(inputs.node)),
    ...present('statsSummary', inputs.statsSummary && text(inputs.statsSummary)),
    ...present('nodeName', inputs.nodeName),
    ...present('memoryCapacityBytes', inputs.memoryCapacityBytes),
    ...present('cgroupDriver', inputs.cgroupDriver),
  };
}

function readInput(root: NodeRoot, input: CapturedInput): TextFile {
  const read = root.files.readFile(input.path);
  if (read.kind !== 'read') {
    throw new Failure(
      EXIT.badData,
      `${root.name} is an incomplete capture: ${input.path} cannot be read from it; capture the node again`,
    );
  }
  return { file: input.name, text: read.text };
}
