import { z } from 'zod';
import { API_VERSION } from '../api-version.ts';
import { duration, noExecuteTaint, shareBelowOne, size, textOf } from './value-schemas.ts';

export const KIND = 'NodeQosConfiguration';

const TEXT = z.string().min(1, { error: 'is empty; write something or remove the key' });
/** Signal to text; which signals and texts are right is the threshold rules' to say. */
const SIGNAL_MAP = z.record(z.string(), z.string());

/** Whoever waits longer than this for an answer does not look after a node. */
const LONGEST_DEADLINE = { ms: 60_000, text: '1m' };

const kubeletConfiguration = z.strictObject({
  file: TEXT.default('/var/lib/kubelet/config.yaml').describe('What the kubelet was told with --config'),
  dropInDir: TEXT.optional().describe('What the kubelet was told with --config-dir'),
});

const pods = z.strictObject({
  source: textOf(
    /^(?:auto|api|(?:file|dir|kubelet|cri):.+|[./].*)$/s,
    'auto, api, file:PATH, dir:PATH, kubelet:URL, cri:SOCKET or a path',
  )
    .default('auto')
    .describe(
      'Where pods come from: auto (the kubelet of this machine if it can be asked, else its runtime, else the manifests of static pods), api, kubelet:URL, cri:SOCKET, file:PATH (kubectl get pods -o json) or dir:PATH (manifests)',
    ),
  maxAge: duration('above-zero').prefault('5m').describe('Pods of a list older than this are not evicted'),
});

const stats = z.strictObject({
  source: textOf(/^(?:cgroup|(?:summary|kubelet):.+)$/s, 'cgroup, summary:PATH or kubelet:URL')
    .default('cgroup')
    .describe('Where usage comes from: the cgroup tree, a saved /stats/summary, or that of a kubelet'),
});

const kubelet = z.strictObject({
  tokenFile: TEXT.optional().describe(
    'A bearer token for the kubelet, read anew when it changes; default: the service account of the pod that nodeqos runs in',
  ),
  caFile: TEXT.optional().describe(
    "Certificates that the kubelet's own is checked against; default: the service account's, else the kubelet's own file",
  ),
  clientCertificateFile: TEXT.optional().describe(
    'A client certificate for the kubelet, in place of a token',
  ),
  clientKeyFile: TEXT.optional().describe('Its key'),
  serverName: TEXT.optional().describe(
    "The name that the kubelet's certificate has to bear; default: the host of the URL, and the node's name for the kubelet of this machine",
  ),
  deadline: duration('above-zero', LONGEST_DEADLINE).prefault('5s').describe('How long one answer may take'),
});

const api = z.strictObject({
  kubeconfig: TEXT.optional().describe(
    'A kubeconfig file with the API server and who nodeqos is there; default: the service account of the pod that nodeqos runs in',
  ),
  events: z
    .boolean()
    .default(true)
    .describe('Whether an Event tells of each eviction, where the API server is spoken to anyway'),
  conditions: z
    .boolean()
    .default(false)
    .describe('Whether the Node has conditions nodeqos.dev/MemoryPressure and so on, in enforce'),
  taints: z
    .boolean()
    .default(false)
    .describe('Whether the Node has taints nodeqos.dev/memory-pressure:NoSchedule and so on, in enforce'),
  deadline: duration('above-zero', LONGEST_DEADLINE).prefault('10s').describe('How long one answer may take'),
});

const runtime = z.strictObject({
  endpoint: TEXT.optional().describe(
    "The runtime's socket; default: what the source cri:SOCKET names, else containerRuntimeEndpoint of KubeletConfiguration, else where runtimes put it",
  ),
  deadline: duration('above-zero', LONGEST_DEADLINE)
    .prefault('10s')
    .describe('How long one answer may take, the grace of a container aside'),
});

const memoryQos = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether memory.min, memory.low and memory.high are planned and, in enforce, written'),
  throttlingFactor: z
    .number()
    .gt(0)
    .lte(1)
    .optional()
    .describe('Wins over memoryThrottlingFactor of KubeletConfiguration; above 0, at most 1'),
  reservationPolicy: z
    .enum(['None', 'TieredReservation'])
    .optional()
    .describe('Wins over memoryReservationPolicy of KubeletConfiguration'),
  protection: z.enum(['kubelet', 'safe']).default('kubelet').describe('Layout of memory.min and memory.low'),
  headroom: shareBelowOne()
    .prefault('10%')
    .describe('Share of a limit that safe protection leaves unprotected'),
  writer: z
    .enum(['cgroupfs', 'systemd', 'auto'])
    .default('auto')
    .describe('Who writes: nodeqos into the files, systemd as properties of its units, or whichever fits'),
  maxWritesPerTick: z.int().gte(1).default(64).describe('How many files are written at most after one look'),
  onStop: z
    .enum(['keep', 'reset'])
    .default('keep')
    .describe('What becomes of the values when the agent stops'),
});

const thresholds = z
  .strictObject({
    hard: SIGNAL_MAP.optional().describe('Signal to amount or percentage: pods go at once'),
    soft: SIGNAL_MAP.optional().describe('Signal to amount or percentage: pods go after the grace period'),
    softGracePeriod: SIGNAL_MAP.optional().describe('Signal to how long a soft threshold has to be met'),
    minimumReclaim: SIGNAL_MAP.optional().describe(
      'Signal to how much more than the threshold has to be free again',
    ),
  })
  .describe('As in KubeletConfiguration; replaces all of its thresholds');

