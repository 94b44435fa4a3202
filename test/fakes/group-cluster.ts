import type { ClusterSnapshot } from '../../agent/model/cluster.ts';
import type { GroupPreemptionPlan } from '../../agent/whatif/group/group-plan.ts';
import { type GroupQuestion, planGroupPreemption } from '../../agent/whatif/group/plan-group.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import {
  type ClusterPodParts,
  namesOf,
  nodeNamed,
  PRIORITY,
  podGroupNamed,
  podNamed,
  snapshotOf,
} from './cluster.ts';

/** A group where every pod is to be placed or none: so many members at least. */
export function gang(minCount: number): PlainRecord {
  return { schedulingPolicy: { gang: { minCount } } };
}

/** A composite group with at least so many child groups. */
export function gangOfGroups(minGroupCount: number): PlainRecord {
  return { schedulingPolicy: { gang: { minGroupCount } } };
}

export const ALL: PlainRecord = { disruptionMode: { all: {} } };
export const SINGLE: PlainRecord = { disruptionMode: { single: {} } };

export interface CountedPodParts extends Omit<ClusterPodParts, 'requests'> {
  /** Whole cpus. */
  readonly cpu?: number;
  /** Its PodGroup. */
  readonly group?: string;
}

/** A pod that asks for whole cpus, for one where it says nothing. */
export function counted(name: string, { cpu = 1, group, spec, ...parts }: CountedPodParts = {}): PlainRecord {
  return podNamed(name, {
    ...parts,
    requests: { cpu: `${cpu}` },
    spec: { ...spec, ...(group === undefined ? {} : { schedulingGroup: { podGroupName: group } }) },
  });
}

/** A node with so many cpus. */
export function roomy(name: string, cpu: number, more: Parameters<typeof nodeNamed>[1] = {}): PlainRecord {
  return nodeNamed(name, { ...more, allocatable: { cpu: `${cpu}` } });
}

/** The group `job` of so many pending pods `m1`, `m2`, …, all of which it needs. */
export function job(
  count: number,
  priority: keyof typeof PRIORITY | number,
  more: { readonly cpu?: number; readonly spec?: PlainRecord; readonly pod?: CountedPodParts } = {},
): readonly PlainRecord[] {
  const cpu = more.cpu ?? 1;
  return [
    podGroupNamed('job', {
      ...gang(count),
      priority: typeof priority === 'number' ? priority : PRIORITY[priority],
      ...more.spec,
    }),
    ...Array.from({ length: count }, (_, at) =>
      counted(`m${at + 1}`, { cpu, group: 'job', priority, ...more.pod }),
    ),
  ];
}

/** The plan for the group `job` of the default namespace; fails the test where it is refused. */
export function groupPlanFor(
  snapshot: ClusterSnapshot,
  question: Partial<GroupQuestion> = {},
): GroupPreemptionPlan {
  const plan = planGroupPreemption(snapshot, {
    group: { namespace: 'default', name: 'job' },
    release: '1.37',
    ...question,
  });
  if (!plan.ok) throw new Error(plan.message);
  return plan.value;
}

/** Where members go, as `m1=n1`. */
export function placesOf({ placement }: GroupPreemptionPlan): readonly string[] {
  return placement.map(({ name, node }) => `${name}=${node}`);
}

/** A placement of members by name. */
export function placed(places: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(places));
}

/** What comes of the group `job`, where its members go, and who goes for them. */
export function outline(...objects: readonly PlainRecord[]): readonly unknown[] {
  const plan = groupPlanFor(snapshotOf(...objects));
  return [plan.outcome, placesOf(plan), namesOf(plan.victims)];
}

/** A pod that runs. */
export function run(name: string, node: string, group?: string, priority = 0): PlainRecord {
  return counted(name, { node, priority, ...(group === undefined ? {} : { group }) });
}

/** A member that looks for a node. */
export function wait(name: string, group = 'job', priority = 1000): PlainRecord {
  return counted(name, { group, priority });
}

/** The group `job` itself. */
export function jobOf(spec: PlainRecord): PlainRecord {
  return podGroupNamed('job', { priority: 1000, ...spec });
}
