import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../agent/cli/program.ts';
import { applyWrites, type LimitWrite } from '../../cgroup/apply.ts';
import { limitFiles } from '../../cgroup/disk/cgroup-writer.ts';
import { diskTree } from '../../cgroup/disk/disk-tree.ts';
import { journalFile, readJournalFile } from '../../cgroup/disk/journal-file.ts';
import { closeMount, openMount } from '../../cgroup/disk/mount.ts';
import type { LimitFiles } from '../../cgroup/limit-port.ts';
import { MEMORY_FILES } from '../../cgroup/memory-files.ts';
import { NodeFolder } from '../fakes/node-folder.ts';
import { RecordingIo } from '../fakes/recording-io.ts';

const POD = 'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice';
const CGROUPS = [
  'kubepods.slice',
  'kubepods.slice/kubepods-burstable.slice',
  POD,
  `${POD}/cri-containerd-a.scope`,
  `${POD}/cri-containerd-b.scope`,
  'system.slice',
];
const PLACES = CGROUPS.flatMap((cgroup) => MEMORY_FILES.map((file) => ({ cgroup, file })));

const value = fc.oneof(
  fc.constant('max'),
  fc.integer({ min: 0, max: 9 }).map((pages) => String(pages * 4096)),
);
/** What a file may read before nodeqos comes: mostly limits, and whatever else a tree may hold. */
const content = fc.oneof(
  value.map((text) => `${text}\n`),
  fc.constantFrom('', '\n', 'max', '007\n', '\u00ff\u0000 \n', ` 4096 \n${'x'.repeat(40)}`),
);
const write: fc.Arbitrary<LimitWrite> = fc
  .record({ place: fc.constantFrom(...PLACES), desired: value })
  .map(({ place, desired }) => ({ ...place, desired }));

/** One run of apply: its writes, and the write at which the process dies: before it, or right after it. */
interface Run {
  readonly writes: readonly LimitWrite[];
  readonly diesAt: number;
  readonly diesAfterWriting: boolean;
}

const run: fc.Arbitrary<Run> = fc.record({
  writes: fc.uniqueArray(write, { maxLength: 8, selector: ({ cgroup, file }) => `${cgroup}/${file}` }),
  diesAt: fc.integer({ min: 0, max: 12 }),
  diesAfterWriting: fc.boolean(),
});

class Death extends Error {}

/** Files whose process dies at one of the writes. */
function mortal(files: LimitFiles, { diesAt, diesAfterWriting }: Run): LimitFiles {
  let count = 0;
  return {
    read: (place) => files.read(place),
    write: async (place, text) => {
      const isLast = count === diesAt;
      count += 1;
      if (isLast && !diesAfterWriting) throw new Death();
      const said = await files.write(place, text);
      if (isLast) throw new Death();
      return said;
    },
  };
}

async function applyAsAProcess(node: NodeFolder, one: Run): Promise<void> {
  const mount = openMount(node.mount, true);
  const read = readJournalFile(node.state);
  if (!mount.ok || read.kind === 'damaged' || read.kind === 'failed') {
    throw new Error('the tree cannot be used');
  }
  const tree = diskTree(node.mount);
  const reading = read.kind === 'read' ? read.reading : undefined;
  const journal = journalFile(node.state, reading, null, (cgroup) => tree.inodeOf(cgroup));
  const files = mortal(limitFiles(mount.value), one);
  try {
    await applyWrites(one.writes, { files, journal, interrupted: () => false });
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  } finally {
    closeMount(mount.value);
  }
}

async function reset(node: NodeFolder): Promise<RecordingIo> {
  const io = new RecordingIo();
  expect(await runProgram(['reset', '--root', node.root, '-o', 'json'], io)).toBe(0);
  return io;
}

describe('reset', () => {
  it('restores every byte after any applied plans, each killed at any instant', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: PLACES.length, maxLength: PLACES.length }),
        fc.array(run, { minLength: 1, maxLength: 3 }),
        async (contents, runs) => {
          const node = new NodeFolder(
            Object.fromEntries(
              PLACES.map(({ cgroup, file }, index) => [`${cgroup}/${file}`, contents[index] ?? '']),
            ),
          );
          try {
            const before = node.cgroups();
            for (const one of runs) {
              await applyAsAProcess(node, one);
            }
            await reset(node);
            expect(node.cgroups()).toEqual(before);
            const again = JSON.parse((await reset(node)).stdout) as { entries: unknown[] };
            expect(again.entries).toEqual([]);
            expect(node.cgroups()).toEqual(before);
          } finally {
            node.remove();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
