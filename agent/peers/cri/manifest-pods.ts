import type { QosClass } from '../../../cgroup/paths.ts';
import { podName } from '../../decide/pod-name.ts';
import type { Container, ContainerId, Pod } from '../../model/pod.ts';

/** A pod as read from the runtime's answers. */
export interface PodThatRuns {
  readonly pod: Pod;
  readonly qosClass: QosClass | undefined;
  /** Whether a kubelet told the runtime to run it. */
  readonly isOfKubelet: boolean;
}

/** Manifests and what runs, put together. */
export interface Combined {
  /** Each manifest once: with UID, class and container IDs where it runs, else as it is. */
  readonly ofManifests: readonly Pod[];
  /** Those that run and have no manifest. */
  readonly others: readonly PodThatRuns[];
}

/**
 * Finds what runs for each manifest: by its UID where it states one, else by namespace and name; and where the node is not known,
 * whose name the kubelet puts behind a static pod's, by the beginning of the name, if the containers are those of the
 * manifest. The spec is the manifest's, what there is of it now is the runtime's.
 */
export function combined(manifests: readonly Pod[], running: readonly PodThatRuns[]): Combined {
  const left = new Set(running);
  const found = new Map<Pod, PodThatRuns>();
  // The longest first: of `web` and `web-cache`, `web-cache-node` is the second one's.
  const byLength = manifests.toSorted((a, b) => b.name.length - a.name.length);
  for (const isIts of [hasItsUid, hasItsName, beginsWithItsName]) {
    for (const manifest of byLength.filter((one) => !found.has(one))) {
      const one = [...left].find((candidate) => isIts(manifest, candidate.pod));
      if (one !== undefined) {
        left.delete(one);
        found.set(manifest, one);
      }
    }
  }
  return {
    ofManifests: manifests.map((manifest) => {
      const one = found.get(manifest);
      return one === undefined ? manifest : joined(manifest, one);
    }),
    others: [...left],
  };
}

function hasItsUid(manifest: Pod, { cgroupUid }: Pod): boolean {
  return manifest.cgroupUid !== undefined && manifest.cgroupUid === cgroupUid;
}

function hasItsName(manifest: Pod, pod: Pod): boolean {
  return manifest.cgroupUid === undefined && podName(manifest) === podName(pod);
}

function beginsWithItsName(manifest: Pod, pod: Pod): boolean {
  const { cgroupUid, nodeName, isStatic, namespace } = manifest;
  if (cgroupUid !== undefined || nodeName !== undefined || !isStatic || !pod.isStatic) return false;
  const names = new Set(manifest.containers.map(({ name }) => name));
  return (
    pod.namespace === namespace &&
    pod.name.startsWith(`${manifest.name}-`) &&
    pod.containers.every(({ name }) => names.has(name))
  );
}

function joined(manifest: Pod, { pod, qosClass }: PodThatRuns): Pod {
  const ids = new Map(pod.containers.map(({ name, containerId }) => [name, containerId]));
  const { uid, cgroupUid, phase } = pod;
  return {
    ...manifest,
    name: pod.name,
    ...(uid === undefined ? {} : { uid }),
    ...(cgroupUid === undefined ? {} : { cgroupUid }),
    ...(phase === undefined ? {} : { phase }),
    ...(qosClass === undefined ? {} : { reportedQosClass: qosClass }),
    containers: manifest.containers.map((container) => identified(container, ids.get(container.name))),
  };
}

/** An init container of a pod that runs and that does not run itself is through. */
function identified(container: Container, id: ContainerId | undefined): Container {
  if (id !== undefined) return { ...container, containerId: id, terminated: false };
  return container.type === 'init' ? { ...container, terminated: true } : container;
}
