import type { FileTree } from '../../cgroup/file-tree.ts';
import { parseCounter, parseProcs, workingSetBytes } from '../../cgroup/parse.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { podWarning, type Warning } from '../../cgroup/warning.ts';
import { isFinished } from '../decide/critical.ts';
import { qosClassInForce } from '../decide/qos-class.ts';
import type { Pod, PodUsage, UsageByUid } from '../model/pod.ts';
import { CgroupReader } from './cgroup-reader.ts';

/** Usage of pods, and what could not be read for it. */
export interface CgroupUsage {
  readonly usage: UsageByUid;
  readonly warnings: readonly Warning[];
}

/**
 * What the pods use of memory and processes, from their cgroups below a cgroup2 mount. Local storage is not in the tree. A
 * pod whose cgroup is not there has no usage at all, and a warning. Throws nothing.
 */
export function readCgroupUsage(cgroups: FileTree, layout: CgroupLayout, pods: readonly Pod[]): CgroupUsage {
  const usage = new Map<string, PodUsage>();
  const warnings: Warning[] = [];
  const reader = new CgroupReader(cgroups);
  for (const pod of pods) {
    if (isFinished(pod) || pod.cgroupUid === undefined) continue;
    const cgroup = layout.podCgroup(qosClassInForce(pod), pod.cgroupUid);
    if (cgroup === undefined || cgroups.readDirectory(cgroup).kind === 'missing') {
      warnings.push(absentCgroup(pod, cgroup));
      continue;
    }
    usage.set(pod.cgroupUid, readPodUsage(cgroups, reader, pod, cgroup));
  }
  return { usage, warnings: [...warnings, ...reader.warnings] };
}

function absentCgroup(pod: Pod, cgroup: string | undefined): Warning {
  const where = cgroup === undefined ? 'a UID that names no cgroup' : `no cgroup ${cgroup}`;
  const name = `${pod.namespace}/${pod.name}`;
  return podWarning('no-cgroup', name, `${name} has ${where}: its usage is not known`);
}

function readPodUsage(cgroups: FileTree, reader: CgroupReader, pod: Pod, cgroup: string): PodUsage {
  const name = `${pod.namespace}/${pod.name}`;
  const consequence = 'the working set is not known';
  const current = reader.counter(cgroup, 'memory.current', name, consequence);
  const keys = { needed: ['inactive_file'], wanted: ['active_file'] } as const;
  const stat = reader.memoryStat(cgroup, keys, name, consequence);
  const processes = processCount(cgroups, cgroup);
  return {
    ...(current === undefined || stat.inactive_file === undefined
      ? {}
      : { memoryWorkingSetBytes: workingSetBytes(current, stat.inactive_file) }),
    ...(stat.active_file === undefined ? {} : { activeFileBytes: stat.active_file }),
    ...(processes === undefined ? {} : { processCount: processes }),
  };
}

/** pids.current of the pod's cgroup, else the processes in it and below; undefined where neither can be read. */
function processCount(cgroups: FileTree, cgroup: string): bigint | undefined {
  const read = cgroups.readFile(`${cgroup}/pids.current`);
  const current = read.kind === 'read' ? parseCounter(read.text) : undefined;
  return current ?? countProcesses(cgroups, cgroup);
}

function countProcesses(cgroups: FileTree, cgroup: string): bigint | undefined {
  const procs = cgroups.readFile(`${cgroup}/cgroup.procs`);
  const children = cgroups.readDirectory(cgroup);
  if (procs.kind !== 'read' || children.kind !== 'read') return undefined;
  let count = BigInt(parseProcs(procs.text).length);
  for (const child of children.directories) {
    // A child that went away between the listing and the look has no processes any more.
    count += countProcesses(cgroups, `${cgroup}/${child}`) ?? 0n;
  }
  return count;
}
