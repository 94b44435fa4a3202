import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LimitWrites } from '../../agent/act/limits/limit-writes.ts';
import { desiredValues } from '../../agent/decide/memory-qos-plan.ts';
import type { Pod } from '../../agent/model/pod.ts';
import { readDifferences } from '../../cgroup/differences.ts';
import { emptyJournal } from '../../cgroup/journal.ts';
import type { LimitFiles } from '../../cgroup/limit-port.ts';
import { writesOfTick } from '../../cgroup/reconcile.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import { FakeJournal } from '../fakes/limit-files.ts';
import { podList, policies, treeOf, uncovered } from '../fakes/planned-nodes.ts';
import { planInputs, planOn } from '../fakes/planning.ts';
import type { FakeTree } from '../fakes/tree.ts';

/** The limit files of a tree in memory; `afterWrite` is called after each write. */
function filesOf(tree: FakeTree, afterWrite: () => void): LimitFiles {
  return {
    read: ({ cgroup, file }) => {
      const read = tree.readFile(`${cgroup}/${file}`);
      const inode = tree.inodeOf(cgroup);
      return Promise.resolve(
        read.kind === 'read' && inode !== undefined
          ? { kind: 'read', text: read.text, inode }
          : { kind: 'vanished', error: 'gone' },
      );
    },
    write: ({ cgroup, file }, text) => {
      tree.write(`${cgroup}/${file}`, text);
      afterWrite();
      return Promise.resolve({ kind: 'written' });
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Looks and writes until nothing differs, `budget` writes a tick; now and then a tick comes before the last has ended. */
async function reconcile(
  tree: FakeTree,
  pods: readonly Pod[],
  policy: MemoryQosPolicy,
  pace: { readonly budget: number; readonly waits: readonly boolean[] },
): Promise<void> {
  const before = uncovered(tree);
  const files = filesOf(tree, () => {
    for (const parent of uncovered(tree)) {
      expect(before).toContain(parent);
    }
  });
  const writes = new LimitWrites({ files, journal: new FakeJournal(emptyJournal(null), []) });
  const { desired } = desiredValues(planInputs(pods, { policy }));
  for (let tick = 0; ; tick += 1) {
    writes.take();
    const inFlight = writes.inFlight();
    const { differing } = readDifferences(tree, desired);
    if (differing.length === 0 && inFlight.size === 0) {
      return;
    }
    const chosen = writesOfTick(differing, { leftAlone: NONE, putOff: NONE, inFlight, budget: pace.budget });
    expect(chosen.length <= pace.budget).toBe(true);
    writes.start(chosen.map((entry) => ({ ...entry, from: entry.current })));
    if (pace.waits[tick % pace.waits.length] === true) {
      await writes.idle();
    } else {
      await Promise.resolve();
    }
  }
}

function contents(tree: FakeTree, pods: readonly Pod[], policy: MemoryQosPolicy): readonly string[] {
  return planOn(tree, pods, { policy }).entries.map(({ cgroup, file }) => {
    const read = tree.readFile(`${cgroup}/${file}`);
    return `${cgroup}/${file} ${read.kind === 'read' ? read.text : read.kind}`;
  });
}

describe('reconciling a few writes at a time', () => {
  it('ends where one plan would, with parents covering their children after every write', async () => {
    const pace = fc.record({
      budget: fc.integer({ min: 1, max: 9 }),
      waits: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(podList, policies, policies, pace, async (pods, first, second, paced) => {
        const tree = treeOf(pods);
        await reconcile(tree, pods, first, paced);
        await reconcile(tree, pods, second, paced);
        const planned = treeOf(pods);
        for (const policy of [first, second]) {
          for (const { cgroup, file, desired, action } of planOn(planned, pods, { policy }).entries) {
            if (action === 'write') planned.write(`${cgroup}/${file}`, `${desired}\n`);
          }
        }
        expect(contents(tree, pods, second)).toEqual(contents(planned, pods, second));
      }),
    );
  });
});
