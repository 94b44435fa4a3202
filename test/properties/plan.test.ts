import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../agent/model/pod.ts';
import { effectiveOfChildren } from '../../cgroup/effective.ts';
import { parseLimit } from '../../cgroup/memory-files.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import { type CgroupReading, readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import { planOn, podOf } from '../fakes/planning.ts';
import { addCgroup, cgroupTree, type FakeTree } from '../fakes/tree.ts';

const layout = cgroupLayout('systemd', '/');
const REQUEST = { layout, reserved: [], workingSets: false };

const amount = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 40_000 }),
  fc.integer({ min: 1, max: 2 ** 40 }),
);

const container = fc.record({
  request: fc.option(amount, { nil: undefined }),
  limit: fc.option(amount, { nil: undefined }),
  cpu: fc.boolean(),
});

const podList = fc
  .array(fc.record({ containers: fc.array(container, { minLength: 1, maxLength: 3 }), overhead: amount }), {
    maxLength: 6,
  })
  .map((pods) => pods.map((pod, index) => podFrom(pod, index)));

const policies: fc.Arbitrary<MemoryQosPolicy> = fc.record({
  memoryThrottlingFactor: fc.constantFrom(null, 0.4, 0.7, 0.9, 1),
  memoryReservationPolicy: fc.constantFrom('None' as const, 'TieredReservation' as const),
  protection: fc.constant('kubelet' as const),
  headroom: fc.constant(0.05),
});

interface PodShape {
  readonly containers: readonly {
    readonly request?: number | undefined;
    readonly limit?: number | undefined;
    readonly cpu: boolean;
  }[];
  readonly overhead: number;
}

function podFrom({ containers, overhead }: PodShape, index: number): Pod {
  const cpu = { cpu: '1' };
  return podOf({
    metadata: { name: `p${index}`, uid: `u-${index}` },
    spec: {
      overhead: { memory: `${overhead}` },
      containers: containers.map((shape, place) => {
        const limit = shape.limit === undefined ? undefined : Math.max(shape.limit, shape.request ?? 0);
        return {
          name: `c${place}`,
          resources: {
            requests: {
              ...(shape.request === undefined ? {} : { memory: `${shape.request}` }),
              ...(shape.cpu ? cpu : {}),
            },
            limits: { ...(limit === undefined ? {} : { memory: `${limit}` }), ...(shape.cpu ? cpu : {}) },
          },
        };
      }),
    },
    status: {
      containerStatuses: containers.map((_, place) => ({
        name: `c${place}`,
        containerID: `containerd://${index}a${place}`,
      })),
    },
  });
}

/** A tree with every cgroup that a plan of these pods names, as new ones are. */
function treeOf(pods: readonly Pod[], usage: (index: number) => bigint = () => 0n): FakeTree {
  const tree = cgroupTree({ 'kubepods.slice': {}, [layout.burstable]: {}, [layout.besteffort]: {} });
  const named = planOn(tree, pods).entries.map(({ cgroup }) => cgroup);
  for (const [index, cgroup] of [...new Set(named)].entries()) {
    if (cgroup !== null) {
      addCgroup(tree, cgroup, { current: usage(index) });
    }
  }
  return tree;
}

function write(tree: FakeTree, { cgroup, file, desired }: PlanEntry): void {
  tree.write(`${cgroup}/${file}`, `${desired}\n`);
}

function writesOf(entries: readonly PlanEntry[]): readonly PlanEntry[] {
  return entries.filter(({ action }) => action === 'write');
}

/** Parents of which memory.min or memory.low is below the sum of their children's. */
function uncovered(tree: FakeTree): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (reading: CgroupReading): void => {
    for (const knob of ['min', 'low'] as const) {
      const sum = reading.children.reduce((total, child) => total + bytes(child[knob]), 0n);
      if (reading.children.length > 0 && bytes(reading[knob]) < sum) {
        found.add(`${reading.cgroup} ${knob}`);
      }
    }
    reading.children.forEach(visit);
  };
  const { kubepods } = readCgroupSnapshot(tree, REQUEST);
  if (kubepods !== undefined) {
    visit(kubepods);
  }
  return found;
}

function bytes(limit: bigint | 'max' | undefined): bigint {
  return limit === 'max' ? 1n << 70n : (limit ?? 0n);
}

