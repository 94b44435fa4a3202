import { unitNameOf } from '../../../cgroup/units/unit-name.ts';
import type { AncestorProtection, DoctorFacts } from './facts.ts';
import { WITHOUT_LIVELOCK } from './kernel-checks.ts';
import { isAtLeast, kernelVersion } from './kernel-version.ts';
import { type DoctorWork, type Job, no, partly, yes } from './work.ts';
import { kubeletMayWrite } from './writer-checks.ts';

const PLAN: Job = { id: 'memory-qos-plan', title: 'Memory QoS: plan' };
const WRITES: Job = { id: 'memory-qos-writes', title: 'Memory QoS: writes' };
const THROTTLING: Job = { id: 'throttling', title: 'Throttling (memory.high)' };
const PROTECTION: Job = { id: 'protection', title: 'Protection (memory.min, low)' };
const DRIFT: Job = { id: 'drift-repair', title: 'Drift repair' };

/** What of Memory QoS will work. `lack`: what the main job lacks, if anything. */
export function memoryQosWorks(facts: DoctorFacts, lack: string | undefined): readonly DoctorWork[] {
  const writes = writesWork(facts, lack);
  return [
    lack === undefined ? yes(PLAN, 'cgroup tree, capacity and configuration are there') : no(PLAN, lack),
    writes,
    throttlingWork(facts, writes),
    protectionWork(facts, writes),
    driftWork(facts, writes),
  ];
}

function writesWork(facts: DoctorFacts, lack: string | undefined): DoctorWork {
  const { own, cgroup, root } = facts;
  if (lack !== undefined) return no(WRITES, lack);
  if (!own.settings.memoryQos.enabled) return no(WRITES, 'memoryQos.enabled is false');
  if (root.kind === 'capture')
    return partly(WRITES, 'a capture is not written to; what the node allows stayed there');
  if (cgroup.options?.includes('ro') === true) return no(WRITES, `${cgroup.mountPoint} is mounted read-only`);
  const { limitWrite } = cgroup;
  if (typeof limitWrite === 'object') {
    return no(WRITES, `this user may not write limits (${limitWrite.code}); another one may, such as root`);
  }
  const { stateFolder } = own;
  if (typeof stateFolder?.state === 'object') {
    return no(
      WRITES,
      `${stateFolder.path} may not be written (${stateFolder.state.code}), and nothing is written without its journal`,
    );
  }
  if (stateFolder?.state === 'no-folder') {
    return no(WRITES, `${stateFolder.path} is no folder, and nothing is written without its journal`);
  }
  return limitWrite === undefined
    ? partly(WRITES, `there is no cgroup ${cgroup.kubepods} to write to yet`)
    : writerWork(facts);
}

/** Through systemd where the cgroups are its units and it answers, else to the files. */
function writerWork({ systemd, cgroup, own, root }: DoctorFacts): DoctorWork {
  const { writer } = own.settings.memoryQos;
  const { bus } = systemd;
  if (writer === 'cgroupfs' && unitNameOf(cgroup.kubepods) !== undefined && root.kind === 'host') {
    return partly(
      WRITES,
      'to files (memoryQos.writer: cgroupfs); systemd takes them back at each daemon-reload',
    );
  }
  if (writer === 'cgroupfs' || unitNameOf(cgroup.kubepods) === undefined || root.kind !== 'host') {
    return yes(WRITES, 'to files');
  }
  if (bus !== undefined && 'version' in bus)
    return yes(WRITES, `through systemd ${bus.version}, as properties of its units`);
  const why = bus?.lack ?? 'systemd was not asked';
  return writer === 'systemd'
    ? no(WRITES, `${why}, and memoryQos.writer is systemd`)
    : partly(WRITES, `to files, which systemd takes back at each daemon-reload: ${why}`);
}

function throttlingWork({ own, kernel }: DoctorFacts, writes: DoctorWork): DoctorWork {
  if (!own.policy.throttles)
    return no(THROTTLING, 'memoryThrottlingFactor is not set, so no memory.high is planned');
  if (writes.works === 'no') return no(THROTTLING, writes.because);
  const version = kernelVersion(kernel.release);
  if (version !== undefined && !isAtLeast(version, WITHOUT_LIVELOCK)) {
    return partly(THROTTLING, 'before kernel 5.9 a process over memory.high can be held back for ever');
  }
  return kernel.swapTotalBytes === 0n
    ? yes(THROTTLING, 'without swap it takes page cache, and holds back a process that has none')
    : yes(THROTTLING, 'memory.high takes memory back before memory.max is reached');
}

function protectionWork(facts: DoctorFacts, writes: DoctorWork): DoctorWork {
  const { own, cgroup } = facts;
  if (!own.policy.protects) return no(PROTECTION, 'memoryReservationPolicy is None, so none is planned');
  if (writes.works === 'no') return no(PROTECTION, writes.because);
  const open = cgroup.ancestors.find(isUnprotected);
  if (open !== undefined) {
    return no(
      PROTECTION,
      `${open.cgroup} above the pods has memory.min and memory.low 0, which takes it from all below`,
    );
  }
  if (cgroup.options === undefined)
    return partly(PROTECTION, 'whether the mount has memory_recursiveprot is not known');
  return cgroup.options.includes('memory_recursiveprot')
    ? yes(
        PROTECTION,
        'all parents are given what their pods need; what a pod leaves unused goes to others (nodeqos plan shows it)',
      )
    : partly(PROTECTION, 'without memory_recursiveprot it does not reach cgroups inside a container');
}

function isUnprotected({ min, low }: AncestorProtection): boolean {
  return min === 0n && low === 0n;
}

function driftWork(facts: DoctorFacts, writes: DoctorWork): DoctorWork {
  if (writes.works === 'no') return no(DRIFT, writes.because);
  const others = [
    ...(kubeletMayWrite(facts) && facts.kubelet.alive !== undefined ? ['the kubelet'] : []),
    ...((facts.writers.units ?? []).length > 0 ? ['systemd'] : []),
    ...(facts.writers.agents ?? []).filter(({ does }) => does === 'limits').map(({ name }) => name),
  ];
  return others.length === 0
    ? yes(DRIFT, 'nodeqos run reads each value again, and writes what somebody changed')
    : partly(
        DRIFT,
        `${others.join(' and ')} may write the same values; one that is fought over is left alone for a while`,
      );
}
