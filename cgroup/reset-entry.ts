import { parsePodCgroup } from './paths.ts';
import type { PlanEntry } from './plan.ts';
import type { QosLevel } from './qos-pod.ts';
import type { ResetWrite } from './reset.ts';

/**
 * A write of `reset` in the shape of a plan's entry. Level and class come from the cgroup's name; which pod it is of is not
 * known here and null.
 */
export function resetEntry(write: ResetWrite): PlanEntry {
  const { level, qosClass } = placeOf(write.cgroup);
  return {
    level,
    namespace: null,
    pod: null,
    uid: null,
    container: null,
    qosClass,
    cgroup: write.cgroup,
    file: write.file,
    current: write.current,
    desired: write.desired,
    action: 'write',
    reason: write.reason,
  };
}

interface Place {
  readonly level: QosLevel;
  readonly qosClass: PlanEntry['qosClass'];
}

function placeOf(cgroup: string): Place {
  const parts = cgroup.split('/');
  for (let length = parts.length; length > 0; length -= 1) {
    const pod = parsePodCgroup(parts.slice(0, length).join('/'));
    if (pod !== undefined) {
      return { level: length === parts.length ? 'pod' : 'container', qosClass: pod.qosClass };
    }
  }
  const name = parts.at(-1) ?? '';
  if (name === 'burstable' || name.endsWith('kubepods-burstable.slice')) {
    return { level: 'qos', qosClass: 'Burstable' };
  }
  if (name === 'besteffort' || name.endsWith('kubepods-besteffort.slice')) {
    return { level: 'qos', qosClass: 'BestEffort' };
  }
  return { level: 'node', qosClass: null };
}
