import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { UnitSetting } from '../../decide/doctor/facts.ts';
import { byText } from '../../decide/ordered-by.ts';

/** Where systemd has units and their drop-ins from (systemd.unit(5)); those in /run are gone at the next boot. */
const FOLDERS = [
  'etc/systemd/system.control',
  'run/systemd/system.control',
  'run/systemd/transient',
  'etc/systemd/system',
  'run/systemd/system',
  'usr/lib/systemd/system',
] as const;

/** Slices of pods under any cgroupRoot, and scopes of containers by the three runtimes. */
const UNIT_OF_PODS =
  /^(?:(?:.+-)?kubepods(?:-.+)?\.slice|(?:cri-containerd|crio|docker)-[0-9a-f]{64}\.scope)$/;
const MEMORY_LIMIT = /^[ \t]*(MemoryHigh|MemoryLow|MemoryMin)[ \t]*=/gm;

/** What was found of drop-ins, and the folders that may not be looked into. */
export interface UnitDropIns {
  readonly units: readonly UnitSetting[];
  readonly hidden: readonly string[];
}

/**
 * Unit files and drop-ins that set a memory limit of a pods' unit, sorted. `isOwn` says of a unit and a key, such as
 * MemoryHigh, whether nodeqos set it through systemd itself. Throws nothing.
 */
export function unitDropIns(files: FileTree, isOwn: (unit: string, key: string) => boolean): UnitDropIns {
  const units: UnitSetting[] = [];
  const hidden: string[] = [];
  const look = (path: string, unit: string): void => {
    const read = files.readFile(path);
    if (read.kind === 'failed') hidden.push(files.nameOf(path));
    const text = read.kind === 'read' ? read.text : '';
    const keys = [...new Set([...text.matchAll(MEMORY_LIMIT)].map(([, key = '']) => key))].toSorted();
    const others = keys.filter((key) => !isOwn(unit, key));
    if (others.length > 0) units.push({ file: files.nameOf(path), keys: others });
  };
  for (const folder of FOLDERS) {
    const listed = files.readDirectory(folder);
    if (listed.kind === 'failed') hidden.push(files.nameOf(folder));
    if (listed.kind !== 'read') continue;
    for (const name of listed.files.filter((one) => UNIT_OF_PODS.test(one))) look(`${folder}/${name}`, name);
    for (const name of listed.directories.filter((one) => UNIT_OF_PODS.test(one.replace(/\.d$/, '')))) {
      const inside = files.readDirectory(`${folder}/${name}`);
      if (inside.kind === 'failed') hidden.push(files.nameOf(`${folder}/${name}`));
      for (const file of inside.kind === 'read' ? inside.files : []) {
        if (file.endsWith('.conf')) look(`${folder}/${name}/${file}`, name.replace(/\.d$/, ''));
      }
    }
  }
  return { units: units.toSorted(byText(({ file }) => file)), hidden: hidden.toSorted() };
}
