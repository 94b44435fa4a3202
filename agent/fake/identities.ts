import { createHash } from 'node:crypto';
import type { Container, ContainerId, Pod } from '../model/pod.ts';

/**
 * The pods as a node that runs them would know them: a UID and container IDs where there are none yet, made from the names
 * so that the same pods always get the same ones. An ordinary init container without a status has run and ended, since its
 * pod runs. What a pod already has stays as it is.
 */
export function withIdentities(pods: readonly Pod[]): readonly Pod[] {
  const runtime = pods.flatMap(({ containers }) => containers).find(({ containerId }) => containerId)
    ?.containerId?.runtime;
  return pods.map((pod) => {
    const key = `${pod.namespace}/${pod.name}`;
    const uid = pod.uid ?? uuidOf(key);
    return {
      ...pod,
      uid,
      cgroupUid: pod.cgroupUid ?? uid,
      phase: pod.phase === undefined || isWaiting(pod) ? 'Running' : pod.phase,
      containers: pod.containers.map((container) =>
        container.containerId === undefined
          ? started(container, { runtime: runtime ?? 'containerd', id: digest(`${key}/${container.name}`) })
          : container,
      ),
    };
  });
}

/** A manifest that no API has seen may say Pending; a node that has the pod runs it. */
function isWaiting(pod: Pod): boolean {
  return pod.uid === undefined && pod.phase === 'Pending';
}

/** A 64-digit ID for a pod's sandbox, which no status names. */
export function sandboxId(pod: Pod): string {
  return digest(`${pod.cgroupUid ?? ''} sandbox`);
}

/** A number from 0 to 99 that a text always draws again. */
export function lotOf(text: string): bigint {
  return BigInt(`0x${digest(text).slice(0, 8)}`) % 100n;
}

/** A UUID that a text always gets again. */
export function uuidOf(text: string): string {
  const hex = digest(text);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function started(container: Container, containerId: ContainerId): Container {
  return { ...container, containerId, terminated: container.terminated || container.type === 'init' };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