const protectedPods = z.strictObject({
  namespaces: z.array(TEXT).default([]).describe('All pods of these namespaces'),
  labels: z.record(z.string(), z.string()).default({}).describe('Pods that have any one of these labels'),
  priorityAtLeast: z.int32().optional().describe('Pods of this priority and above'),
});

const eviction = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether thresholds are watched and, in enforce, pods evicted'),
  thresholds: thresholds.optional(),
  pressureTransitionPeriod: duration('zero-allowed')
    .optional()
    .describe("Wins over the kubelet's evictionPressureTransitionPeriod; 0s is none"),
  maxPodGracePeriodSeconds: z
    .int32()
    .optional()
    .describe("Wins over the kubelet's evictionMaxPodGracePeriod; negative is the pod's own"),
  alongsideKubelet: z
    .enum(['observe', 'act'])
    .default('observe')
    .describe('With a live kubelet on the node: keep evictions dry, or evict'),
  evictor: z
    .enum(['auto', 'dry', 'cgroup', 'cri', 'api'])
    .default('auto')
    .describe(
      'What ends a pod: the API server, the runtime, its cgroup, or dry, which only tells; auto: api for pods from the API server or a kubelet, cri for pods from the runtime, cgroup for pods from files',
    ),
  unmeasured: z.enum(['skip', 'evict']).default('skip').describe('Pods without statistics'),
  budgetRefused: z
    .enum(['pass-over', 'retry', 'delete'])
    .default('pass-over')
    .describe(
      'What the evictor api does where a PodDisruptionBudget refuses: take the next pod, ask again until the grace is over, or delete the pod',
    ),
  groups: z
    .enum(['ignore', 'count'])
    .default('ignore')
    .describe('Whether the priority of a pod in a group is that of its group, as in the scheduler of 1.37'),
  protected: protectedPods.prefault({}).describe('Pods that are never evicted'),
  backOff: duration('zero-allowed').prefault('60s').describe('After a failed or refused eviction of a pod'),
});

const taints = z.strictObject({
  evict: z
    .boolean()
    .default(false)
    .describe(
      'Whether pods that do not tolerate a NoExecute taint of the node are evicted; without a kubelet on it only',
    ),
  node: TEXT.optional().describe(
    'A file with the v1 Node, whose taints count; read anew when it changes; while it cannot be read, those read last count for pods.maxAge',
  ),
  extra: z
    .array(noExecuteTaint())
    .prefault([])
    .describe('Taints that the node has besides, as key=value:NoExecute or key:NoExecute'),
});

/** As for --interval: a node that is looked at less often than this is not looked after. */
const LONGEST_INTERVAL = { ms: 3_600_000, text: '1h' };

const loop = z.strictObject({
  interval: duration('above-zero', LONGEST_INTERVAL)
    .prefault('1s')
    .describe('Longest time between two looks, at most 1h; shorter while memory runs out'),
  minInterval: duration('above-zero').prefault('100ms').describe('Shortest time between two looks'),
});

const audit = z.strictObject({
  file: TEXT.optional().describe('Default: audit.jsonl in stateDir'),
  maxBytes: size().prefault('64Mi').describe('How large the file gets before the next one is begun'),
  keep: z.int().gte(0).default(4).describe('How many full files are kept beside it'),
});

const trace = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether trace.jsonl is kept in stateDir, for nodeqos replay'),
  maxBytes: size().prefault('256Mi').describe('How much of it is kept'),
});

/** The whole configuration: every key has a default, and a key that is not here is an error. */
export const NODEQOS_SCHEMA = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format'),
    kind: z.literal(KIND).describe('What this file is'),
    mode: z
      .enum(['dry-run', 'enforce'])
      .default('dry-run')
      .describe('Tell what would be done, or do it; the command line wins'),
    kubeletConfiguration: kubeletConfiguration.prefault({}),
    pods: pods.prefault({}),
    stats: stats.prefault({}),
    kubelet: kubelet.prefault({}),
    api: api.prefault({}),
    runtime: runtime.prefault({}),
    memoryQos: memoryQos.prefault({}),
    eviction: eviction.prefault({}),
    taints: taints.prefault({}),
    loop: loop.prefault({}),
    listen: textOf(
      /^(?:none|unix:.+|(?:\[[0-9a-fA-F:.]+\]|[^:\s]*):[0-9]{1,5})$/s,
      'ADDR:PORT, unix:PATH or none',
    )
      .default('127.0.0.1:9477')
      .describe('Where metrics and status are served'),
    stateDir: TEXT.default('/var/lib/nodeqos').describe('Journal, trace and audit log'),
    audit: audit.prefault({}),
    trace: trace.prefault({}),
    log: z
      .strictObject({
        level: z.enum(['error', 'warn', 'info', 'debug']).default('info').describe('The least that is told'),
      })
      .prefault({}),
  })
  .describe('Configuration of nodeqos, /etc/nodeqos/nodeqos.yaml');

export type NodeQosDocument = z.output<typeof NODEQOS_SCHEMA>;

/** The JSON schema of what a person writes, for editors and other tools. */
export function nodeQosJsonSchema(): object {
  return z.toJSONSchema(NODEQOS_SCHEMA, { io: 'input', target: 'draft-7' });
}
