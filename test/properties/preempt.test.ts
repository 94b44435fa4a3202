import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectivePriority, GroupTree } from '../../agent/decide/group-tree.ts';
import type { ClusterSnapshot, SchedulingPod } from '../../agent/model/cluster.ts';
import type { SchedulerRelease } from '../../agent/whatif/preempt/scheduler-release.ts';
import { preemptionUnits } from '../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import {
  budgetFor,
  compositeNamed,
  nodeNamed,
  planFor,
  podGroupNamed,
  podNamed,
  snapshotOf,
} from '../fakes/cluster.ts';
import { shuffled } from '../fakes/shuffled-snapshot.ts';

const NODES = ['n0', 'n1', 'n2'];
const GROUPS = ['g0', 'g1'];

// Small ranges, so that ties, near ties and full nodes are common.
const mode = fc.constantFrom<PlainRecord>(
  {},
  { disruptionMode: { single: {} } },
  { disruptionMode: { all: {} } },
);
const priority = fc.integer({ min: 0, max: 3 });

const runningPod = fc.record({
  node: fc.constantFrom(...NODES),
  priority,
  cpu: fc.integer({ min: 0, max: 3 }),
  startedAt: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
  labels: fc.constantFrom<PlainRecord>(
    {},
    { app: 'a' },
    { app: 'b' },
    { app: 'a', tier: 't' },
    { tier: 't' },
  ),
  group: fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
  phase: fc.constantFrom('Running', 'Running', 'Running', 'Succeeded'),
  hostPort: fc.option(fc.constantFrom(80, 81), { nil: undefined }),
});

const port = (hostPort: number | undefined): PlainRecord =>
  hostPort === undefined ? {} : { ports: [{ containerPort: 1, hostPort }] };

interface Drawn {
  readonly node?: string;
  readonly priority: number;
  readonly cpu: number;
  readonly phase: string;
  readonly startedAt?: number | undefined;
  readonly labels?: PlainRecord;
  readonly group?: string | undefined;
  readonly hostPort?: number | undefined;
}

function podFrom(name: string, drawn: Drawn): PlainRecord {
  const { cpu, startedAt, labels = {}, group, phase, hostPort, node } = drawn;
  return podNamed(name, {
    priority: drawn.priority,
    labels,
    ...(node === undefined ? {} : { node }),
    ...(startedAt === undefined ? {} : { startedAt }),
    spec: {
      containers: [{ name: 'main', resources: { requests: { cpu: `${cpu}` } }, ...port(hostPort) }],
      ...(group === undefined ? {} : { schedulingGroup: { podGroupName: group } }),
    },
    status: { phase },
  });
}

const clusters: fc.Arbitrary<ClusterSnapshot> = fc
  .record({
    pods: fc.array(runningPod, { maxLength: 10 }),
    incoming: fc.record({
      priority: fc.integer({ min: 0, max: 4 }),
      cpu: fc.integer({ min: 1, max: 4 }),
      hostPort: fc.option(fc.constant(80), { nil: undefined }),
    }),
    capacity: fc.tuple(...NODES.map(() => fc.integer({ min: 1, max: 5 }))),
    // Selectors that overlap: which budget a pod uses up first decides what is left for others.
    budgets: fc.array(
      fc.tuple(
        fc.constantFrom<PlainRecord>({ app: 'a' }, { app: 'b' }, { tier: 't' }),
        fc.integer({ min: 0, max: 2 }),
      ),
      { maxLength: 3 },
    ),
    groups: fc.tuple(...GROUPS.map(() => fc.tuple(priority, mode))),
    root: fc.option(fc.tuple(priority, mode), { nil: undefined }),
  })
  .map(({ pods, incoming, capacity, budgets, groups, root }) =>
    snapshotOf(
      podFrom('p', { ...incoming, phase: 'Pending' }),
      ...pods.map((drawn, at) => podFrom(`pod${at}`, drawn)),
      ...NODES.map((name, at) =>
        nodeNamed(name, { allocatable: { cpu: `${capacity[at] ?? 1}`, pods: '5' } }),
      ),
      ...budgets.map(([labels, allowed], at) => budgetFor(`pdb${at}`, labels, allowed)),
      ...groups.map(([of, disruption], at) =>
        podGroupNamed(`g${at}`, { priority: of, ...disruption, parentCompositePodGroupName: 'root' }),
      ),
      ...(root === undefined ? [] : [compositeNamed('root', { priority: root[0], ...root[1] })]),
    ),
  );

