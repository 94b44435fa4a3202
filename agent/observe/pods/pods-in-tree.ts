import type { FileTree } from '../../../cgroup/file-tree.ts';
import { parseCgroupEvents } from '../../../cgroup/parse.ts';
import { type CgroupLayout, parsePodCgroup } from '../../../cgroup/paths.ts';
import { foreignList } from '../../decide/foreign-pods.ts';
import { qosClassInForce } from '../../decide/qos-class.ts';
import type { Pod } from '../../model/pod.ts';

/** What pods are looked for in. */
export interface PodTree {
  readonly tree: Pick<FileTree, 'readDirectory' | 'readFile' | 'inodeOf'>;
  readonly layout: CgroupLayout;
}

/** The cgroups of pods below kubepods and its tiers, as the tree has them now. */
export function podCgroups({
  tree,
  layout: { kubepods, burstable, besteffort },
}: {
  readonly tree: Pick<FileTree, 'readDirectory'>;
  readonly layout: Pick<CgroupLayout, 'kubepods' | 'burstable' | 'besteffort'>;
}): readonly { readonly cgroup: string; readonly cgroupUid: string }[] {
  return [kubepods, burstable, besteffort].flatMap((tier) => {
    const read = tree.readDirectory(tier);
    if (read.kind !== 'read') return [];
    return read.directories.flatMap((name) => {
      const cgroup = `${tier}/${name}`;
      const pod = parsePodCgroup(cgroup);
      return pod === undefined ? [] : [{ cgroup, cgroupUid: pod.cgroupUid }];
    });
  });
}

/** Whether any pod of a list has a cgroup here, where its own QoS class puts it. */
export function anyHasCgroup(pods: readonly Pod[], { tree, layout }: PodTree): boolean {
  return pods.some((pod) => {
    const cgroup =
      pod.cgroupUid === undefined ? undefined : layout.podCgroup(qosClassInForce(pod), pod.cgroupUid);
    return cgroup !== undefined && tree.inodeOf(cgroup) !== undefined;
  });
}

/** The sentence for a list of pods that is another node's, by what the tree has now; undefined for any other list. */
export function foreignListHere(pods: readonly Pod[], where: PodTree): string | undefined {
  if (pods.length === 0 || anyHasCgroup(pods, where)) return undefined;
  const found = podCgroups(where);
  const populated = found.filter(({ cgroup }) => isPopulated(where.tree, cgroup));
  const uids = (of: typeof found): ReadonlySet<string> => new Set(of.map(({ cgroupUid }) => cgroupUid));
  return foreignList(pods, { here: uids(found), running: uids(populated) });
}

/** What cannot be read may be populated. */
function isPopulated(tree: PodTree['tree'], cgroup: string): boolean {
  const events = tree.readFile(`${cgroup}/cgroup.events`);
  return events.kind !== 'read' || parseCgroupEvents(events.text).populated !== false;
}
