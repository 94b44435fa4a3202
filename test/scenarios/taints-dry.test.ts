import { describe, expect, it } from 'vitest';
import type { Taint } from '../../agent/model/node.ts';
import { hard, policyOf, readingsOf } from '../fakes/eviction.ts';
import { GONE, pod, TaintedNode, tolerates } from '../fakes/tainted-node.ts';

const OTHER: Taint = { key: 'other', value: 'x', effect: 'NoExecute' };

describe('a dry run', () => {
  const dry = (): TaintedNode => {
    const node = new TaintedNode();
    node.standing = { evictions: 'dry', because: 'the mode is dry-run' };
    node.pods = [pod('a'), pod('b'), pod('c', [tolerates(1)]), pod('s', [], { isStatic: true })];
    node.taints = [GONE];
    return node;
  };

  it('tells of each pod once that would go, one a look, and touches nobody', async () => {
    const node = dry();
    const record = await node.look(0);
    expect(record.taints?.evictions).toBe('dry');
    expect(record.taints?.evictionsBecause).toBe('the mode is dry-run');
    expect(record.taints?.waiting.map(({ name }) => name)).toEqual(['a', 'b', 's', 'c']);
    expect(record.nextInMs).toBe(100);
    await node.look(100);
    await node.look(200);
    await node.look(1000);
    await node.look(2000);
    expect(node.told).toEqual([
      'stays s: it is a static pod, which the kubelet would start again',
      'dry-run a',
      'dry-run b',
      'dry-run c',
    ]);
    expect(node.events.filter(({ kind }) => kind === 'evicting')).toEqual([]);
    expect([node.targets, node.saved]).toEqual([[], []]);
  });

  it('tells of it again for another taint, and when it was not due in between', async () => {
    const node = dry();
    node.pods = [pod('a')];
    await node.look(0);
    node.taints = [OTHER, GONE];
    await node.look(1000);
    node.taints = [];
    await node.look(2000);
    node.taints = [OTHER];
    await node.look(3000);
    expect(node.told).toEqual(['dry-run a', 'dry-run a', 'dry-run a']);
  });

  it('stays dry for taints while evictions for shortages are real, and tells of both', async () => {
    const node = dry();
    node.pods = [pod('a'), pod('b')];
    node.rules = { policy: policyOf([hard('memory.available', '100Mi')]) };
    node.usage = new Map([['uid-b', { memoryWorkingSetBytes: 200n * 1024n * 1024n }]]);
    node.readings = readingsOf({ 'memory.available': '50Mi' });
    await node.look(0);
    expect(node.evicted).toEqual(['b']);
    await node.look(1000);
    expect(node.evicted).toEqual(['b']);
    expect(node.told).toContain('dry-run a');
    expect(node.told).not.toContain('dry-run b');
  });
});

describe('an agent that does not see all', () => {
  it('forgets no time while there is no list, and evicts nobody by one that is too old', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(1)])];
    node.taints = [GONE];
    await node.look(0);
    node.pods = undefined;
    await node.look(500);
    node.pods = [pod('web', [tolerates(1)])];
    node.podsAgeMs = 60_001;
    await node.look(1000);
    expect(node.told).toEqual(['stays web: the list of pods is older than 1m0s']);
    node.podsAgeMs = 60_000;
    await node.look(2000);
    expect(node.evicted).toEqual(['web']);
  });

  it('goes by the last taints that it knew for a while, says why, and then evicts nobody', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web'), pod('zoo', [tolerates(1)])];
    node.taints = [GONE];
    node.lack = 'node.yaml is broken';
    node.taintsAgeMs = 60_000;
    await node.look(0);
    expect(node.evicted).toEqual(['web']);
    node.taintsAgeMs = 60_001;
    await node.look(1000);
    await node.look(2000);
    expect(node.evicted).toEqual(['web']);
    expect(node.told).toEqual([
      'trouble node.yaml is broken; the taints that were read last stay in force for 1m0s (pods.maxAge)',
      'gone web',
      'trouble node.yaml is broken; the taints that were read last are older than 1m0s (pods.maxAge), so nobody is evicted for taints',
      'stays zoo: the taints of the node could not be read for longer than 1m0s',
    ]);
  });

  it('evicts nobody while the taints have never been known', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    node.taints = undefined;
    node.lack = 'node.yaml is broken';
    await node.look(0);
    expect([node.evicted, node.told]).toEqual([
      [],
      ['trouble node.yaml is broken; nobody is evicted for taints until those of this node are known'],
    ]);
  });
});
