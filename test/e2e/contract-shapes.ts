import { z } from 'zod';

/**
 * The documents of the commands as they are promised to those who read them: names, types, which fields may be null (known to
 * be none) and which may be absent (not known). Fields that are not promised fail here, so that each is a decision.
 */
const bytes = z.int();
const text = z.string();
const fields = z.strictObject;

const envelope = (kind: string) => ({ apiVersion: z.literal('nodeqos.dev/v1alpha1'), kind: z.literal(kind) });
const warnings = z.array(
  fields({ code: text.regex(/^[a-z0-9-]+$/), message: text, cgroup: text.nullable(), pod: text.nullable() }),
);
const signal = z.enum([
  'allocatableMemory.available',
  'containerfs.available',
  'containerfs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'pid.available',
]);
const qosClass = z.enum(['Guaranteed', 'Burstable', 'BestEffort']);
const amount = z.union([fields({ quantity: bytes }), fields({ percentage: z.number() })]);
const finding = fields({
  file: text,
  line: z.int().positive().optional(),
  column: z.int().positive().optional(),
  path: text,
  message: text,
});

const CONFIG_REPORT = fields({
  ...envelope('ConfigReport'),
  valid: z.boolean(),
  errors: z.array(finding),
  warnings: z.array(finding),
  effective: fields({
    evictionThresholds: z.array(
      fields({
        signal,
        type: z.enum(['hard', 'soft']),
        value: amount,
        gracePeriodMs: z.number().nonnegative(),
        minReclaim: amount.nullable(),
        derived: z.boolean(),
      }),
    ),
    evictionPressureTransitionPeriodMs: z.number().nonnegative(),
    evictionMaxPodGracePeriodSeconds: z.int(),
    memoryThrottlingFactor: z.number().positive().max(1).nullable(),
    memoryReservationPolicy: z.enum(['None', 'TieredReservation']),
    memoryQosGate: z.boolean(),
    cgroupDriver: z.enum(['systemd', 'cgroupfs']),
    cgroupRoot: text,
    kubeReserved: z.record(text, text),
    systemReserved: z.record(text, text),
    enforceNodeAllocatable: z.array(text),
    staticPodPath: text.nullable(),
  }).optional(),
});

const podEntry = fields({
  namespace: text,
  name: text,
  uid: text.nullable(),
  qosClass,
  reportedQosClass: qosClass.nullable(),
  memoryRequestBytes: bytes,
  memoryLimitBytes: bytes.nullable(),
  cpuRequestMilli: bytes,
  priority: z.int(),
  critical: z.boolean(),
  containers: z.array(
    fields({
      name: text,
      type: z.enum(['regular', 'init', 'sidecar', 'ephemeral']),
      memoryRequestBytes: bytes,
      memoryLimitBytes: bytes.nullable(),
      oomScoreAdj: z.int().min(-999).max(1000).nullable(),
    }),
  ),
});

const QOS_REPORT = fields({
  ...envelope('QosReport'),
  pods: z.array(podEntry),
  warnings: warnings.optional(),
});

const limit = text.regex(/^(max|[0-9]+)$/);
const planEntry = {
  level: z.enum(['node', 'qos', 'pod', 'container']),
  namespace: text.nullable(),
  pod: text.nullable(),
  uid: text.nullable(),
  container: text.nullable(),
  qosClass: qosClass.nullable(),
  cgroup: text.regex(/^[^/]/).nullable(),
  file: z.enum(['memory.min', 'memory.low', 'memory.high']),
  current: limit.nullable(),
  desired: limit,
  action: z.enum(['write', 'keep', 'missing']),
  reason: text.min(1),
};
const protection = { min: bytes, low: bytes };

const MEMORY_QOS_PLAN = fields({
  ...envelope('MemoryQosPlan'),
  node: fields({
    memoryCapacityBytes: bytes.optional(),
    memoryAllocatableBytes: bytes.optional(),
    statusAllocatableBytes: bytes.optional(),
    pageSizeBytes: bytes,
    cgroupDriver: z.enum(['systemd', 'cgroupfs']),
    kernelRelease: text.optional(),
    memoryRecursiveProt: z.boolean().optional(),
  }),
  policy: fields({
    memoryThrottlingFactor: z.number().nullable(),
    memoryReservationPolicy: z.enum(['None', 'TieredReservation']),
    protection: z.enum(['kubelet', 'safe']),
  }),
  entries: z.array(fields(planEntry)),
  summary: fields({ write: z.int(), keep: z.int(), missing: z.int() }),
  warnings,
  effective: z.array(fields({ cgroup: text, ...protection })).optional(),
});

