import type { ClusterSnapshot } from '../../agent/model/cluster.ts';
import { readSnapshotTexts } from '../../agent/observe/snapshot/read-snapshot.ts';
import { planPodPreemption } from '../../agent/whatif/preempt/plan-pod.ts';
import type { PreemptionCandidate, PreemptionPlan } from '../../agent/whatif/preempt/preemption-plan.ts';
import type { SchedulerRelease } from '../../agent/whatif/preempt/scheduler-release.ts';
import type { PlainRecord, PlainValue } from '../../config/text/plain-value.ts';

/** What the tables of preemption call their priorities and sizes of cpu; a node has XL. */
export const PRIORITY = { neg: -100, low: 0, mid: 100, high: 1000, vhigh: 10_000 } as const;
export const CPU = { S: '100m', M: '200m', L: '300m', XL: '500m' } as const;

/** The snapshot of these objects, read as from a file. */
export function snapshotOf(...objects: readonly PlainRecord[]): ClusterSnapshot {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  return readSnapshotTexts([{ file: 'snapshot.json', text }]).snapshot;
}

export interface NodeParts {
  readonly allocatable?: PlainRecord;
  readonly labels?: PlainRecord;
  readonly spec?: PlainRecord;
}

/** A node with 500m of cpu and places for 32 pods, unless it says otherwise. */
export function nodeNamed(name: string, parts: NodeParts = {}): PlainRecord {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: parts.labels ?? {} },
    spec: parts.spec ?? {},
    status: { allocatable: { cpu: CPU.XL, pods: '32', ...parts.allocatable } },
  };
}

export interface ClusterPodParts {
  readonly priority?: keyof typeof PRIORITY | number;
  /** Requests, or the cpu alone. */
  readonly requests?: keyof typeof CPU | PlainRecord;
  readonly node?: string;
  /** Seconds after the epoch. */
  readonly startedAt?: number;
  readonly namespace?: string;
  readonly labels?: PlainRecord;
  readonly metadata?: PlainRecord;
  readonly spec?: PlainRecord;
  readonly status?: PlainRecord;
}

/** A pod that runs where it has a node, and is pending where it has none. */
export function podNamed(name: string, parts: ClusterPodParts = {}): PlainRecord {
  const { priority = 'low', requests = 'M', namespace = 'default' } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `${namespace}-${name}`, labels: parts.labels ?? {}, ...parts.metadata },
    spec: {
      priority: typeof priority === 'number' ? priority : PRIORITY[priority],
      containers: [
        {
          name: 'main',
          resources: { requests: typeof requests === 'string' ? { cpu: CPU[requests] } : requests },
        },
      ],
      ...(parts.node === undefined ? {} : { nodeName: parts.node }),
      ...parts.spec,
    },
    status: {
      phase: parts.node === undefined ? 'Pending' : 'Running',
      ...(parts.startedAt === undefined ? {} : { startTime: timeText(parts.startedAt) }),
      ...parts.status,
    },
  };
}

/** Seconds after the epoch as the API writes times. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** A budget for pods with these labels. */
export function budgetFor(
  name: string,
  matchLabels: PlainRecord,
  disruptionsAllowed: number,
  more: { readonly namespace?: string; readonly disruptedPods?: readonly string[] } = {},
): PlainRecord {
  const disrupted = (more.disruptedPods ?? []).map((pod): [string, PlainValue] => [pod, timeText(0)]);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: more.namespace ?? 'default' },
    spec: { selector: { matchLabels } },
    status: { disruptionsAllowed, disruptedPods: Object.fromEntries(disrupted) },
  };
}

/** A PodGroup of 1.37 with this spec. */
export function podGroupNamed(name: string, spec: PlainRecord = {}): PlainRecord {
  return {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    kind: 'PodGroup',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

/** A CompositePodGroup with this spec. */
export function compositeNamed(name: string, spec: PlainRecord = {}): PlainRecord {
  return {
    apiVersion: 'scheduling.k8s.io/v1alpha3',
    kind: 'CompositePodGroup',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

/** The plan for the pod `p` of the default namespace; fails the test where it is refused. */
export function planFor(snapshot: ClusterSnapshot, release: SchedulerRelease = '1.37'): PreemptionPlan {
  const plan = planPodPreemption(snapshot, { namespace: 'default', name: 'p' }, release);
  if (!plan.ok) throw new Error(plan.message);
  return plan.value;
}

/** The names of the victims of each candidate that can be made free, in their order. */
export function victimsByNode(plan: PreemptionPlan): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    plan.candidates
      .filter((candidate) => candidate.feasible)
      .map((candidate) => [candidate.node, namesOf(candidate.victims)]),
  );
}

/** Names of victims or of spared pods. */
export function namesOf(pods: PreemptionCandidate['victims']): readonly string[] {
  return pods.map(({ name }) => name);
}
