import { describe, expect, it } from 'vitest';
import { withIdentities } from '../../../agent/fake/identities.ts';
import { identitiesInTree } from '../../../agent/fake/identities-in-tree.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { cgroupTree } from '../../fakes/tree.ts';

const EMPTY = new Map();
const container = (name: string) =>
  ({ name, type: 'regular', terminated: false, requests: EMPTY, limits: EMPTY }) as const;
const NAMELESS: Pod = {
  namespace: 'shop',
  name: 'web',
  terminating: false,
  isStatic: false,
  isMirror: false,
  hostNetwork: false,
  containers: [container('app'), { ...container('known'), containerId: { runtime: 'containerd', id: 'k' } }],
  overhead: EMPTY,
  tolerations: [],
  volumes: [],
  labels: EMPTY,
};
const POD: Pod = { ...NAMELESS, uid: 'u1', cgroupUid: 'u1' };
const LAYOUT = cgroupLayout('cgroupfs', '/');
const invented = withIdentities([POD])[0]?.containers[0]?.containerId;

describe('the containers of a fake node', () => {
  it('get the invented ID where its cgroup is there, and keep their own', () => {
    const tree = cgroupTree({ [`kubepods/besteffort/podu1/${invented?.id ?? ''}`]: {} });
    const [pod] = identitiesInTree([POD], LAYOUT, tree);
    expect(pod?.containers.map(({ containerId }) => containerId)).toEqual([
      invented,
      { runtime: 'containerd', id: 'k' },
    ]);
  });

  it('stay without one where the tree has no such cgroup', () => {
    expect(identitiesInTree([POD], LAYOUT, cgroupTree({ 'kubepods/besteffort/podu1/other': {} }))).toEqual([
      POD,
    ]);
  });

  it('stay without one in a pod that has no UID', () => {
    const tree = cgroupTree({ [`kubepods/besteffort/podu1/${invented?.id ?? ''}`]: {} });
    expect(identitiesInTree([NAMELESS], LAYOUT, tree)).toEqual([NAMELESS]);
  });
});
