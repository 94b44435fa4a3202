import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WatchedTaints } from '../../../../agent/cli/inputs/watched-taints.ts';
import { Failure } from '../../../../agent/exit.ts';
import { type NodeRoot, openRoot } from '../../../../agent/observe/root.ts';
import type { TaintSettings } from '../../../../config/nodeqos/settings.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';

const FILE = 'etc/nodeqos/node.json';
const A = { key: 'a', value: '1', effect: 'NoExecute' };
const B = { key: 'b', value: '', effect: 'NoSchedule' };
const OWN = { key: 'own', value: '', effect: 'NoExecute' };

let node: NodeFolder;
let root: NodeRoot;
beforeEach(async () => {
  node = new NodeFolder();
  root = await openRoot({ root: node.root });
});
afterEach(() => {
  node.remove();
});

function nodeText(taints: readonly object[], name = 'n1'): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
}

function watched(more: Partial<TaintSettings> = {}, nodeName?: string): WatchedTaints {
  return new WatchedTaints({ evict: true, node: `/${FILE}`, extra: [], ...more }, { root, nodeName });
}

/** The Node that the file is about, unless it is called otherwise. */
function whose(): object {
  return { name: 'n1', file: node.path(FILE) };
}

/** What a look throws, as status and sentence. */
function refusal(taints: WatchedTaints): unknown {
  try {
    taints.first(0);
  } catch (error) {
    if (error instanceof Failure) return [error.status, error.message];
  }
  return undefined;
}

describe('the taints of the node', () => {
  it('are those of the file, in its order, then those of the configuration, which win over the same of the file', () => {
    node.write({ [FILE]: nodeText([A, B]) });
    expect(watched({ extra: [OWN] }).look(5)).toEqual({ taints: [A, B, OWN], ageMs: 0, node: whose() });
    expect(watched({ extra: [{ ...A, value: '2' }] }).look(5).taints).toEqual([B, { ...A, value: '2' }]);
    expect(watched().paths).toEqual([node.path(FILE)]);
  });

  it('that both state are told of, and count once', () => {
    node.write({ [FILE]: nodeText([A, B]) });
    const taints = watched({ extra: [{ ...A, value: '2' }, OWN] });
    expect(taints.warnings()).toEqual([]);
    taints.first(0);
    expect(taints.warnings().map(({ code, message }) => [code, message])).toEqual([
      [
        'taint-stated-twice',
        `${node.path(FILE)} and taints.extra both state a:NoExecute; what taints.extra states counts, once`,
      ],
    ]);
    const others = watched({ extra: [OWN] });
    others.first(0);
    expect(others.warnings()).toEqual([]);
  });

  it('are those of the configuration where no file is named', () => {
    const taints = new WatchedTaints({ evict: true, extra: [OWN] }, { root, nodeName: undefined });
    taints.first(0);
    expect([taints.look(5), taints.paths]).toEqual([{ taints: [OWN], ageMs: 0 }, []]);
  });

  it('are not read where they do not evict', () => {
    const taints = watched({ evict: false });
    taints.first(0);
    expect([taints.look(0), taints.paths]).toEqual([{ taints: [], ageMs: 0 }, []]);
  });

  it('are read again when the file changed, and the last good ones stay while it is bad', () => {
    node.write({ [FILE]: nodeText([A]) });
    const taints = watched();
    taints.first(0);
    node.write({ [FILE]: nodeText([B]) });
    expect(taints.look(1000)).toEqual({ taints: [B], ageMs: 0, node: whose() });
    node.write({ [FILE]: '{"kind": "Pod"}' });
    const lack = `${node.path(FILE)}: a v1 Node is wanted here, and this is a Pod`;
    expect(taints.look(3000)).toEqual({ taints: [B], ageMs: 2000, lack, node: whose() });
    rmSync(node.path(FILE));
    const gone = `${node.path(FILE)}: there is no such file; check the path`;
    expect(taints.look(4000)).toEqual({ taints: [B], ageMs: 3000, lack: gone, node: whose() });
    node.write({ [FILE]: nodeText([A]) });
    expect(taints.look(5000)).toEqual({ taints: [A], ageMs: 0, node: whose() });
  });

  it('that cannot be read at the first look are a refusal', () => {
    expect(refusal(watched())).toEqual([66, `${node.path(FILE)}: there is no such file; check the path`]);
    node.write({ [FILE]: '[]' });
    expect(refusal(watched())).toEqual([
      65,
      `${node.path(FILE)}: a v1 Node is wanted here, and this is something without a kind`,
    ]);
    node.write({ [`${FILE}/x`.replace('node.json', 'folder')]: '' });
    expect(refusal(watched({ node: '/etc/nodeqos/folder' }))).toEqual([
      66,
      `${node.path('etc/nodeqos/folder')}: this is a folder; taints.node names the file of a v1 Node`,
    ]);
  });

  it('are refused of another node, where it is known which one this is', () => {
    node.write({ [FILE]: nodeText([A]) });
    expect(refusal(watched({}, 'n2'))).toEqual([
      65,
      `${node.path(FILE)}: it is the Node n1, and this one is n2; taints.node names the file of this node`,
    ]);
    expect(watched({}, 'n1').look(0).taints).toEqual([A]);
  });

  it('are not known from when the file has come to be that of another node, broken or not, until it is right', () => {
    node.write({ [FILE]: nodeText([A]) });
    const taints = watched({}, 'n1');
    taints.first(0);
    node.write({ [FILE]: nodeText([B], 'other') });
    const lack = `${node.path(FILE)}: it is the Node other, and this one is n1; taints.node names the file of this node`;
    expect(taints.look(1000)).toMatchObject({ taints: undefined, ageMs: 0, lack });
    rmSync(node.path(FILE));
    const gone = `${node.path(FILE)}: there is no such file; check the path`;
    expect(taints.look(2000)).toMatchObject({ taints: undefined, ageMs: 1000, lack: gone });
    node.write({ [FILE]: nodeText([B]) });
    expect(taints.look(3000)).toEqual({ taints: [B], ageMs: 0, node: whose() });
  });

  it('are taken over from before a reload, of the same file only', () => {
    node.write({ [FILE]: nodeText([A]) });
    const before = watched();
    before.first(0);
    node.write({ [FILE]: 'broken', 'etc/nodeqos/other.json': 'broken' });
    const [after, other] = [watched(), watched({ node: '/etc/nodeqos/other.json' })];
    after.adopt(before);
    other.adopt(before);
    expect(after.look(700)).toMatchObject({ taints: [A], ageMs: 700 });
    expect(other.look(700)).toMatchObject({ taints: undefined, ageMs: 0 });
  });
});
