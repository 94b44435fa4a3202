import { describe, expect, it } from 'vitest';
import { tellingUnnamedPods, type UnnamedPods } from '../../../../agent/observe/pods/unnamed-pods.ts';
import type { NodeEyes, PodLook } from '../../../../agent/ports.ts';
import { cgroupLayout } from '../../../../cgroup/paths.ts';
import { LiteralTree } from '../../../fakes/literal-tree.ts';
import { podOf } from '../../../fakes/pods.ts';

const TREES = {
  'a Guaranteed pod': 'kubepods/poda/memory.min',
  'a Burstable pod': 'kubepods/burstable/podb/memory.min',
  'a BestEffort pod': 'kubepods/besteffort/podc/memory.min',
};
const NOBODY = 'kubepods/burstable/memory.min';

const NO_EYES: Omit<NodeEyes, 'pods'> = {
  signals: () => ({ readings: new Map(), layout: 'single', lacks: [] }),
  usage: () => new Map(),
  placeOf: () => undefined,
  isRunning: () => false,
};

/** What is said of a look at a node whose tree has this file. */
function remarkOn(look: PodLook, file: string, source: UnnamedPods['source'] = 'auto'): string | undefined {
  const eyes: NodeEyes = { ...NO_EYES, pods: () => look };
  const tree = new LiteralTree({ [file]: '0\n' });
  const seen = tellingUnnamedPods(eyes, { tree, layout: cgroupLayout('cgroupfs', '/'), source }).pods(0);
  const { remark, ...rest } = seen;
  expect(rest).toEqual(look);
  return remark;
}

describe('a node whose pods nobody names', () => {
  it.each(Object.entries(TREES))('has %s: that is said, with the remedy', (_what, file) => {
    expect(remarkOn({ pods: undefined, ageMs: 0 }, file)).toBe(
      'nothing says which pods run here, while pods run below kubepods: nobody can be evicted, and no limit is written; name whom to ask (api, kubelet:URL or cri:SOCKET), a list that is kept fresh (file:PATH) or a folder of manifests (dir:PATH) in pods.source of nodeqos.yaml',
    );
    expect(remarkOn({ pods: [], ageMs: 0 }, file)).toBe(
      'there is no manifest of a static pod, while pods run below kubepods: none of them can be evicted or given limits; name whom to ask (api, kubelet:URL or cri:SOCKET), a list that is kept fresh (file:PATH) or a folder of manifests (dir:PATH) in pods.source of nodeqos.yaml',
    );
    expect(remarkOn({ pods: [], ageMs: 0 }, file, 'named')).toBe(
      'the list of pods names none, while pods run below kubepods: none of them can be evicted or given limits; check that the list is whole and of this node',
    );
  });

  it('has no pods: that nothing would name them is said all the same', () => {
    for (const file of [NOBODY, 'memory.stat']) {
      expect(remarkOn({ pods: undefined, ageMs: 0 }, file)).toBe(
        'nothing says which pods run here: nobody can be evicted, and no limit is written; name whom to ask (api, kubelet:URL or cri:SOCKET), a list that is kept fresh (file:PATH) or a folder of manifests (dir:PATH) in pods.source of nodeqos.yaml',
      );
      expect(remarkOn({ pods: [], ageMs: 0 }, file)).toBeUndefined();
    }
  });

  it('is told of together with what was to be said of the list before', () => {
    const look = { pods: [], ageMs: 0, remark: 'no pod is on node shelf-1' };
    const eyes = { ...NO_EYES, pods: () => look };
    const tree = new LiteralTree({ [TREES['a Burstable pod']]: '0\n' });
    const unnamed = { tree, layout: cgroupLayout('cgroupfs', '/'), source: 'named' } as const;
    expect(tellingUnnamedPods(eyes, unnamed).pods(0).remark).toBe(
      'no pod is on node shelf-1; the list of pods names none, while pods run below kubepods: none of them can be evicted or given limits; check that the list is whole and of this node',
    );
  });

  it('has a list with pods, or one that does not answer: nothing more is said', () => {
    const file = TREES['a Burstable pod'];
    expect(remarkOn({ pods: [podOf()], ageMs: 0 }, file)).toBeUndefined();
    expect(remarkOn({ pods: undefined, ageMs: 5, lack: 'gone' }, file)).toBeUndefined();
    expect(remarkOn({ pods: [], ageMs: 5, lack: 'gone' }, file)).toBeUndefined();
  });
});
