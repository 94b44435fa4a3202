import { type Warning, warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import type { Parsed } from '../../../config/result.ts';
import { parseTaintAddition, parseTaintRemoval } from '../../../config/taints/taint-spec.ts';
import { withAutomaticTolerations } from '../../decide/taints/automatic-tolerations.ts';
import { isCordonTaint } from '../../decide/taints/cordon.ts';
import { deviceReport } from '../../decide/taints/device-report.ts';
import { addedTwice, type TaintEdits } from '../../decide/taints/edit-taints.ts';
import { taintReport } from '../../decide/taints/taint-report.ts';
import { taintText } from '../../decide/taints/taint-text.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { NodeObject } from '../../model/node.ts';
import { readDevices } from '../../observe/devices/read-devices.ts';
import { readNodeFile } from '../../observe/node-object.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { CONFIGURATION_OPTIONS, OUTPUT_OPTIONS } from '../console/options.ts';
import { type OutputFormat, printDocument } from '../console/print.ts';
import type { ConfigurationArguments } from '../inputs/configuration.ts';
import { devicesTable } from './devices-table.ts';
import { type PodsOnNode, podsOnNode } from './node-pods.ts';
import { taintsTable } from './taints-table.ts';

interface TaintsArguments extends ConfigurationArguments {
  readonly node: string;
  readonly pods?: string | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  readonly withDefaults: boolean;
  readonly snapshot?: readonly string[] | undefined;
  readonly output: OutputFormat;
}

export const taintsCommand = defineCommand({
  signature: 'taints',
  summary: "What a node's taints mean for pods, and what others would",
  positionals: {},
  options: {
    node: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'A v1 Node: taints, conditions',
    },
    pods: {
      type: 'string',
      requiresArg: true,
      describe:
        'PATH or file:PATH (Pod, PodList, List; YAML or JSON), dir:PATH (a manifest folder), kubelet:URL, api, cri:SOCKET',
    },
    add: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'What if: a taint as kubectl adds it, key[=value]:Effect; may be repeated',
    },
    remove: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'What if: a taint taken away, key or key:Effect, before any is added; may be repeated',
    },
    'with-defaults': {
      type: 'boolean',
      default: false,
      describe: 'Add the tolerations that a cluster gives pods: of admission, and of their DaemonSet',
    },
    snapshot: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Files with ResourceSlices, ResourceClaims and DeviceTaintRules: what taints of devices mean',
    },
    ...CONFIGURATION_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: runTaints,
});

/** Prints a TaintReport. Throws Failure: 64 for a taint that is none, 65 for files and edits that do not fit, 66 and 77. */
async function runTaints(args: TaintsArguments, io: Io): Promise<ExitStatus> {
  const edits = editsOf(args);
  const node = readNodeFile(args.node);
  const { pods: source } = args;
  const read = source === undefined ? NO_PODS : await podsOnNode({ ...args, pods: source }, node, io);
  const pods = args.withDefaults ? read.pods.map(withAutomaticTolerations) : read.pods;
  const report = taintReport(node, pods, edits);
  if (!report.ok) throw new Failure(EXIT.badData, `${args.node}: ${report.message}`);
  const found = args.snapshot === undefined ? undefined : readDevices(args.snapshot);
  const devices = found && deviceReport(found.snapshot, node.name, pods);
  const warnings = [
    ...read.warnings,
    ...cordonStays(node, edits),
    ...leftOut(read),
    ...pods.flatMap(tolerationWarnings),
    ...(found?.warnings ?? []),
  ];
  sayWarnings(io, warnings);
  const document = { apiVersion: API_VERSION, kind: 'TaintReport', ...report.value, ...devices, warnings };
  printDocument(
    io,
    args.output,
    document,
    () =>
      taintsTable(report.value, io.columns) +
      (devices === undefined ? '' : devicesTable(devices, io.columns)),
  );
  return EXIT.ok;
}

const NO_PODS: PodsOnNode = { pods: [], warnings: [], unscheduled: 0 };

function leftOut({ unscheduled }: PodsOnNode): readonly Warning[] {
  if (unscheduled === 0) return [];
  const what = unscheduled === 1 ? '1 pod that no node has was' : `${unscheduled} pods that no node has were`;
  const message = `${what} left out; to ask for one, give its manifest without a status`;
  return [warning('pods-without-node', message)];
}

/** Who takes the taint away expects pods to come. */
function cordonStays({ name, isUnschedulable }: NodeObject, { remove }: TaintEdits): readonly Warning[] {
  const isRemoved = remove.some(({ key, effect = 'NoSchedule' }) =>
    isCordonTaint({ key, value: '', effect }),
  );
  if (!isUnschedulable || !isRemoved) return [];
  const message = `node ${name}: spec.unschedulable is true, which keeps pods away without the taint too; kubectl uncordon ends that`;
  return [warning('cordon-stays', message)];
}

function editsOf(args: TaintsArguments): TaintEdits {
  const add = (args.add ?? []).map((text) => given('add', parseTaintAddition(text)));
  const twice = addedTwice(add);
  if (twice !== undefined) {
    throw new Failure(
      EXIT.usage,
      `--add: ${taintText({ ...twice, value: '' })} is given twice; a node has a key once with an effect`,
    );
  }
  return { add, remove: (args.remove ?? []).map((text) => given('remove', parseTaintRemoval(text))) };
}

function given<T>(option: string, reading: Parsed<T>): T {
  if (reading.ok) return reading.value;
  throw new Failure(EXIT.usage, `--${option}: ${reading.message}`);
}
