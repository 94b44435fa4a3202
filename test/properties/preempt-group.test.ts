import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectivePriority, GroupTree } from '../../agent/decide/group-tree.ts';
import type { ClusterSnapshot } from '../../agent/model/cluster.ts';
import type { GroupPreemptionPlan } from '../../agent/whatif/group/group-plan.ts';
import type { GroupQuestion } from '../../agent/whatif/group/plan-group.ts';
import type { SchedulerRelease } from '../../agent/whatif/preempt/scheduler-release.ts';
import { type PreemptionUnit, preemptionUnits } from '../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { budgetFor, compositeNamed, podGroupNamed, snapshotOf } from '../fakes/cluster.ts';
import { ALL, counted, gang, gangOfGroups, groupPlanFor, roomy, SINGLE } from '../fakes/group-cluster.ts';
import { shuffled } from '../fakes/shuffled-snapshot.ts';

const NODES = ['n0', 'n1', 'n2'];
const mode = fc.constantFrom<PlainRecord>({}, SINGLE, ALL);
const priority = fc.integer({ min: 0, max: 3 });

// Small ranges, so that ties, near ties and full nodes are common. Groups `a` and `b` are the ones that look for room, below
// the composite group `job` or, where there is one only, the group itself.
const runningPod = fc.record({
  node: fc.constantFrom(...NODES, 'elsewhere'),
  priority,
  cpu: fc.integer({ min: 1, max: 3 }),
  startedAt: fc.integer({ min: 0, max: 2 }),
  labels: fc.constantFrom<PlainRecord>(
    {},
    { app: 'a' },
    { app: 'b' },
    { app: 'a', tier: 't' },
    { tier: 't' },
  ),
  group: fc.constantFrom('', 'g0', 'g1', 'a'),
});
const member = fc.record({
  group: fc.constantFrom('a', 'b'),
  cpu: fc.integer({ min: 1, max: 3 }),
});

const clusters: fc.Arbitrary<ClusterSnapshot> = fc
  .record({
    running: fc.array(runningPod, { minLength: 3, maxLength: 10 }),
    members: fc.array(member, { minLength: 1, maxLength: 4 }),
    own: fc.integer({ min: 1, max: 4 }),
    minimum: fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })),
    children: fc.constantFrom(0, 1, 2),
    capacity: fc.tuple(...NODES.map(() => fc.integer({ min: 2, max: 5 }))),
    // Selectors that overlap: which budget a pod uses up first decides what is left for others.
    budgets: fc.array(
      fc.tuple(
        fc.constantFrom<PlainRecord>({ app: 'a' }, { app: 'b' }, { tier: 't' }),
        fc.integer({ min: 0, max: 2 }),
      ),
      { maxLength: 3 },
    ),
    groups: fc.tuple(...['g0', 'g1'].map(() => fc.tuple(priority, mode))),
  })
  .map(({ running, members, own, minimum: [pods, groups], children, ...rest }) => {
    const names: Readonly<Record<string, string>> =
      children === 0 ? { a: 'job', b: 'job' } : { a: 'a', b: children === 1 ? 'a' : 'b' };
    const spec = { priority: own, ...gang(pods) };
    const leaf = (name: string): PlainRecord =>
      podGroupNamed(name, { ...spec, parentCompositePodGroupName: 'job' });
    return snapshotOf(
      ...(children === 0
        ? [podGroupNamed('job', spec)]
        : [
            compositeNamed('job', { priority: own, ...gangOfGroups(Math.min(groups, children)) }),
            ...['a', 'b'].slice(0, children).map(leaf),
          ]),
      ...members.map(({ group, cpu }, at) =>
        counted(`m${at}`, { cpu, group: names[group] ?? group, priority: own }),
      ),
      ...running.map(({ group, ...drawn }, at) =>
        counted(`pod${at}`, { ...drawn, ...(group === '' ? {} : { group: names[group] ?? group }) }),
      ),
      ...NODES.map((name, at) => roomy(name, rest.capacity[at] ?? 1)),
      ...rest.budgets.map(([labels, allowed], at) => budgetFor(`pdb${at}`, labels, allowed)),
      ...rest.groups.map(([of, disruption], at) => podGroupNamed(`g${at}`, { priority: of, ...disruption })),
    );
  });

/** The plan, or undefined where the group has nobody who waits. */
function planOf(
  snapshot: ClusterSnapshot,
  question: Partial<GroupQuestion> = {},
): GroupPreemptionPlan | undefined {
  const isMember = (group: string | undefined): boolean =>
    group === 'job' || snapshot.podGroups.some(({ name, parent }) => name === group && parent === 'job');
  const waits = snapshot.pods.some(
    ({ podGroupName, nodeName }) => nodeName === undefined && isMember(podGroupName),
  );
  return waits ? groupPlanFor(snapshot, question) : undefined;
}

function without(snapshot: ClusterSnapshot, names: ReadonlySet<string>): ClusterSnapshot {
  return { ...snapshot, pods: snapshot.pods.filter(({ name }) => !names.has(name)) };
}

