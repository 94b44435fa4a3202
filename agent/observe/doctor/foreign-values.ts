import { sortBytewise } from '../../../cgroup/byte-order.ts';
import type { FileTree } from '../../../cgroup/file-tree.ts';
import { type JournalRecord, placeKey } from '../../../cgroup/journal.ts';
import { formatLimit, kernelDefault, type Limit, type MemoryFile } from '../../../cgroup/memory-files.ts';
import type { CgroupLayout } from '../../../cgroup/paths.ts';
import { type CgroupReading, readCgroupSnapshot } from '../../../cgroup/snapshot.ts';
import type { ForeignValues } from '../../decide/doctor/facts.ts';

/** What the journal of a node says, or why it says nothing. */
export type JournalLook =
  | { readonly records: ReadonlyMap<string, JournalRecord> }
  | { readonly lack: string };

/**
 * The limits of kubepods and below it that are not the kernel's defaults, told apart by the journal: its own are those of a
 * cgroup that is still the same and that read what was written last. Throws nothing.
 */
export function foreignValues(tree: FileTree, layout: CgroupLayout, journal: JournalLook): ForeignValues {
  const { byCgroup } = readCgroupSnapshot(tree, { layout, reserved: [], workingSets: false });
  const set = sortBytewise([...byCgroup.keys()]).flatMap((cgroup) => {
    const reading = byCgroup.get(cgroup);
    return reading === undefined ? [] : setLimits(reading);
  });
  if ('lack' in journal) return { found: set.map(nameOf), own: 0, journalLack: journal.lack };
  const found = set.filter((limit) => !isOwn(limit, journal.records.get(placeKey(limit)), tree));
  return { found: found.map(nameOf), own: set.length - found.length };
}

interface SetLimit {
  readonly cgroup: string;
  readonly file: MemoryFile;
  readonly value: Limit;
}

function setLimits({ cgroup, min, low, high }: CgroupReading): readonly SetLimit[] {
  const limits: readonly (readonly [MemoryFile, Limit | undefined])[] = [
    ['memory.high', high],
    ['memory.low', low],
    ['memory.min', min],
  ];
  return limits.flatMap(([file, value]) =>
    value === undefined || value === kernelDefault(file) ? [] : [{ cgroup, file, value }],
  );
}

function isOwn({ cgroup, value }: SetLimit, record: JournalRecord | undefined, tree: FileTree): boolean {
  return record?.written.trim() === formatLimit(value) && record.inode === tree.inodeOf(cgroup);
}

function nameOf({ cgroup, file, value }: SetLimit): string {
  return `${cgroup}/${file} ${formatLimit(value)}`;
}
