import type { Pod, QosClass } from '../model/pod.ts';

export function computeQosClass(_pod: Pod): QosClass {
  throw new Error('not built yet');
}

export function qosClassInForce(pod: Pod): QosClass {
  return pod.reportedQosClass ?? computeQosClass(pod);
}