/** The same group in a cluster where these pods are gone, put where it was placed: what comes of it. */
function replaced(
  snapshot: ClusterSnapshot,
  plan: GroupPreemptionPlan,
  gone: ReadonlySet<string>,
): readonly string[] {
  const placement = new Map(plan.placement.map(({ name, node }) => [name, node]));
  // Only who was placed takes part, and nobody may preempt: what is placed now fits as things are.
  const left = without(snapshot, gone);
  const onlyPlaced = {
    ...left,
    pods: left.pods.filter(({ name, nodeName }) => nodeName !== undefined || placement.has(name)),
    podGroups: left.podGroups.map((group) => ({ ...group, policy: { kind: 'gang', minCount: 1 } as const })),
    compositePodGroups: left.compositePodGroups.map((group) => ({
      ...group,
      policy: { kind: 'gang', minCount: 1 } as const,
    })),
  };
  const never = {
    ...onlyPlaced,
    podGroups: onlyPlaced.podGroups.map((group) => ({ ...group, preemptionPolicy: 'Never' as const })),
    compositePodGroups: onlyPlaced.compositePodGroups.map((group) => ({
      ...group,
      preemptionPolicy: 'Never' as const,
    })),
  };
  const again = groupPlanFor(never, { placement });
  return again.placement.map(({ name }) => name);
}

const plans = (release: SchedulerRelease) =>
  clusters.map((snapshot) => ({ snapshot, plan: planOf(snapshot, { release }) }));

/** The units of which pods go. */
function unitsThatGo(snapshot: ClusterSnapshot, gone: ReadonlySet<string>): readonly PreemptionUnit[] {
  const units = preemptionUnits(snapshot.pods, new GroupTree(snapshot), '1.37');
  return units.filter(({ pods }) => pods.some(({ name }) => gone.has(name)));
}

describe('preemption for a group', () => {
  it('is drawn often enough for the rest to say something', () => {
    const planned = fc
      .sample(plans('1.37'), { numRuns: 300, seed: 1 })
      .filter(({ plan }) => plan?.outcome === 'planned');
    expect(planned.length).toBeGreaterThan(40);
    expect(
      planned.filter(({ plan }) => plan?.candidates.some(({ spared }) => spared.length > 0)).length,
    ).toBeGreaterThan(10);
    expect(planned.filter(({ snapshot }) => snapshot.compositePodGroups.length > 0).length).toBeGreaterThan(
      10,
    );
  });

  it.each(['1.36', '1.37'] as const)('does not depend on the order of the snapshot (%s)', (release) => {
    fc.assert(
      fc.property(
        clusters.chain((snapshot) => fc.tuple(fc.constant(snapshot), shuffled(snapshot))),
        ([snapshot, other]) => {
          fc.pre(release === '1.37' || snapshot.compositePodGroups.length === 0);
          expect(planOf(other, { release })).toEqual(planOf(snapshot, { release }));
        },
      ),
    );
  });

  it('takes only pods of lower effective priority, and none of its own', () => {
    fc.assert(
      fc.property(plans('1.37'), ({ snapshot, plan }) => {
        const tree = new GroupTree(snapshot);
        const own = [...snapshot.podGroups, ...snapshot.compositePodGroups].find(
          ({ name }) => name === 'job',
        );
        for (const victim of plan?.victims ?? []) {
          const pod = snapshot.pods.find(({ name }) => name === victim.name);
          if (pod === undefined) throw new Error(victim.name);
          expect(effectivePriority(pod, tree.groupsOf(pod))).toBe(victim.priority);
          expect(victim.priority).toBeLessThan(own?.priority ?? 0);
          expect(tree.groupsOf(pod).map(({ name }) => name)).not.toContain('job');
        }
      }),
    );
  });

  it('takes every pod of a unit or none of it', () => {
    fc.assert(
      fc.property(plans('1.37'), ({ snapshot, plan }) => {
        const gone = new Set(plan?.victims.map(({ name }) => name));
        for (const { pods } of unitsThatGo(snapshot, gone)) {
          expect(pods.filter(({ name }) => !gone.has(name))).toEqual([]);
        }
      }),
    );
  });

  it('leaves a cluster in which all that are placed fit beside all that are spared, and beside no victim more', () => {
    fc.assert(
      fc.property(plans('1.37'), ({ snapshot, plan }) => {
        if (plan?.outcome !== 'planned') return;
        const gone = new Set(plan.victims.map(({ name }) => name));
        const names = plan.placement.map(({ name }) => name);
        expect(gone.size).toBeGreaterThan(0);
        expect(replaced(snapshot, plan, gone)).toEqual(names);
        for (const { pods } of unitsThatGo(snapshot, gone)) {
          const others = new Set([...gone].filter((name) => !pods.some((pod) => pod.name === name)));
          expect(replaced(snapshot, plan, others).length).toBeLessThan(names.length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('in 1.36 too all that are placed fit beside all that are spared', () => {
    fc.assert(
      fc.property(clusters, (snapshot) => {
        fc.pre(snapshot.compositePodGroups.length === 0);
        const plan = planOf(snapshot, { release: '1.36' });
        if (plan?.outcome !== 'planned') return;
        const gone = new Set(plan.victims.map(({ name }) => name));
        expect(replaced(snapshot, plan, gone)).toEqual(plan.placement.map(({ name }) => name));
      }),
    );
  });

  it('lists each victim that is on a node of the snapshot with its node, once', () => {
    fc.assert(
      fc.property(plans('1.37'), ({ plan }) => {
        const known = plan?.victims.filter(({ node }) => node !== 'elsewhere') ?? [];
        const listed = plan?.candidates.flatMap(({ victims }) => victims) ?? [];
        const sorted = (pods: typeof known) => pods.map(({ name, node }) => `${name} ${node}`).sort();
        expect(sorted(listed)).toEqual(sorted(known));
      }),
    );
  });
});
