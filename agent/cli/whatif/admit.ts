import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import { isFinished } from '../../decide/critical.ts';
import { podName } from '../../decide/pod-name.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import { readNodeFile } from '../../observe/node-object.ts';
import { readSnapshot } from '../../observe/snapshot/read-snapshot.ts';
import { nodeWarnings } from '../../whatif/fit/node-warnings.ts';
import { affinityWarnings } from '../../whatif/fit/selector-warnings.ts';
import { allocatableOf, kubeletAdmission } from '../../whatif/kubelet/admission.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { CONFIGURATION_OPTIONS, OUTPUT_OPTIONS } from '../console/options.ts';
import { type OutputFormat, printDocument } from '../console/print.ts';
import type { ConfigurationArguments } from '../inputs/configuration.ts';
import { admissionText } from './admission-text.ts';
import { askedOnce } from './asked-once.ts';
import { podsOnNode } from './node-pods.ts';

interface AdmitArguments extends ConfigurationArguments {
  readonly pod: string;
  readonly node: string;
  readonly pods: string;
  readonly static: boolean;
  readonly output: OutputFormat;
}

export const admitCommand = defineCommand({
  signature: 'admit',
  summary: 'Whether the kubelet of a node would let a pod in now, and whom it would end for it',
  positionals: {},
  options: {
    pod: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: askedOnce<string>('pod'),
      describe: 'A file with the pod; PriorityClass objects beside it give its priority',
    },
    node: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: askedOnce<string>('node'),
      describe: 'A v1 Node: allocatable resources, conditions, taints',
    },
    pods: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      coerce: askedOnce<string>('pods'),
      describe:
        'The pods that are on the node: PATH or file:PATH (Pod, PodList, List; YAML or JSON), dir:PATH (a manifest folder), kubelet:URL, api, cri:SOCKET',
    },
    static: {
      type: 'boolean',
      default: false,
      describe: 'The pod is a static one: the kubelet reads it from a manifest',
    },
    ...CONFIGURATION_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: runAdmit,
});

/** Prints an Admission; status 1 where the pod is not let in. Throws Failure 64, 65, 66, 69 and 77. */
async function runAdmit(args: AdmitArguments, io: Io): Promise<ExitStatus> {
  const node = readNodeFile(args.node);
  const incoming = incomingPod(args);
  const read = await podsOnNode(args, node, io);
  const { pod } = incoming;
  const answer = kubeletAdmission(pod, node, read.pods);
  const allocatable = allocatableOf(node);
  const warnings = [
    ...incoming.warnings,
    ...read.warnings,
    ...tolerationWarnings(pod),
    ...affinityWarnings(pod),
    ...nodeWarnings([{ name: node.name, ...(allocatable === undefined ? {} : { allocatable }) }]),
  ];
  sayWarnings(io, warnings);
  const document = {
    apiVersion: API_VERSION,
    kind: 'Admission',
    namespace: pod.namespace,
    name: pod.name,
    node: node.name,
    ...answer,
    notModelled: notModelled(pod),
    warnings,
  };
  printDocument(io, args.output, document, () => admissionText(document, io.columns));
  return answer.admit ? EXIT.ok : EXIT.no;
}

const POD_WANTED = 'a pod is what this prints: kubectl get pod NAME -o json';

function incomingPod(args: AdmitArguments): {
  readonly pod: SchedulingPod;
  readonly warnings: readonly Warning[];
} {
  const { snapshot, warnings } = readSnapshot([args.pod], POD_WANTED);
  const [pod] = snapshot.pods;
  if (pod === undefined || snapshot.pods.length > 1) {
    throw new Failure(
      EXIT.badData,
      `${args.pod}: the file holds ${snapshot.pods.length} pods, and one is wanted; give the one that is meant`,
    );
  }
  if (isFinished(pod)) {
    throw new Failure(
      EXIT.badData,
      `${args.pod}: pod ${podName(pod)} has ended; give one that is still to be let in`,
    );
  }
  const isAboutTheNode = ({ code }: Warning): boolean => code === 'node-not-in-snapshot';
  return {
    pod: args.static ? { ...pod, isStatic: true } : pod,
    warnings: warnings.filter((one) => !isAboutTheNode(one)),
  };
}

/** What the kubelet would look at besides, as far as the pod uses it. */
function notModelled(pod: SchedulingPod): readonly string[] {
  return pod.unmodelledUses.filter((use) => use === 'resource claims' || use === 'volumes');
}
