import { asTheKernelKeeps, type MemoryFile } from './memory-files.ts';
import type { Reasoned } from './memory-high.ts';
import { type Claimant, lowProtection, minProtection, tierProtection } from './protection.ts';
import type { DesiredValue, QosInputs, QosPod } from './qos-pod.ts';
import { containerThrottling, podThrottling } from './throttling.ts';

/**
 * Every value that Memory QoS wants, nothing left out: 0 and `max` are said, since a value that no longer applies would
 * stay otherwise. Node, tier, then pod by pod as they come; the order of writing is for write-order.ts. Rules of Kubernetes
 * 1.37 (KEP-2570), whole pages.
 */
export function desiredMemoryQos(pods: readonly QosPod[], inputs: QosInputs): readonly DesiredValue[] {
  const values: DesiredValue[] = [];
  const { rootMin, burstableLow } = tierProtection(pods, inputs);
  const { kubepods, burstable } = inputs.layout;
  push(values, { ...NO_POD, level: 'node', cgroup: kubepods }, 'memory.min', rootMin);
  push(values, { ...NO_POD, level: 'node', cgroup: kubepods }, 'memory.low', burstableLow);
  for (const { name, cgroup, bytes } of inputs.node.reserved) {
    const limit = asTheKernelKeeps(bytes, inputs.node.pageSizeBytes);
    const reason = `floor_page(${name} memory ${bytes}) = ${limit}`;
    push(values, { ...NO_POD, level: 'node', cgroup }, 'memory.min', { limit, reason });
  }
  const tier = { ...NO_POD, level: 'qos', qosClass: 'Burstable', cgroup: burstable } as const;
  push(values, tier, 'memory.low', burstableLow);
  for (const pod of pods) {
    pushPod(values, pod, inputs);
  }
  return values;
}

type Owner = Pick<DesiredValue, 'level' | 'namespace' | 'pod' | 'uid' | 'container' | 'qosClass' | 'cgroup'>;

const NO_POD = { namespace: null, pod: null, uid: null, container: null, qosClass: null } as const;

function pushPod(values: DesiredValue[], pod: QosPod, inputs: QosInputs): void {
  const { namespace, name, uid, qosClass, requestBytes } = pod;
  const owner: Owner = {
    level: 'pod',
    namespace,
    pod: name,
    uid,
    container: null,
    qosClass,
    cgroup: pod.cgroup,
  };
  const claimant: Claimant = { what: 'pod request', requestBytes, limitBytes: pod.limitBytes };
  push(values, owner, 'memory.min', minProtection(pod, claimant, inputs));
  push(values, owner, 'memory.low', lowProtection(pod, claimant, inputs));
  push(values, owner, 'memory.high', podThrottling(pod, inputs));
  for (const container of pod.containers) {
    const inside: Owner = {
      level: 'container',
      namespace,
      pod: name,
      uid,
      container: container.name,
      qosClass,
      cgroup: container.cgroup,
    };
    const limitBytes = container.limitBytes ?? pod.podLevelLimitBytes;
    const own: Claimant = { what: 'request', requestBytes: container.requestBytes, limitBytes };
    push(values, inside, 'memory.min', minProtection(pod, own, inputs));
    push(values, inside, 'memory.low', lowProtection(pod, own, inputs));
    push(values, inside, 'memory.high', containerThrottling(pod, container, inputs));
  }
}

function push(values: DesiredValue[], owner: Owner, file: MemoryFile, value: Reasoned): void {
  const { level, namespace, pod, uid, container, qosClass, cgroup } = owner;
  const { limit: desired, reason } = value;
  values.push({ level, namespace, pod, uid, container, qosClass, cgroup, file, desired, reason });
}
