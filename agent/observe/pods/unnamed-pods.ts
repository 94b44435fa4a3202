import type { FileTree } from '../../../cgroup/file-tree.ts';
import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type { NodeEyes, PodLook } from '../../ports.ts';
import { podCgroups } from './pods-in-tree.ts';

/** What has to be known to say who should have named the pods. */
export interface UnnamedPods {
  readonly tree: Pick<FileTree, 'readDirectory'>;
  readonly layout: Pick<CgroupLayout, 'kubepods' | 'burstable' | 'besteffort'>;
  /** Whether somebody named a list, or nodeqos knows static pods only. */
  readonly source: 'named' | 'auto';
}

const NAME_THEM =
  'name whom to ask (api, kubelet:URL or cri:SOCKET), a list that is kept fresh (file:PATH) or a folder of manifests (dir:PATH) in pods.source of nodeqos.yaml';
const CHECK_IT = 'check that the list is whole and of this node';

/**
 * A node that says so where nobody names its pods: an agent that watches over none looks just as calm as one with nothing to do.
 * It is not blind, and a restart would not help: there is nothing that it waits for.
 */
export function tellingUnnamedPods(eyes: NodeEyes, unnamed: UnnamedPods): NodeEyes {
  return {
    ...eyes,
    pods: (nowMs): PodLook => {
      const look = eyes.pods(nowMs);
      const remark = look.lack === undefined ? remarkOn(look.pods, unnamed) : undefined;
      return remark === undefined ? look : { ...look, remark: joined(look.remark, remark) };
    },
  };
}

function remarkOn(pods: PodLook['pods'], { tree, layout, source }: UnnamedPods): string | undefined {
  if (pods !== undefined && pods.length > 0) return undefined;
  const run = podCgroups({ tree, layout }).length > 0 ? `pods run below ${layout.kubepods}` : undefined;
  if (pods === undefined) {
    const seen = run === undefined ? '' : `, while ${run}`;
    return `nothing says which pods run here${seen}: nobody can be evicted, and no limit is written; ${NAME_THEM}`;
  }
  if (run === undefined) return undefined;
  return source === 'auto'
    ? `there is no manifest of a static pod, while ${run}: none of them can be evicted or given limits; ${NAME_THEM}`
    : `the list of pods names none, while ${run}: none of them can be evicted or given limits; ${CHECK_IT}`;
}

function joined(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}; ${second}`;
}
