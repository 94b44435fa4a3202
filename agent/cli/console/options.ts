import type { Options } from 'yargs';

/** Where the node is: for every command that looks at one. */
export const ROOT_OPTIONS = {
  root: {
    type: 'string',
    default: '/',
    requiresArg: true,
    describe: 'Prefix for /proc, /sys/fs/cgroup, /var/lib/kubelet and /etc: a captured or fake node',
  },
  'cgroup-root': {
    type: 'string',
    requiresArg: true,
    describe: 'The cgroup2 mount, if it is not ROOT/sys/fs/cgroup',
  },
} as const satisfies Record<string, Options>;

/** The two configurations. */
export const CONFIGURATION_OPTIONS = {
  'kubelet-config': {
    type: 'string',
    requiresArg: true,
    describe: 'KubeletConfiguration file [default: ROOT/var/lib/kubelet/config.yaml if present]',
  },
  'kubelet-config-dir': {
    type: 'string',
    requiresArg: true,
    describe: 'Folder with its drop-ins (*.conf)',
  },
  config: {
    type: 'string',
    requiresArg: true,
    describe: "nodeqos' own configuration [default: ROOT/etc/nodeqos/nodeqos.yaml if present]",
  },
} as const satisfies Record<string, Options>;

/** Which pods, and of which node. */
export const POD_OPTIONS = {
  pods: {
    type: 'string',
    requiresArg: true,
    describe:
      'PATH or file:PATH (Pod, PodList, List; YAML or JSON), dir:PATH (a manifest folder), kubelet:URL, api, cri:SOCKET',
  },
  'node-name': {
    type: 'string',
    requiresArg: true,
    describe: "Which node's pods, where the input holds several",
  },
} as const satisfies Record<string, Options>;

/** What the machine is, where it was seen wrongly. */
export const SEEN_MACHINE_OPTIONS = {
  node: { type: 'string', requiresArg: true, describe: 'A v1 Node: capacity, taints, conditions' },
  'memory-capacity': {
    type: 'string',
    requiresArg: true,
    describe: 'Memory capacity as a quantity, instead of what was detected',
  },
  'page-size': {
    type: 'string',
    requiresArg: true,
    describe: 'Page size in bytes, instead of what was detected',
  },
  'cgroup-driver': {
    choices: ['systemd', 'cgroupfs', 'auto'],
    default: 'auto',
    requiresArg: true,
    describe: 'Cgroup driver',
  },
} as const satisfies Record<string, Options>;

/** What the machine is, where it is not looked at or was seen wrongly. */
export const MACHINE_OPTIONS = {
  ...SEEN_MACHINE_OPTIONS,
  offline: {
    type: 'boolean',
    default: false,
    describe: 'Compute from the inputs alone; needs --memory-capacity or --node',
  },
} as const satisfies Record<string, Options>;

/** What a command takes that looks at a node and cannot do without it. */
export const SEEN_NODE_OPTIONS = {
  ...ROOT_OPTIONS,
  ...CONFIGURATION_OPTIONS,
  ...POD_OPTIONS,
  ...SEEN_MACHINE_OPTIONS,
} as const satisfies Record<string, Options>;

/** What every command about a node's pods takes. */
export const NODE_OPTIONS = {
  ...ROOT_OPTIONS,
  ...CONFIGURATION_OPTIONS,
  ...POD_OPTIONS,
  ...MACHINE_OPTIONS,
} as const satisfies Record<string, Options>;

/** What if: win over both configurations. */
export const WHAT_IF_OPTIONS = {
  'throttling-factor': {
    type: 'string',
    requiresArg: true,
    describe: 'memoryThrottlingFactor: above 0, at most 1',
  },
  'reservation-policy': {
    choices: ['None', 'TieredReservation'],
    requiresArg: true,
    describe: 'memoryReservationPolicy',
  },
  protection: {
    choices: ['kubelet', 'safe'],
    requiresArg: true,
    describe: 'Layout of memory.min and memory.low',
  },
} as const satisfies Record<string, Options>;

/** Where usage comes from. */
export const STATS_OPTIONS = {
  stats: {
    type: 'string',
    requiresArg: true,
    describe:
      'cgroup, summary:PATH (a saved kubelet /stats/summary) or kubelet:URL [default: stats.source of nodeqos.yaml]',
  },
} as const satisfies Record<string, Options>;

/** Where the agent that runs on the node is asked. */
export const ASK_OPTIONS = {
  listen: {
    type: 'string',
    requiresArg: true,
    describe: 'Where the agent answers: ADDR:PORT, unix:PATH or none [default: listen of nodeqos.yaml]',
  },
} as const satisfies Record<string, Options>;

/** How the answer is printed. */
export const OUTPUT_OPTIONS = {
  output: {
    alias: 'o',
    choices: ['table', 'json', 'yaml'],
    default: 'table',
    requiresArg: true,
    describe: 'Output format',
  },
} as const satisfies Record<string, Options>;
