import type { FileTree } from '../../cgroup/file-tree.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import { qosClassInForce } from '../decide/qos-class.ts';
import type { Container, Pod } from '../model/pod.ts';
import { withIdentities } from './identities.ts';

/**
 * The pods of a fake node, whose containers without an ID get the one that the fake node invented for them, where its cgroup
 * is there: so the file that a fake node was built from can be planned for as it is. Pods without a UID stay without.
 */
export function identitiesInTree(pods: readonly Pod[], layout: CgroupLayout, tree: FileTree): readonly Pod[] {
  const invented = withIdentities(pods);
  return pods.map((pod, index) => {
    const folder = pod.cgroupUid && layout.podCgroup(qosClassInForce(pod), pod.cgroupUid);
    const candidates = invented[index]?.containers ?? [];
    if (folder === undefined || folder === '') return pod;
    return {
      ...pod,
      containers: pod.containers.map((container, position) => {
        const candidate = candidates[position];
        return container.containerId === undefined && candidate && isInTree(candidate, folder, layout, tree)
          ? candidate
          : container;
      }),
    };
  });
}

function isInTree(container: Container, folder: string, layout: CgroupLayout, tree: FileTree): boolean {
  const { containerId } = container;
  return (
    containerId !== undefined &&
    layout
      .containerLeafNames(containerId.runtime, containerId.id)
      .some((leaf) => tree.readDirectory(`${folder}/${leaf}`).kind === 'read')
  );
}
