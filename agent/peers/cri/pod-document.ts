import type { QosClass } from '../../../cgroup/paths.ts';
import type { PlainRecord } from '../../../config/text/plain-value.ts';
import type { ContainerDetail, RuntimeContainer } from './facts.ts';
import { type KnownPod, qosClassOf } from './runtime-pod.ts';

/** What a kubelet tells the runtime of where a pod is from (kubelet: types/pod_update.go). */
export const CONFIG_SOURCE = 'kubernetes.io/config.source';
const ORIGIN = [CONFIG_SOURCE, 'kubernetes.io/config.hash', 'kubernetes.io/config.mirror'] as const;

/** What a kubelet tells of a container (kubelet: kuberuntime/labels.go). */
const GRACE = 'io.kubernetes.pod.terminationGracePeriod';

/**
 * What a runtime knows of a pod, as a v1 Pod. Requests are not among it: for a Guaranteed pod they are the limits, which the
 * API fills in; for any other one they are stated as 0, so that nobody takes the limits for them.
 */
export function podDocument(pod: KnownPod): PlainRecord {
  const { sandbox, containers, detail, limits, runtime } = pod;
  const qosClass = qosClassOf(pod);
  const grace = graceSecondsOf(containers);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: sandbox.namespace,
      name: sandbox.name,
      uid: sandbox.uid,
      labels: Object.fromEntries(sandbox.labels),
      annotations: Object.fromEntries(
        ORIGIN.flatMap((key) => {
          const value = sandbox.annotations.get(key);
          return value === undefined ? [] : [[key, value]];
        }),
      ),
    },
    spec: {
      hostNetwork: detail !== 'unknown' && detail.isOnHostNetwork,
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
      containers: containers.map(({ id, name }) => ({
        name,
        resources: resources(limits.get(id), qosClass),
      })),
    },
    status: {
      phase: 'Running',
      ...(qosClass === undefined ? {} : { qosClass }),
      containerStatuses: containers.map(({ id, name }) => ({
        name,
        containerID: `${runtime}://${id}`,
        state: { running: {} },
      })),
    },
  };
}

function resources(
  detail: ContainerDetail | 'unknown' | undefined,
  qosClass: QosClass | undefined,
): PlainRecord {
  if (detail === undefined || detail === 'unknown') return {};
  const { memoryLimitBytes: memory, cpuLimitMilli: cpu } = detail;
  const limits = {
    ...(cpu === undefined ? {} : { cpu: `${cpu}m` }),
    ...(memory === undefined ? {} : { memory: String(memory) }),
  };
  if (qosClass === 'Guaranteed') return { limits };
  return { limits, requests: Object.fromEntries(Object.keys(limits).map((resource) => [resource, '0'])) };
}

/** The longest of its containers', which is that of the pod: each of them has been told it. */
function graceSecondsOf(containers: readonly RuntimeContainer[]): number | undefined {
  const told = containers.flatMap(({ annotations }) => {
    const text = annotations.get(GRACE) ?? '';
    return /^\d{1,9}$/.test(text) ? [Number(text)] : [];
  });
  return told.length === 0 ? undefined : Math.max(...told);
}
