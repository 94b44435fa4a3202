import { EXIT } from '../exit.ts';
import { defineCommand } from './command.ts';

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
    dir: { type: 'string', demandOption: true, requiresArg: true, describe: 'The folder to build in' },
    driver: {
      choices: ['systemd', 'cgroupfs'],
      default: 'systemd',
      requiresArg: true,
      describe: 'Cgroup driver',
    },
    usage: {
      type: 'string',
      requiresArg: true,
      describe: 'namespace/pod/container to {current, anon, file, inactiveFile} in quantities',
    },
    'memory-capacity': {
      type: 'string',
      default: '16Gi',
      requiresArg: true,
      describe: "The node's memory as a quantity",
    },
    'kubelet-config': { type: 'string', requiresArg: true, describe: 'KubeletConfiguration to copy in' },
    kernel: { type: 'string', default: '6.1.0', requiresArg: true, describe: 'Kernel release to claim' },
  },
  run: () => Promise.resolve(EXIT.bug),
});