/** Writes a plan step by step; a parent that covered its children before the plan must do so after each step. */
function expectCoverage(tree: FakeTree, entries: readonly PlanEntry[]): void {
  const before = uncovered(tree);
  for (const entry of writesOf(entries)) {
    write(tree, entry);
    for (const parent of uncovered(tree)) {
      expect(before).toContain(parent);
    }
  }
}

describe('plans', () => {
  it('applied once, leave nothing to write', () => {
    fc.assert(
      fc.property(podList, policies, fc.constantFrom(4096, 65536), (pods, policy, pageSizeBytes) => {
        const tree = treeOf(pods);
        const changes = { policy, machine: { memoryCapacityBytes: 1n << 35n, pageSizeBytes } };
        writesOf(planOn(tree, pods, changes).entries).forEach((entry) => {
          write(tree, entry);
        });
        const again = planOn(tree, pods, changes);
        expect(writesOf(again.entries)).toEqual([]);
        expect(again.summary.missing).toBe(0);
      }),
    );
  });

  it('only ever write whole pages or max', () => {
    fc.assert(
      fc.property(podList, policies, (pods, policy) => {
        for (const { desired } of planOn(treeOf(pods), pods, { policy }).entries) {
          const limit = parseLimit(desired);
          expect(limit === 'max' || (limit !== undefined && limit % 4096n === 0n)).toBe(true);
        }
      }),
    );
  });

  it('do not depend on the order of pods', () => {
    fc.assert(
      fc.property(
        podList.chain((pods) =>
          fc.tuple(fc.constant(pods), fc.shuffledSubarray(pods, { minLength: pods.length })),
        ),
        ([pods, shuffled]) => {
          const tree = treeOf(pods);
          expect(planOn(tree, shuffled)).toEqual(planOn(tree, pods));
        },
      ),
    );
  });

  it('keep parents covering their children at every write, switching policies on a node', () => {
    fc.assert(
      fc.property(podList, policies, policies, (pods, first, second) => {
        const tree = treeOf(pods);
        expectCoverage(tree, planOn(tree, pods, { policy: first }).entries);
        expectCoverage(tree, planOn(tree, pods, { policy: second }).entries);
      }),
    );
  });

  it('keep parents covering their children at every write when pods come and go', () => {
    fc.assert(
      fc.property(podList, fc.nat(6), (pods, count) => {
        const tree = treeOf(pods);
        expectCoverage(tree, planOn(tree, pods.slice(0, count)).entries);
        expectCoverage(tree, planOn(tree, pods).entries);
        for (const pod of pods.slice(count)) {
          for (const { cgroup } of planOn(tree, [pod]).entries.filter(({ level }) => level === 'pod')) {
            tree.remove(cgroup ?? '');
          }
        }
        expectCoverage(tree, planOn(tree, pods.slice(0, count)).entries);
      }),
    );
  });
});

describe('effective protection', () => {
  const children = fc.array(fc.record({ usage: fc.bigInt(0n, 1000n), value: fc.bigInt(0n, 1000n) }), {
    maxLength: 6,
  });

  it('without the mount option is never above usage, value or what the parent has together', () => {
    fc.assert(
      fc.property(children, fc.bigInt(0n, 2000n), fc.bigInt(0n, 3000n), (given, effective, usage) => {
        const result = effectiveOfChildren({ usage, effective }, given, false);
        result.forEach((own, index) => {
          expect(own <= (given[index]?.usage ?? -1n) && own <= (given[index]?.value ?? -1n)).toBe(true);
        });
        expect(result.reduce((total, own) => total + own, 0n) <= effective).toBe(true);
      }),
    );
  });

  it('with it is never below what it is without, and never above the parent as long as usage adds up', () => {
    fc.assert(
      fc.property(children, fc.bigInt(0n, 2000n), fc.bigInt(0n, 1000n), (given, effective, own) => {
        const usage = given.reduce((total, child) => total + child.usage, own);
        const plain = effectiveOfChildren({ usage, effective }, given, false);
        const recursive = effectiveOfChildren({ usage, effective }, given, true);
        recursive.forEach((value, index) => {
          expect(value >= (plain[index] ?? 0n)).toBe(true);
        });
        expect(recursive.reduce((total, value) => total + value, 0n) <= effective).toBe(true);
      }),
    );
  });
});
