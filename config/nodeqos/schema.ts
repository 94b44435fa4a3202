import { z } from 'zod';
import { API_VERSION } from '../api-version.ts';
import { duration, noExecuteTaint, shareBelowOne, size, textOf } from './value-schemas.ts';

export const KIND = 'NodeQosConfiguration';

const TEXT = z.string().min(1, { error: 'is empty; write something or remove the key' });
/** Signal to text; which signals and texts are right is the threshold rules' to say. */
const SIGNAL_MAP = z.record(z.string(), z.string());

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
      'Where pods come from: auto (the manifests of static pods), file:PATH (kubectl get pods -o json) or dir:PATH (manifests); api, kubelet:URL and cri:SOCKET are for later versions',
    ),
  maxAge: duration('above-zero').prefault('5m').describe('Pods of a list older than this are not evicted'),
});

const stats = z.strictObject({
  source: textOf(/^(?:cgroup|(?:summary|kubelet):.+)$/s, 'cgroup, summary:PATH or kubelet:URL')
    .default('cgroup')
    .describe(
      'Where usage comes from: the cgroup tree, or a saved /stats/summary; kubelet:URL is for later versions',
    ),
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
      'What ends a pod: cgroup, or dry, which only tells; auto is cgroup; with cri and api, for later versions, evictions stay dry',
    ),
  unmeasured: z.enum(['skip', 'evict']).default('skip').describe('Pods without statistics'),
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
  node: TEXT.optional().describe('A file with the v1 Node, whose taints count; read anew when it changes'),
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
