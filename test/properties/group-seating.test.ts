import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupTree } from '../../agent/decide/group-tree.ts';
import type { ClusterSnapshot } from '../../agent/model/cluster.ts';
import { attemptGroup } from '../../agent/whatif/group/attempt.ts';
import { hierarchyOf } from '../../agent/whatif/group/group-hierarchy.ts';
import { sceneOf } from '../../agent/whatif/group/group-scene.ts';
import { type PlacedMember, Places } from '../../agent/whatif/group/places.ts';
import { movingSeating, type Seating, triedSeating } from '../../agent/whatif/group/seating.ts';
import { preemptionUnits } from '../../agent/whatif/preempt/units.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { compositeNamed, nodeNamed, podGroupNamed, podNamed, snapshotOf } from '../fakes/cluster.ts';
import { gang, gangOfGroups } from '../fakes/group-cluster.ts';

// Members of few sizes that stand in runs, on nodes that are nearly full with pods of other sizes: most that is given back moves
// somebody, some of it makes room for those that are tried later, and much of it does not fit.
const kind = fc.record({
  cpu: fc.integer({ min: 0, max: 3 }),
  memory: fc.integer({ min: 0, max: 3 }),
  hostPort: fc.option(fc.constantFrom(80, 81), { nil: undefined, freq: 6 }),
  zone: fc.option(fc.constantFrom('a', 'b'), { nil: undefined, freq: 4 }),
});
const small = fc.record({
  cpu: fc.integer({ min: 0, max: 2 }),
  memory: fc.integer({ min: 0, max: 1 }),
  hostPort: fc.option(fc.constantFrom(80, 81), { nil: undefined, freq: 3 }),
  zone: fc.constant(undefined),
});
type Kind = typeof kind extends fc.Arbitrary<infer T> ? T : never;

function podOf(name: string, { cpu, memory, hostPort, zone }: Kind, more: PlainRecord): PlainRecord {
  const { node, group, priority } = more;
  const ports = hostPort === undefined ? {} : { ports: [{ containerPort: 1, hostPort }] };
  const requests = { cpu: String(cpu), memory: String(memory) };
  return podNamed(name, {
    priority: Number(priority),
    ...(typeof node === 'string' ? { node } : {}),
    spec: {
      containers: [{ name: 'c', resources: { requests }, ...ports }],
      ...(zone === undefined ? {} : { nodeSelector: { zone } }),
      ...(typeof group === 'string' ? { schedulingGroup: { podGroupName: group } } : {}),
    },
  });
}

const clusters = fc
  .record({
    nodes: fc.array(
      fc.record({
        cpu: fc.integer({ min: 2, max: 8 }),
        memory: fc.integer({ min: 2, max: 8 }),
        pods: fc.integer({ min: 3, max: 9 }),
        zone: fc.constantFrom('a', 'b'),
      }),
      { minLength: 2, maxLength: 6 },
    ),
    running: fc.array(fc.tuple(fc.nat(5), small), { minLength: 4, maxLength: 24 }),
    members: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), kind), { minLength: 1, maxLength: 3 }),
    minimum: fc.integer({ min: 1, max: 3 }),
    isComposite: fc.boolean(),
  })
  .map(({ nodes, running, members, minimum, isComposite }) => {
    const groupOf = (run: number): string => (isComposite ? `job-${run}` : 'job');
    const pods = members.flatMap(([count, one], run) =>
      Array.from({ length: count }, (_, at) =>
        podOf(`m${run}-${at}`, one, { group: groupOf(run), priority: 9 }),
      ),
    );
    const groups = isComposite
      ? [
          compositeNamed('job', { priority: 9, ...gangOfGroups(1) }),
          ...members.map((_, run) =>
            podGroupNamed(groupOf(run), {
              ...gang(minimum),
              priority: 9,
              parentCompositePodGroupName: 'job',
            }),
          ),
        ]
      : [podGroupNamed('job', { priority: 9, ...gang(1) })];
    return snapshotOf(
      ...groups,
      ...pods,
      ...nodes.map(({ cpu, memory, pods: places, zone }, at) =>
        nodeNamed(`n${at}`, {
          labels: { zone },
          allocatable: { cpu: `${cpu}`, memory: `${memory}`, pods: `${places}` },
        }),
      ),
      ...running.map(([node, one], at) =>
        podOf(`r${at}`, one, { node: `n${node % nodes.length}`, priority: 0 }),
      ),
    );
  });

/** What becomes of the members as one pod after the other is given back: whether it may stay, and where they are then. */
function story(
  snapshot: ClusterSnapshot,
  seat: (...args: Parameters<typeof movingSeating>) => Seating,
): { readonly moves: number; readonly told: readonly unknown[] } {
  const tree = new GroupTree(snapshot);
  const [group] = [...snapshot.compositePodGroups, ...snapshot.podGroups];
  if (group === undefined) throw new Error('no group');
  const root = hierarchyOf(group, snapshot);
  const scene = sceneOf(root, { snapshot, tree, release: '1.36' });
  const sites = scene.nodes.flatMap(({ occupied, room }) => (room === undefined ? [] : [{ occupied, room }]));
  const places = new Places(sites, scene.loads, undefined);
  const units = preemptionUnits(snapshot.pods, tree, '1.36');
  for (const unit of units) places.takeAway(unit);
  const { placed } = attemptGroup(root, places);
  places.free(placed);
  const seating = seat(root, places, placed);
  const where = (all: readonly PlacedMember[]) => all.map(({ pod, site }) => `${pod.name}=${site.index}`);
  const told: unknown[] = [where(placed)];
  for (const unit of units) {
    const stays = seating.findsRoomBeside(places.giveBack(unit));
    if (!stays) places.takeAway(unit);
    told.push([unit.name, stays, where(seating.placed())]);
  }
  const texts = told.map((one) => JSON.stringify(Array.isArray(one) ? one.at(-1) : one));
  return { moves: new Set(texts).size - 1, told };
}

describe('members that may move while pods are given back', () => {
  it('are drawn often enough for the rest to say something', () => {
    const drawn = fc.sample(clusters, { numRuns: 300, seed: 1 }).map((one) => story(one, triedSeating));
    expect(drawn.filter(({ moves }) => moves > 0).length).toBeGreaterThan(60);
    expect(drawn.filter(({ moves }) => moves > 2).length).toBeGreaterThan(10);
  });

  it('are where they would be if all of them were placed anew each time', () => {
    fc.assert(
      fc.property(clusters, (snapshot) => {
        expect(story(snapshot, movingSeating).told).toEqual(story(snapshot, triedSeating).told);
      }),
      { numRuns: 3000 },
    );
  });
});
