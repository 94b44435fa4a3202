import { readJournalFile } from '../../../cgroup/disk/journal-file.ts';
import { pruneJournal } from '../../../cgroup/journal.ts';
import type { MemoryFile } from '../../../cgroup/memory-files.ts';
import { unitNameOf } from '../../../cgroup/units/unit-name.ts';
import type { OwnFacts, WriterFacts } from '../../decide/doctor/facts.ts';
import { foreignValues, type JournalLook } from '../../observe/doctor/foreign-values.ts';
import { findOomd, otherAgents } from '../../observe/doctor/other-agents.ts';
import { type ProcessList, runningNodeqos } from '../../observe/doctor/processes.ts';
import { unitDropIns } from '../../observe/doctor/unit-drop-ins.ts';
import { readBootId } from '../../observe/machine.ts';
import { present } from '../../observe/present.ts';
import { stateFolderOf } from './own-facts.ts';
import type { DoctorScene } from './scene.ts';

/** Who else is there. Throws nothing. */
export function writerFacts(scene: DoctorScene, own: Pick<OwnFacts, 'lock'>): WriterFacts {
  const { root, layout, processes } = scene;
  const journal = journalOf(scene);
  const isSeen = root.cgroups.readFile('cgroup.controllers').kind === 'read';
  const values = isSeen ? foreignValues(root.cgroups, layout, journal) : { own: 0 };
  if (processes === undefined) return { hiddenUnits: [], values };
  const { units, hidden } = unitDropIns(root.files, setBySystemd(journal));
  return {
    units,
    hiddenUnits: hidden,
    ...present('oomd', findOomd(processes, root.cgroups)),
    ...present('agents', otherAgents(processes, root.cgroups)),
    ...present('otherNodeqos', othersOf(processes, own)),
    values,
  };
}

function othersOf(list: ProcessList, { lock }: Pick<OwnFacts, 'lock'>): readonly number[] | undefined {
  const holder = lock?.kind === 'held' ? lock.pid : undefined;
  const others = runningNodeqos(list.processes).filter((pid) => pid !== process.pid && pid !== holder);
  return others.length === 0 && !list.isWhole ? undefined : others;
}

function journalOf(scene: DoctorScene): JournalLook {
  const folder = stateFolderOf(scene);
  if (folder === undefined) return { lack: 'the journal stayed on the node' };
  const read = readJournalFile(folder);
  switch (read.kind) {
    case 'missing':
      return { records: new Map() };
    case 'damaged':
    case 'failed':
      return { lack: `the journal does not tell whose they are (${read.message})` };
    case 'read': {
      const { files, cgroups } = scene.root;
      const bootId = readBootId(files) ?? null;
      return pruneJournal(read.reading.journal, bootId, (cgroup) => cgroups.inodeOf(cgroup));
    }
  }
}

const PROPERTIES: Readonly<Record<MemoryFile, string>> = {
  'memory.high': 'MemoryHigh',
  'memory.low': 'MemoryLow',
  'memory.min': 'MemoryMin',
};

/** Whether nodeqos set a property of a unit through systemd, which has kept it in a drop-in. */
function setBySystemd(journal: JournalLook): (unit: string, key: string) => boolean {
  const records = 'lack' in journal ? [] : [...journal.records.values()];
  const own = new Set(
    records
      .filter(({ writer }) => writer === 'systemd')
      .map(({ cgroup, file }) => `${unitNameOf(cgroup) ?? ''} ${PROPERTIES[file]}`),
  );
  return (unit, key) => own.has(`${unit} ${key}`);
}
