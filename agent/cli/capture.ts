import { cgroupLayout } from '../../cgroup/paths.ts';
import { reservedCgroups } from '../../cgroup/reserved.ts';
import type { TextFile } from '../../config/finding.ts';
import { archiveBytes, writeWhole } from '../capture/archive-file.ts';
import type { CaptureSource } from '../capture/capture-node.ts';
import { captureNode } from '../capture/capture-node.ts';
import type { ExitStatus } from '../exit.ts';
import { EXIT, Failure } from '../exit.ts';
import { ARCHIVE_LIMITS } from '../observe/captured/archive-tree.ts';
import { type CapturedTexts, capturedTexts } from '../observe/captured/captured-inputs.ts';
import { filesystemsOf } from '../observe/disk.ts';
import { hostFactsOf } from '../observe/host.ts';
import { readInputFile } from '../observe/input-file.ts';
import { present } from '../observe/present.ts';
import type { NodeRoot } from '../observe/root.ts';
import { defineCommand } from './console/command.ts';
import type { Io } from './console/io.ts';
import { SEEN_NODE_OPTIONS, STATS_OPTIONS } from './console/options.ts';
import { kubeletConfigurationTexts, nodeqosConfigurationTexts } from './inputs/configuration.ts';
import type { NodeInputs } from './inputs/inputs.ts';
import { loadInputs } from './inputs/inputs.ts';
import { capacityOf } from './inputs/machine-input.ts';
import type { InputArguments } from './inputs/node-setup.ts';
import { statsSource } from './inputs/stats-source.ts';

interface CaptureArguments extends Omit<InputArguments, 'offline'> {
  readonly archive: string;
  readonly force: boolean;
}

export const captureCommand = defineCommand({
  signature: 'capture <archive>',
  summary: 'Write what a plan needs from this node, and nothing secret, into a .tar.gz for --root',
  positionals: {
    archive: { type: 'string', demandOption: true, describe: 'The archive to write, such as node.tar.gz' },
  },
  options: {
    ...SEEN_NODE_OPTIONS,
    ...STATS_OPTIONS,
    force: { type: 'boolean', default: false, describe: 'Replace an archive that is already there' },
  },
  run: writeCapture,
});

/** Prints the archive's path. */
async function writeCapture(args: CaptureArguments, io: Io): Promise<ExitStatus> {
  const inputs = await loadInputs({ ...args, offline: false }, io, {
    pods: 'if-known',
    cgroups: 'required',
    statistics: 'if-told',
  });
  const { root } = inputs;
  if (root === undefined) {
    throw new Failure(EXIT.usage, 'capture looks at a node, so it needs a root');
  }
  const captured = captureNode(await sourceOf(args, inputs, root, io));
  if (!captured.ok) {
    throw new Failure(EXIT.badData, captured.message);
  }
  const { packed, unpackedBytes } = await archiveBytes(captured.value);
  if (!attemptToWrite(args, packed)) {
    throw new Failure(EXIT.usage, `${args.archive} is already there; --force replaces it`);
  }
  if (unpackedBytes > ARCHIVE_LIMITS.unpackedBytes) {
    io.warn(`${args.archive} is too large to be read as it is; unpack it and give the folder with --root`);
  }
  const { failures } = captured.value;
  if (failures.length > 0) {
    const first = failures[0]?.path ?? '';
    io.warn(`${failures.length} files could not be read and are captured as such, the first is ${first}`);
  }
  if (inputs.pods.length === 0) {
    io.warn('no pods are in this capture; give --pods FILE (kubectl get pods -o yaml) to have them in');
  }
  io.out(`${args.archive}\n`);
  return EXIT.ok;
}

async function sourceOf(
  args: CaptureArguments,
  inputs: NodeInputs,
  root: NodeRoot,
  io: Io,
): Promise<CaptureSource> {
  const { kubelet } = inputs;
  const layouts = [cgroupLayout('systemd', kubelet.cgroupRoot), cgroupLayout('cgroupfs', kubelet.cgroupRoot)];
  const earlier = capturedTexts(root);
  return {
    root,
    layouts,
    reserved: layouts.flatMap((layout) => reservedCgroups(kubelet, layout)).map(({ cgroup }) => cgroup),
    pageSizeBytes: inputs.machine.pageSizeBytes,
    filesystems: filesystemsOf(root),
    host: await hostFactsOf(root),
    kubelet: kubeletConfigurationTexts(args, root, inputs.nodeqos),
    nodeqos: nodeqosConfigurationTexts(args, root),
    ...podsAndNode(args, inputs, earlier),
    ...present('statsSummary', summaryOf(args, inputs, io) ?? earlier?.statsSummary),
    ...whatWasGiven(args, earlier),
  };
}

/** Pods and Node under the names that they were given by, now or when a root that is a capture itself was captured. */
function podsAndNode(
  args: CaptureArguments,
  inputs: NodeInputs,
  earlier: CapturedTexts | undefined,
): Pick<CaptureSource, 'pods' | 'node'> {
  const { nodeObject, podsRead } = inputs;
  const podsName = args.pods ?? earlier?.pods?.file ?? inputs.nodeqos.pods.source;
  const nodeName = args.node ?? earlier?.node?.file ?? 'node';
  return {
    ...present('pods', podsRead && { name: podsName, ...podsRead }),
    ...present('node', nodeObject && { name: nodeName, node: nodeObject }),
  };
}

/** One that only the configuration names may be missing: most of what is captured needs none. */
function summaryOf(args: CaptureArguments, inputs: NodeInputs, io: Io): TextFile | undefined {
  try {
    const source = statsSource(args.stats, inputs);
    return source.kind === 'summary' ? readInputFile(source.path) : inputs.summary;
  } catch (error) {
    if (args.stats !== undefined || !(error instanceof Failure)) throw error;
    io.warn(`${error.message}; it is left out of the capture`);
    return undefined;
  }
}

function whatWasGiven(
  args: CaptureArguments,
  earlier: CapturedTexts | undefined,
): Pick<CaptureSource, 'nodeName' | 'memoryCapacityBytes' | 'cgroupDriver'> {
  const capacity =
    args.memoryCapacity === undefined ? earlier?.memoryCapacityBytes : capacityOf(args.memoryCapacity);
  return {
    ...present('nodeName', args.nodeName ?? earlier?.nodeName),
    ...present('memoryCapacityBytes', capacity),
    ...present('cgroupDriver', args.cgroupDriver === 'auto' ? earlier?.cgroupDriver : args.cgroupDriver),
  };
}

function attemptToWrite(args: CaptureArguments, bytes: Uint8Array): boolean {
  try {
    return writeWhole(args.archive, bytes, args.force);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    switch (code) {
      case 'ENOENT':
      case 'ENOTDIR':
        throw new Failure(
          EXIT.noInput,
          `${args.archive}: the folder to write it in is not there; make it first`,
        );
      case 'EACCES':
      case 'EPERM':
      case 'EROFS':
        throw new Failure(EXIT.notPermitted, `${args.archive} may not be written by this user (${code})`);
      case 'EISDIR':
        throw new Failure(EXIT.usage, `${args.archive} is a folder; name a file such as node.tar.gz`);
      default:
        throw new Failure(EXIT.ioError, `${args.archive} cannot be written (${code})`);
    }
  }
}
