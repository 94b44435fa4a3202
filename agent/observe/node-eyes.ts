import type { CgroupLayout } from '../../cgroup/paths.ts';
import { credibleReadings } from '../decide/credible.ts';
import { isFinished } from '../decide/critical.ts';
import { qosClassInForce } from '../decide/qos-class.ts';
import { filesystemLayout, signalReadings } from '../decide/signals.ts';
import type { Readings } from '../model/node.ts';
import type { Pod, UsageByUid } from '../model/pod.ts';
import type { NodeEyes, PodLook, PodPlace, SeenPods, SignalLook } from '../ports.ts';
import { readCgroupUsage } from './cgroup-usage.ts';
import { type Machine, readMemAvailable } from './machine.ts';
import { readNodeCounters } from './node-counters.ts';
import type { NodeRoot } from './root.ts';

/** What a node is looked at with. */
export interface NodeParts {
  readonly root: NodeRoot;
  readonly layout: CgroupLayout;
  readonly machine: Machine;
  readonly pods: Pick<SeenPods, 'look'>;
}

/** A node by its files: /proc, the cgroup tree and the disks. */
export function nodeEyes({ root, layout, machine, pods }: NodeParts): NodeEyes {
  return {
    signals: (nowMs) => lookAtSignals({ root, layout, machine }, nowMs),
    pods: (nowMs): PodLook => pods.look(nowMs),
    usage: (list) => populatedUsage(root, layout, list),
    isRunning: (pod) => placeOf(root, layout, pod) !== undefined && isPopulated(root, layout, pod),
    placeOf: (pod) => placeOf(root, layout, pod),
  };
}

function lookAtSignals({ root, layout, machine }: Omit<NodeParts, 'pods'>, nowMs: number): SignalLook {
  const { counters, warnings } = readNodeCounters(root, layout, machine);
  const { readings: credible, lacks } = credibleReadings(signalReadings(counters));
  const readings: Readings = new Map(
    [...credible].map(([signal, reading]) => [signal, { ...reading, atMs: nowMs }]),
  );
  const memAvailableBytes = readMemAvailable(root.files);
  return {
    readings,
    psi: counters.memoryPressure ?? null,
    ...(memAvailableBytes === undefined ? {} : { memAvailableBytes }),
    layout: filesystemLayout(counters.filesystems),
    lacks: [...warnings.map(({ message }) => message), ...lacks],
  };
}

/**
 * Usage of the pods that have processes. What is charged to a cgroup without any is page cache that nobody's end would
 * bring back sooner, and a pod that was just killed must not be taken for the one that uses most.
 */
function populatedUsage(root: NodeRoot, layout: CgroupLayout, pods: readonly Pod[]): UsageByUid {
  const populated = pods.filter((pod) => !isFinished(pod) && isPopulated(root, layout, pod));
  return readCgroupUsage(root.cgroups, layout, populated).usage;
}

/** What cannot be read may be populated; a pod without UID has no cgroup. */
function isPopulated(root: NodeRoot, layout: CgroupLayout, pod: Pod): boolean {
  const cgroup = cgroupOf(layout, pod);
  if (cgroup === undefined) return false;
  const events = root.cgroups.readFile(`${cgroup}/cgroup.events`);
  return events.kind !== 'read' || !/^populated 0$/m.test(events.text);
}

function cgroupOf(layout: CgroupLayout, pod: Pod): string | undefined {
  return pod.cgroupUid === undefined ? undefined : layout.podCgroup(qosClassInForce(pod), pod.cgroupUid);
}

function placeOf(root: NodeRoot, layout: CgroupLayout, pod: Pod): PodPlace | undefined {
  const cgroup = cgroupOf(layout, pod);
  const inode = cgroup === undefined ? undefined : root.cgroups.inodeOf(cgroup);
  return cgroup === undefined || inode === undefined ? undefined : { cgroup, inode };
}
