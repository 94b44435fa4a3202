import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveOfChildren } from '../../cgroup/effective.ts';
import { parseLimit } from '../../cgroup/memory-files.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import { podList, policies, treeOf, uncovered } from '../fakes/planned-nodes.ts';
import { planOn } from '../fakes/planning.ts';
import type { FakeTree } from '../fakes/tree.ts';

function write(tree: FakeTree, { cgroup, file, desired }: PlanEntry): void {
  tree.write(`${cgroup}/${file}`, `${desired}\n`);
}

function writesOf(entries: readonly PlanEntry[]): readonly PlanEntry[] {
  return entries.filter(({ action }) => action === 'write');
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
