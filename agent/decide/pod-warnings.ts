import { podWarning, type Warning } from '../../cgroup/warning.ts';
import type { Pod } from '../model/pod.ts';
import { podName } from './pod-name.ts';
import { computeQosClass } from './qos-class.ts';

/**
 * What a person should know about what a pod says of itself: a class in its status that its resources do not give, and
 * a priority class whose number is nowhere in the input.
 */
export function podWarnings(pod: Pod): readonly Warning[] {
  const name = podName(pod);
  const warnings: Warning[] = [];
  const computed = computeQosClass(pod);
  if (pod.reportedQosClass !== undefined && pod.reportedQosClass !== computed) {
    const message = `pod ${name}: its status says ${pod.reportedQosClass}, its resources make it ${computed}; plan and rank go by the status`;
    warnings.push(podWarning('qos-class-differs', name, message));
  }
  if (pod.priority === undefined && pod.priorityClassName !== undefined) {
    const message = `pod ${name}: no priority is given for its priority class ${pod.priorityClassName}, so 0 is taken; add the PriorityClass objects to the pods to have it resolved`;
    warnings.push(podWarning('priority-not-resolved', name, message));
  }
  return warnings;
}
