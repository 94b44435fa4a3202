import { join, resolve } from 'node:path';
import { cgroupLayout } from '../../cgroup/paths.ts';
import type { TextFile } from '../../config/finding.ts';
import { formatFinding } from '../../config/finding.ts';
import { readKubeletConfiguration } from '../../config/kubelet/read.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import { readDocuments } from '../../config/text/document.ts';
import { podsOfNode } from '../decide/pods-of-node.ts';
import type { ExitStatus } from '../exit.ts';
import { EXIT, Failure } from '../exit.ts';
import { fakeNodeFiles, KUBELET_FILE, PODS_FILE } from '../fake/fake-node.ts';
import { withIdentities } from '../fake/identities.ts';
import type { FolderState } from '../fake/node-folder.ts';
import { folderState, writeFakeNode } from '../fake/node-folder.ts';
import type { UsageByContainer } from '../fake/usage-file.ts';
import { readUsage } from '../fake/usage-file.ts';
import type { Pod } from '../model/pod.ts';
import { readInputFile } from '../observe/input-file.ts';
import { readPods } from '../observe/pods/pod-source.ts';
import { defineCommand } from './console/command.ts';
import type { Io } from './console/io.ts';
import { capacityOf } from './inputs/machine-input.ts';

interface FakeTreeArguments {
  readonly pods: string;
  readonly dir: string;
  readonly driver?: 'systemd' | 'cgroupfs' | undefined;
  readonly usage?: string | undefined;
  readonly memoryCapacity: string;
  readonly kubeletConfig?: string | undefined;
  readonly kernel: string;
  readonly nodeName?: string | undefined;
}

export const fakeTreeCommand = defineCommand({
  signature: 'fake-tree',
  summary: 'Build a folder that looks like a node running these pods, for --root',
  positionals: {},
  options: {
    pods: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'The pods: PATH, file:PATH or dir:PATH',
    },
    dir: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'The folder to build in: empty, or a fake node that goes on with what was written into it',
    },
    driver: {
      choices: ['systemd', 'cgroupfs'],
      requiresArg: true,
      describe: 'Cgroup driver [default: what the KubeletConfiguration states, else systemd]',
    },
    usage: {
      type: 'string',
      requiresArg: true,
      describe: 'File of namespace/pod/container to {current, anon, file, inactiveFile} in quantities',
    },
    'memory-capacity': {
      type: 'string',
      default: '16Gi',
      requiresArg: true,
      describe: "The node's memory as a quantity",
    },
    'kubelet-config': { type: 'string', requiresArg: true, describe: 'KubeletConfiguration to copy in' },
    kernel: { type: 'string', default: '6.1.0', requiresArg: true, describe: 'Kernel release to claim' },
    'node-name': {
      type: 'string',
      requiresArg: true,
      describe: "Which node's pods, where the input holds several",
    },
  },
  run: (args, io) => Promise.resolve(buildFakeTree(args, io)),
});

/** Prints the path of the pods' file, whose pods have the IDs that the tree is named by. */
function buildFakeTree(args: FakeTreeArguments, io: Io): ExitStatus {
  const folder = resolve(args.dir);
  const state = stateOf(folder, args.dir);
  const pods = withIdentities(readPods(args.pods, undefined, args.nodeName).pods);
  const counted = podsOfNode(pods, args.nodeName);
  if (!counted.ok) {
    throw new Failure(EXIT.badData, `${args.pods}: ${counted.message}`);
  }
  const kubeletText = kubeletTextOf(args, folder, state);
  const kubelet = settingsOf(kubeletText);
  const driver = args.driver ?? (kubelet.cgroupDriverStated ? kubelet.cgroupDriver : 'systemd');
  const files = fakeNodeFiles({
    pods,
    running: counted.value.pods,
    layout: cgroupLayout(driver, kubelet.cgroupRoot),
    kubelet,
    kubeletText: kubeletText?.text,
    usage: usageOf(args, counted.value.pods),
    memoryCapacityBytes: capacityOf(args.memoryCapacity),
    kernelRelease: args.kernel,
  });
  attempt(args.dir, () => {
    writeFakeNode(folder, files, state);
  });
  io.out(`${join(args.dir, PODS_FILE)}\n`);
  return EXIT.ok;
}

function stateOf(folder: string, name: string): FolderState {
  const state = attempt(name, () => folderState(folder));
  if (state === 'taken' || folder === '/') {
    throw new Failure(
      EXIT.badData,
      `${name} holds something that is no fake node; give --dir an empty folder, or one that fake-tree built`,
    );
  }
  return state;
}

/** What was given, else what a fake node that goes on already has. */
function kubeletTextOf(args: FakeTreeArguments, folder: string, state: FolderState): TextFile | undefined {
  if (args.kubeletConfig !== undefined) {
    return readInputFile(args.kubeletConfig);
  }
  try {
    return state === 'fake' ? readInputFile(join(folder, KUBELET_FILE)) : undefined;
  } catch (error) {
    if (error instanceof Failure && error.status === EXIT.noInput) {
      return undefined;
    }
    throw error;
  }
}

function settingsOf(text: TextFile | undefined): KubeletSettings {
  const { settings, errors } = readKubeletConfiguration(text, []);
  const [first] = errors;
  if (settings === undefined || first !== undefined) {
    const sentence = first === undefined ? 'the KubeletConfiguration is refused' : formatFinding(first);
    throw new Failure(EXIT.badData, sentence);
  }
  return settings;
}

function usageOf(args: FakeTreeArguments, pods: readonly Pod[]): UsageByContainer {
  if (args.usage === undefined) {
    return new Map();
  }
  const input = readInputFile(args.usage);
  const documents = readDocuments(input);
  if ('finding' in documents) {
    throw new Failure(EXIT.badData, formatFinding(documents.finding));
  }
  const usage = readUsage(documents.documents[0]?.value ?? {});
  if (!usage.ok) {
    throw new Failure(EXIT.badData, `${input.file}: ${usage.message}`);
  }
  const known = new Set(
    pods.flatMap((pod) => pod.containers.map(({ name }) => `${pod.namespace}/${pod.name}/${name}`)),
  );
  const unknown = [...usage.value.keys()].find((key) => !known.has(key));
  if (unknown !== undefined) {
    throw new Failure(EXIT.badData, `${input.file}: ${unknown}: no such container is among the pods`);
  }
  return usage.value;
}

function attempt<T>(name: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) {
      throw error;
    }
    throw new Failure(
      code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? EXIT.notPermitted : EXIT.ioError,
      `${name}: the fake node cannot be built there (${code}); give --dir another folder`,
    );
  }
}