const releases = fc.constantFrom<SchedulerRelease>('1.36', '1.37');

/** The snapshot with one node only, and without these pods. */
function without(snapshot: ClusterSnapshot, node: string, names: ReadonlySet<string>): ClusterSnapshot {
  return {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ name }) => name === node),
    pods: snapshot.pods.filter(({ name }) => !names.has(name)),
  };
}

function priorityIn(snapshot: ClusterSnapshot, pod: SchedulingPod, release: SchedulerRelease): number {
  return release === '1.36'
    ? (pod.priority ?? 0)
    : effectivePriority(pod, new GroupTree(snapshot).groupsOf(pod));
}

describe('preemption for one pod', () => {
  it('is drawn often enough for the rest to say something', () => {
    const drawn = fc.sample(clusters, { numRuns: 200, seed: 1 });
    const planned = drawn.map((snapshot) => planFor(snapshot)).filter(({ outcome }) => outcome === 'planned');
    expect(planned.length).toBeGreaterThan(20);
    expect(
      planned.filter(({ candidates }) => candidates.some(({ spared }) => spared.length > 0)).length,
    ).toBeGreaterThan(5);
  });

  it('does not depend on the order of the snapshot', () => {
    fc.assert(
      fc.property(
        clusters.chain((snapshot) => fc.tuple(fc.constant(snapshot), shuffled(snapshot))),
        releases,
        ([snapshot, other], release) => {
          expect(planFor(other, release)).toEqual(planFor(snapshot, release));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('takes only pods of lower effective priority', () => {
    fc.assert(
      fc.property(clusters, releases, (snapshot, release) => {
        const own = snapshot.pods.find(({ name }) => name === 'p')?.priority ?? 0;
        for (const victim of planFor(snapshot, release).candidates.flatMap(({ victims }) => victims)) {
          const pod = snapshot.pods.find(({ name }) => name === victim.name);
          if (pod === undefined) throw new Error(victim.name);
          expect(priorityIn(snapshot, pod, release)).toBe(victim.priority);
          expect(victim.priority).toBeLessThan(own);
        }
      }),
    );
  });

  it('leaves a node on which the pod fits beside all that are spared, and beside no victim more', () => {
    fc.assert(
      fc.property(clusters, releases, (snapshot, release) => {
        const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), release);
        for (const { node, feasible, victims } of planFor(snapshot, release).candidates) {
          if (!feasible) continue;
          const gone = new Set(victims.map(({ name }) => name));
          expect(gone.size).toBeGreaterThan(0);
          expect(planFor(without(snapshot, node, gone), release).outcome).toBe('not-needed');
          for (const { pods } of units.filter(({ pods }) => pods.some(({ name }) => gone.has(name)))) {
            const others = new Set([...gone].filter((name) => !pods.some((pod) => pod.name === name)));
            expect(planFor(without(snapshot, node, others), release).outcome).not.toBe('not-needed');
          }
        }
      }),
    );
  });

  it('takes every pod of a unit or none of it', () => {
    fc.assert(
      fc.property(clusters, releases, (snapshot, release) => {
        const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), release);
        for (const { victims } of planFor(snapshot, release).candidates) {
          const gone = new Set(victims.map(({ name }) => name));
          for (const { pods } of units) {
            expect([0, pods.length]).toContain(pods.filter(({ name }) => gone.has(name)).length);
          }
        }
      }),
    );
  });
});
