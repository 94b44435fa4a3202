import { describe, expect, it } from 'vitest';
import { taintsOfAnotherNode } from '../../../../agent/decide/taints/taint-node.ts';

const READ = { name: 'n1', file: '/etc/nodeqos/node.yaml' };
const on = (nodeName?: string): { readonly nodeName?: string } =>
  nodeName === undefined ? {} : { nodeName };
const foreign = (name: string): string =>
  `/etc/nodeqos/node.yaml: it is the Node n1, and the pods here are on ${name}, so nobody is evicted for its taints; taints.node names the file of this node`;

describe('the taints of a Node are none of this node', () => {
  it.each([
    ['where pods are on another', [on('n2')], foreign('n2')],
    ['where one pod is on another, whatever others say', [on(), on('n1'), on('n2')], foreign('n2')],
    ['but may be where pods are on it', [on('n1'), on('n1')], undefined],
    ['but may be where pods come from manifests and say nothing', [on(), on()], undefined],
    ['but may be where no pods are', [], undefined],
  ])('%s', (_sentence, pods, told) => {
    expect(taintsOfAnotherNode(READ, pods)).toBe(told);
  });

  it('and where no Node was read, there is none to be another', () => {
    expect(taintsOfAnotherNode(undefined, [on('n2')])).toBeUndefined();
  });
});
