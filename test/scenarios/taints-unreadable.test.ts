import { describe, expect, it } from 'vitest';
import { GONE, pod, TaintedNode, tolerates } from '../fakes/tainted-node.ts';

const OTHER =
  'node.json: it is the Node other, and the pods here are on n1, so nobody is evicted for its taints; taints.node names the file of this node';
const UNKNOWN = 'nobody is evicted for taints until those of this node are known';
const IN_FORCE = 'the taints that were read last stay in force for 1m0s (pods.maxAge)';
const TOO_OLD =
  'the taints that were read last are older than 1m0s (pods.maxAge), so nobody is evicted for taints';

function tainted(name: string, ...pods: TaintedNode['pods'] & object): TaintedNode {
  const node = new TaintedNode();
  node.pods = pods;
  node.taints = [GONE];
  node.taintsOf = { name, file: 'node.json' };
  return node;
}

describe("a Node's file that cannot be read", () => {
  it('is told after it was that of another Node, with every new fault, and what is over is the last one', async () => {
    const node = tainted('other', pod('web', [], { nodeName: 'n1' }));
    await node.look(0);
    node.lack = 'node.json: broken';
    await node.look(1000);
    node.lack = 'node.json: gone';
    await node.look(2000);
    await node.look(3000);
    expect(node.evicted).toEqual([]);
    node.lack = undefined;
    node.taintsOf = { name: 'n1', file: 'node.json' };
    await node.look(4000);
    expect(node.evicted).toEqual(['web']);
    expect(node.told).toEqual([
      `trouble ${OTHER}`,
      `trouble node.json: broken; ${UNKNOWN}`,
      `trouble node.json: gone; ${UNKNOWN}`,
      `over node.json: gone; ${UNKNOWN}`,
    ]);
  });

  it('leaves the taints that were read last in force for pods.maxAge, and then evicts nobody; each is said once', async () => {
    const node = tainted('n1', pod('web', [tolerates(50)], { nodeName: 'n1' }));
    await node.look(0);
    node.lack = 'node.json: broken';
    for (const atMs of [1000, 2000, 50_000]) {
      node.taintsAgeMs = atMs;
      await node.look(atMs);
    }
    expect(node.evicted).toEqual(['web']);
    node.pods = [pod('late', [], { nodeName: 'n1' })];
    for (const atMs of [60_001, 61_000]) {
      node.taintsAgeMs = atMs;
      expect((await node.look(atMs)).nextInMs).toBe(1000);
    }
    expect(node.evicted).toEqual(['web']);
    expect(node.told.filter((line) => line !== 'gone web')).toEqual([
      `trouble node.json: broken; ${IN_FORCE}`,
      `trouble node.json: broken; ${TOO_OLD}`,
      'stays late: the taints of the node could not be read for longer than 1m0s',
    ]);
    node.lack = undefined;
    node.taintsAgeMs = 0;
    await node.look(62_000);
    expect(node.evicted).toEqual(['web', 'late']);
  });

  it('has nobody looked for sooner, where somebody is due and the Node is another', async () => {
    const node = tainted('n1', pod('web', [tolerates(2)], { nodeName: 'n1' }));
    expect((await node.look(0)).nextInMs).toBe(1000);
    node.taintsOf = { name: 'other', file: 'node.json' };
    expect((await node.look(1900)).nextInMs).toBe(1000);
    expect((await node.look(2900)).nextInMs).toBe(1000);
    expect(node.evicted).toEqual([]);
  });
});
