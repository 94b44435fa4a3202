import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { OwnPods } from '../../../../agent/observe/pods/own-pods.ts';
import type { LastGoodPods, PodLook, SeenPods } from '../../../../agent/ports.ts';
import { cgroupLayout } from '../../../../cgroup/paths.ts';
import { LiteralTree } from '../../../fakes/literal-tree.ts';
import { podOf } from '../../../fakes/pods.ts';

const pod = (uid: string, phase?: string): Pod =>
  podOf({ name: uid, metadata: { name: uid, uid }, ...(phase === undefined ? {} : { status: { phase } }) });

/** A tree with the cgroups of these pods, with or without processes. */
function treeOf(uids: readonly string[], populated = 1): LiteralTree {
  const files: Record<string, string> = { 'kubepods/memory.min': '0\n' };
  for (const uid of uids)
    files[`kubepods/besteffort/pod${uid}/cgroup.events`] = `populated ${populated}\nfrozen 0\n`;
  return new LiteralTree(files);
}

/** A source whose answer is set, seen on a tree that is. */
class Scene implements SeenPods {
  answer: PodLook = { pods: undefined, ageMs: 0 };
  adopted: LastGoodPods | undefined;
  readonly own: OwnPods;
  #tree: LiteralTree;

  constructor(...running: readonly string[]) {
    this.#tree = treeOf(running);
    const tree = {
      readFile: (path: string) => this.#tree.readFile(path),
      readDirectory: (path: string) => this.#tree.readDirectory(path),
      inodeOf: (path: string) => this.#tree.inodeOf(path),
    };
    this.own = new OwnPods(this, { tree, layout: cgroupLayout('cgroupfs', '/') });
  }

  runs(tree: LiteralTree): void {
    this.#tree = tree;
  }

  tells(...pods: readonly Pod[]): void {
    this.answer = { pods, ageMs: 0, from: 'kubelet:here' };
  }

  look(): PodLook {
    return this.answer;
  }

  get lastGood(): LastGoodPods | undefined {
    return this.answer.pods === undefined ? undefined : { pods: this.answer.pods, atMs: 7 };
  }

  adopt(before: LastGoodPods): void {
    this.adopted = before;
  }
}

const FOREIGN =
  "the list names 2 pods, none of which runs here, while 1 other does: it is another node's; check the URL, --node-name or the file";

describe('a list of pods', () => {
  it('that names none of those that run here is a lack, and no list', () => {
    const scene = new Scene('a');
    scene.tells(pod('x'), pod('y', 'Running'));
    expect(scene.own.look(5)).toEqual({ pods: undefined, ageMs: 0, lack: FOREIGN, from: 'kubelet:here' });
    expect(scene.own.lastGood).toBeUndefined();
    scene.tells(pod('x'));
    scene.runs(treeOf(['a', 'b']));
    expect(scene.own.look(6).lack).toBe(
      "the list names 1 pod, which does not run here, while 2 others do: it is another node's; check the URL, --node-name or the file",
    );
    // Why its source does not answer says more.
    scene.answer = { ...scene.answer, lack: 'away' };
    expect(scene.own.look(6).lack).toBe('away');
  });

  it('of which one runs here is this node’s, at any QoS class, with processes or without', () => {
    const scene = new Scene('a', 'b');
    scene.tells(pod('x'), pod('a'));
    expect(scene.own.look(5)).toBe(scene.answer);
    expect(scene.own.lastGood).toEqual({ pods: scene.answer.pods, atMs: 7 });
    const other = new Scene('b');
    other.runs(new LiteralTree({ 'kubepods/podx/memory.min': '0\n', 'kubepods/podb/memory.min': '0\n' }));
    other.tells(pod('x'));
    expect(other.own.look(5)).toBe(other.answer);
  });

  it.each<[string, readonly Pod[]]>([
    ['is empty', []],
    ['has pending pods alone', [pod('x', 'Pending')]],
    ['has pods alone that ended', [pod('x', 'Succeeded'), pod('y', 'Failed')]],
    ['has pods alone whose UID is not known', [podOf({ name: 'x', metadata: { name: 'x' } })]],
  ])('that %s says nothing of the node', (_what, pods) => {
    const scene = new Scene('a');
    scene.tells(...pods);
    expect(scene.own.look(5)).toBe(scene.answer);
  });

  it('is believed where nothing runs, and no longer when others do', () => {
    const scene = new Scene();
    scene.tells(pod('x'), pod('y'));
    expect(scene.own.look(5)).toBe(scene.answer);
    scene.runs(treeOf(['a'], 0));
    expect(scene.own.look(6)).toBe(scene.answer);
    scene.runs(treeOf(['a']));
    expect(scene.own.look(7)).toMatchObject({ pods: undefined, lack: FOREIGN });
    scene.runs(treeOf(['a', 'x']));
    expect(scene.own.look(8)).toBe(scene.answer);
  });

  it('of before serves while the source tells another node’s, and grows old', () => {
    const scene = new Scene('a');
    const good = [pod('a')];
    scene.answer = { pods: good, ageMs: 0 };
    scene.own.look(100);
    scene.tells(pod('x'), pod('y'));
    expect(scene.own.look(350)).toMatchObject({ pods: good, ageMs: 250, lack: FOREIGN });
    expect(scene.own.lastGood).toEqual({ pods: good, atMs: 100 });
  });

  it('of which all pods went meanwhile is still this node’s, and one that shares a pod with it', () => {
    const scene = new Scene('a', 'b');
    scene.tells(pod('a'), pod('x'));
    scene.own.look(5);
    scene.runs(treeOf(['b']));
    expect(scene.own.look(6)).toBe(scene.answer);
    scene.tells(pod('x'));
    expect(scene.own.look(7)).toBe(scene.answer);
    scene.tells(pod('y'));
    expect(scene.own.look(8).pods).not.toBe(scene.answer.pods);
  });

  it('that another one knew serves if a pod of it runs here', () => {
    const scene = new Scene('a');
    const before = { pods: [pod('a')], atMs: 40 };
    scene.own.adopt(before);
    expect(scene.adopted).toBe(before);
    scene.tells(pod('x'), pod('y'));
    expect(scene.own.look(50)).toMatchObject({ pods: before.pods, ageMs: 10, lack: FOREIGN });
    const other = new Scene('b');
    other.own.adopt(before);
    other.tells(pod('x'), pod('y'));
    expect(other.own.look(50)).toMatchObject({ pods: undefined, ageMs: 0 });
  });
});
