import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { AgentLook } from '../../decide/doctor/facts.ts';
import { byText } from '../../decide/ordered-by.ts';
import type { ProcessList } from './processes.ts';

type Known = Omit<AgentLook, 'where'> & { readonly comm: string };

/** Programs that end processes for want of memory, or write memory limits of pods; by their names, cut to 15 characters. */
const KNOWN: readonly Known[] = [
  { name: 'earlyoom', comm: 'earlyoom', does: 'kills' },
  { name: 'nohang', comm: 'nohang', does: 'kills' },
  { name: 'oomd', comm: 'oomd', does: 'kills' },
  { name: 'bustd', comm: 'bustd', does: 'kills' },
  { name: 'low-memory-monitor', comm: 'low-memory-moni', does: 'kills' },
  { name: 'koordlet', comm: 'koordlet', does: 'limits' },
  { name: 'katalyst-agent', comm: 'katalyst-agent', does: 'limits' },
  { name: 'crane-agent', comm: 'crane-agent', does: 'limits' },
  { name: 'vc-agent', comm: 'vc-agent', does: 'limits' },
  { name: 'senpai', comm: 'senpai', does: 'limits' },
];

/** Other agents by their processes, else by the cgroup of their service; undefined where none is seen and not all can be. */
export function otherAgents(
  { processes, isWhole }: ProcessList,
  cgroups: FileTree,
): readonly AgentLook[] | undefined {
  const found = KNOWN.flatMap(({ name, comm, does }) => {
    const process = processes.find((one) => one.comm === comm);
    if (process !== undefined) return [{ name, does, where: `process ${process.pid}` }];
    const service = serviceCgroup(cgroups, name);
    return service === undefined ? [] : [{ name, does, where: service }];
  });
  return found.length === 0 && !isWhole ? undefined : found.toSorted(byText(({ name }) => name));
}

/** By what systemd-oomd is recognised; null where it does not run, undefined where that is not known. */
export function findOomd({ processes, isWhole }: ProcessList, cgroups: FileTree): string | null | undefined {
  const process = processes.find(({ comm }) => comm === 'systemd-oomd');
  if (process !== undefined) return `process ${process.pid}`;
  return serviceCgroup(cgroups, 'systemd-oomd') ?? (isWhole ? null : undefined);
}

/** A service has a cgroup as long as it runs. */
function serviceCgroup(cgroups: FileTree, name: string): string | undefined {
  const cgroup = `system.slice/${name}.service`;
  return cgroups.readDirectory(cgroup).kind === 'read' ? cgroup : undefined;
}
