import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CommandInputs } from '../fakes/command-inputs.ts';
import { nodeqos } from './binary.ts';

/** The documents of the what-if commands as they are promised: fields that are not promised fail, so that each is a decision. */
const text = z.string();
const fields = z.strictObject;
const envelope = (kind: string) => ({ apiVersion: z.literal('nodeqos.dev/v1alpha1'), kind: z.literal(kind) });
const pod = { namespace: text, name: text };
const taint = fields({ key: text, value: text, effect: text });
const toleration = fields({
  key: text.optional(),
  operator: text,
  value: text.optional(),
  effect: text.optional(),
  tolerationSeconds: z.int().optional(),
});
const warnings = z.array(
  fields({ code: text.regex(/^[a-z0-9-]+$/), message: text, cgroup: text.nullable(), pod: text.nullable() }),
);
const device = { driver: text, pool: text, device: text };
const deviceTaint = fields({ key: text, value: text, effect: text, timeAdded: text.nullable() });

const TAINT_REPORT = fields({
  ...envelope('TaintReport'),
  node: text,
  taints: z.array(taint),
  expectedByCondition: z.array(taint),
  drift: fields({ missing: z.array(taint), unexpected: z.array(taint) }),
  pods: z.array(
    fields({
      ...pod,
      schedulable: z.boolean(),
      firstUntolerated: taint.nullable(),
      preferNoScheduleCount: z.int(),
      noExecute: z.enum(['stay', 'evict-now', 'evict-after']),
      evictAfterSeconds: z.int().positive().nullable(),
      decidedBy: fields({ taint, toleration: toleration.nullable() }).nullable(),
    }),
  ),
  devices: z.array(fields({ ...device, taints: z.array(deviceTaint), allocatable: z.boolean() })).optional(),
  claims: z
    .array(
      fields({
        ...pod,
        reservable: z.boolean(),
        firstUntolerated: fields({ ...device, taint: deviceTaint }).nullable(),
      }),
    )
    .optional(),
  devicePods: z
    .array(
      fields({
        ...pod,
        noExecute: z.enum(['stay', 'evict']),
        evictAt: text.nullable(),
        evictAfterSeconds: z.int().nonnegative().nullable(),
        decidedBy: fields({
          ...device,
          claim: text,
          taint: deviceTaint,
          toleration: toleration.nullable(),
        }).nullable(),
      }),
    )
    .optional(),
  warnings,
});
const victims = z.array(fields({ ...pod, node: text, priority: z.int(), violatesPdb: z.boolean() }));
const PREEMPTION_PLAN = fields({
  ...envelope('PreemptionPlan'),
  outcome: z.enum(['not-needed', 'planned', 'no-candidate', 'not-eligible']),
  reason: text.min(1),
  nominatedNode: text.nullable(),
  tiedNodes: z.array(text),
  victims,
  candidates: z.array(
    fields({
      node: text,
      feasible: z.boolean(),
      reason: text.min(1),
      victims,
      spared: victims,
      pdbViolations: z.int().nonnegative(),
      highestVictimPriority: z.int().nullable(),
      prioritySum: z.int(),
      victimCount: z.int().nonnegative(),
      latestStartTime: text.nullable(),
    }),
  ),
  placement: z.array(fields({ ...pod, node: text })).optional(),
  notModelled: z.array(text),
  warnings,
});

const ADMISSION = fields({
  ...envelope('Admission'),
  ...pod,
  node: text,
  admit: z.boolean(),
  reason: text.nullable(),
  message: text.nullable(),
  preempts: z.array(
    fields({
      ...pod,
      uid: text.nullable(),
      qosClass: z.enum(['Guaranteed', 'Burstable', 'BestEffort']),
      priority: z.int(),
    }),
  ),
  notModelled: z.array(text),
  warnings,
});

const files = new CommandInputs();
afterAll(() => {
  files.remove();
});

const object = (kind: string, name: string, more: object) => ({
  kind,
  metadata: { namespace: 'ns', name },
  ...more,
});
const seconds = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
const node = files.write('node.json', {
  ...object('Node', 'n1', {
    spec: { taints: [{ key: 'a', value: 'v', effect: 'NoExecute' }], unschedulable: true },
  }),
  status: { allocatable: { memory: 1000, pods: 5 }, conditions: [{ type: 'Ready', status: 'Unknown' }] },
});
const one = (name: string, memory: number, tolerations: readonly object[], more: object = {}) =>
  object('Pod', name, {
    apiVersion: 'v1',
    spec: {
      nodeName: 'n1',
      tolerations,
      containers: [{ name: 'c', resources: { requests: { memory } } }],
      ...more,
    },
  });
const pods = files.write('pods.json', {
  kind: 'List',
  items: [one('x', 600, [seconds]), one('y', 1, []), one('z', 1, [{ operator: 'Exists' }])],
});
const incoming = files.write(
  'pod.json',
  one('new', 500, [{ operator: 'Exists' }], { priority: 2_000_000_000 }),
);
const tooLarge = files.write('large.json', one('new', 500, [{ operator: 'Lt' }]));
const devices = files.write('devices.json', {
  kind: 'List',
  items: [
    object('ResourceSlice', 's', {
      spec: {
        driver: 'd',
        pool: { name: 'p' },
        devices: [{ name: 'g', taints: [{ key: 'k', effect: 'NoExecute' }] }],
      },
    }),
    object('ResourceClaim', 'c', {
      status: {
        allocation: {
          devices: {
            results: [{ driver: 'd', pool: 'p', device: 'g', tolerations: [{ ...seconds, key: 'k' }] }],
          },
        },
        reservedFor: [{ resource: 'pods', name: 'x', uid: 'u' }],
      },
    }),
  ],
});

const cluster = 'test/fixtures/cluster/bakery.yaml';
const preempt = (...who: readonly string[]) => ['preempt', '--snapshot', cluster, ...who];

describe('the documents of what-if commands are as promised', () => {
  it.each<[string, z.ZodObject, readonly string[], number]>([
    ['taints', TAINT_REPORT, ['taints', '--node', node, '--pods', pods], 0],
    ['taints of a node alone, edited', TAINT_REPORT, ['taints', '--node', node, '--add', 'b:NoSchedule'], 0],
    [
      'taints of devices',
      TAINT_REPORT,
      ['taints', '--node', node, '--pods', pods, '--snapshot', devices, '--with-defaults'],
      0,
    ],
    ['admit', ADMISSION, ['admit', '--pod', incoming, '--node', node, '--pods', pods], 0],
    ['preempt for a pod', PREEMPTION_PLAN, preempt('--pod', 'bakery/loaf'), 0],
    ['preempt for a group', PREEMPTION_PLAN, preempt('--group', 'bakery/cakes'), 0],
    ['preempt for a member of a group', PREEMPTION_PLAN, preempt('--pod', 'bakery/cake-1'), 1],
    ['preempt at the kubelet', PREEMPTION_PLAN, preempt('--pod', 'bakery/loaf', '--kubelet', 'oven-1'), 1],
    [
      'admit of a pod that is refused',
      ADMISSION,
      ['admit', '--pod', tooLarge, '--node', node, '--pods', pods],
      1,
    ],
  ])('%s', (_what, shape, args, status) => {
    const run = nodeqos([...args, '-o', 'json']);
    const document = JSON.parse(run.stdout) as object;
    const { error } = shape.safeParse(document);
    expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []).toEqual([]);
    expect(Object.keys(document)).toEqual(Object.keys(shape.shape).filter((name) => name in document));
    expect(run.status).toBe(status);
  });
});
