import { describe, expect, it } from 'vitest';
import { nodeText } from '../../../../agent/capture/node-document.ts';
import { taintReport } from '../../../../agent/decide/taints/taint-report.ts';
import { taintText } from '../../../../agent/decide/taints/taint-text.ts';
import { readNodeObject, readNodeText } from '../../../../agent/observe/node-object.ts';
import { podOfDocument } from '../../../../agent/observe/pods/pod-documents.ts';

const KEY = 'node.kubernetes.io/unschedulable';
const CORDON = { key: KEY, value: '', effect: 'NoSchedule' };
const cordoned = (...taints: readonly (typeof CORDON)[]) => {
  const node = readNodeObject({
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: { unschedulable: true, taints: [...taints] },
  });
  if (!node.ok) throw new Error(node.message);
  return node.value;
};
const pod = (...tolerations: readonly { readonly key: string; readonly operator: string }[]) =>
  podOfDocument({
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c' }], tolerations: [...tolerations] },
  });
const edited = (
  node: ReturnType<typeof cordoned>,
  edits: { add?: readonly (typeof CORDON)[]; remove?: readonly { key: string }[] },
) => {
  const report = taintReport(node, [pod(), pod({ key: KEY, operator: 'Exists' })], {
    add: [],
    remove: [],
    ...edits,
  });
  if (!report.ok) return report.message;
  const { taints, drift, pods } = report.value;
  return [taints.map(taintText), drift.missing, pods.map(({ schedulable }) => schedulable)];
};
const KEPT_AWAY = [[`${KEY}:NoSchedule`], [], [false, true]];

describe('a cordoned node', () => {
  it('keeps pods away that do not tolerate it, also where its taint is removed', () => {
    expect(edited(cordoned(CORDON), { remove: [{ key: KEY }] })).toEqual(KEPT_AWAY);
  });
  it('has nothing to remove where the taint is not listed', () => {
    expect(edited(cordoned(), { remove: [{ key: KEY }] })).toBe(`taint "${KEY}" not found`);
  });
  it('takes its taint where that is not listed', () => {
    expect(edited(cordoned(), { add: [CORDON] })).toEqual(KEPT_AWAY);
  });
  it('does not take its taint twice', () => {
    expect(edited(cordoned(CORDON), { add: [CORDON] })).toBe(
      `the node already has a taint ${KEY}:NoSchedule; remove it too if its value is to change`,
    );
  });
  it.each([
    ['listed', [CORDON]],
    ['not listed', []],
  ])('comes back from a capture as it was, with its taint %s', (_, taints) => {
    const node = cordoned(...taints);
    const back = readNodeText({ file: 'node.json', text: nodeText(node) });
    expect([back.taints, back.isCordonUnlisted]).toEqual([node.taints, node.isCordonUnlisted]);
  });
});