const APPLY_RESULT = z.looseObject({
  ...envelope('ApplyResult'),
  entries: z.array(
    z.looseObject({
      cgroup: text,
      file: planEntry.file,
      desired: limit,
      outcome: z.enum(['written', 'failed', 'vanished']),
      error: text.nullable(),
    }),
  ),
  warnings,
});

const ranked = fields({
  rank: z.int().positive(),
  namespace: text,
  name: text,
  uid: text.nullable(),
  qosClass,
  priority: z.int(),
  usage: bytes.nullable(),
  request: bytes.nullable(),
  exceedsRequest: z.boolean().nullable(),
  overRequest: bytes.nullable(),
  critical: z.boolean(),
  evictable: z.boolean(),
  why: text.min(1),
});

const EVICTION_RANKING = fields({
  ...envelope('EvictionRanking'),
  signal,
  order: z.array(ranked),
  warnings: warnings.optional(),
});

const taint = fields({ key: text, value: text, effect: text });
const pressure = fields({ avg10: z.number(), avg60: z.number(), avg300: z.number(), totalUs: bytes });

const NODE_STATUS = z.looseObject({
  ...envelope('NodeStatus'),
  signals: z.array(fields({ signal, available: bytes, capacity: bytes, source: text })),
  thresholds: z.array(
    fields({
      signal,
      type: z.enum(['hard', 'soft']),
      value: amount,
      met: z.boolean(),
      metSinceMs: z.number().nullable().optional(),
      inGrace: z.boolean(),
    }),
  ),
  conditions: z.array(z.enum(['MemoryPressure', 'DiskPressure', 'PIDPressure'])),
  taints: z.array(taint),
  psi: fields({ some: pressure, full: pressure }).nullable().optional(),
  memAvailableBytes: bytes.optional(),
  agent: z.null(),
});

const POD_EXPLANATION = fields({
  ...envelope('PodExplanation'),
  pod: podEntry,
  cgroups: z.array(fields({ ...planEntry, effective: fields(protection).optional() })),
  rankings: z.partialRecord(signal, ranked),
  taints: fields({
    namespace: text,
    name: text,
    schedulable: z.boolean(),
    firstUntolerated: taint.nullable(),
    preferNoScheduleCount: z.int(),
    noExecute: z.enum(['stay', 'evict-now', 'evict-after']),
    evictAfterSeconds: z.number().nullable(),
    decidedBy: fields({ taint, toleration: z.record(text, z.unknown()).nullable() }).nullable(),
  }).nullable(),
  sentences: z.array(text.min(1)),
  warnings: warnings.optional(),
});

const DOCTOR_REPORT = fields({
  ...envelope('DoctorReport'),
  checks: z.array(
    fields({
      id: text.regex(/^[a-z0-9-]+$/),
      group: z.enum(['kernel', 'cgroup', 'pressure', 'systemd', 'kubelet', 'runtime', 'writers', 'nodeqos']),
      title: text.min(1),
      state: z.enum(['ok', 'warning', 'missing', 'not-known']),
      found: text.min(1),
      consequence: text.min(1).nullable(),
      remedy: text.min(1).nullable(),
    }),
  ),
  works: z.array(
    fields({
      id: text.regex(/^[a-z0-9-]+$/),
      title: text.min(1),
      works: z.enum(['yes', 'partly', 'no']),
      because: text.min(1),
    }),
  ),
  summary: fields({ ok: bytes, warning: bytes, missing: bytes, notKnown: bytes }),
});

/** The promised shape of every document, by the command that prints it. */
export const DOCUMENTS = {
  doctor: DOCTOR_REPORT,
  check: CONFIG_REPORT,
  qos: QOS_REPORT,
  plan: MEMORY_QOS_PLAN,
  apply: APPLY_RESULT,
  reset: APPLY_RESULT,
  rank: EVICTION_RANKING,
  status: NODE_STATUS,
  explain: POD_EXPLANATION,
} as const;

/** What of a document is not as promised, a line each; none where all is well. */
export function brokenPromises(command: keyof typeof DOCUMENTS, document: unknown): readonly string[] {
  const { success, error } = DOCUMENTS[command].safeParse(document);
  return success ? [] : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** The names of a document's top-level fields up to the last promised one, in the promised order. */
export function promisedOrder(command: keyof typeof DOCUMENTS, document: object): readonly string[] {
  return Object.keys(DOCUMENTS[command].shape).filter((name) => name in document);
}
