import { describe, expect, it } from 'vitest';
import type { Taint } from '../../agent/model/node.ts';
import { hard, policyOf, readingsOf } from '../fakes/eviction.ts';
import { GONE, pod, TaintedNode, tolerates } from '../fakes/tainted-node.ts';

const SOFT: Taint = { ...GONE, effect: 'NoSchedule' };

describe('an agent on a node with a NoExecute taint', () => {
  it('vN2: evicts a pod that does not tolerate it at once, with the grace of the pod, on record and on disk first', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    await node.look(0);
    node.taints = [GONE];
    await node.look(1000);
    await node.look(2000);
    expect(node.targets).toEqual([
      { pod: pod('web'), place: { cgroup: 'kubepods/poduid-web', inode: 7n }, gracePeriodSeconds: 7 },
    ]);
    const message = 'The node has the taint gone:NoExecute, which the pod does not tolerate.';
    const order = {
      pod: pod('web'),
      cause: { kind: 'taint', taint: GONE, message },
      gracePeriodSeconds: 7,
      usage: undefined,
      candidates: [],
      message,
    };
    expect(node.events).toEqual([
      { kind: 'evicting', order, evictor: 'cgroup' },
      {
        kind: 'eviction',
        order,
        evictor: 'cgroup',
        outcome: { kind: 'gone' },
        reactionMs: undefined,
        tookMs: 0,
      },
    ]);
  });

  it('keeps an eviction on disk while it goes on, with the taint, and nothing when it has ended', async () => {
    const node = new TaintedNode();
    const pending: unknown[] = [];
    node.pods = [pod('web')];
    node.taints = [GONE];
    node.outcome = { kind: 'still-there', why: 'it hangs' };
    node.onTaints = () => void pending.push(node.saved);
    const { pending: shown } = await node.look(0);
    expect(shown).toEqual(node.saved);
    expect(node.saved).toMatchObject([
      {
        name: 'web',
        gracePeriodSeconds: 7,
        unfinished: { place: { inode: 7n }, cause: { kind: 'taint', taint: GONE } },
      },
    ]);
    await node.look(1000);
    expect(node.saved).toEqual([]);
    expect(node.told).toEqual(['still-there web']);
  });

  it('vN3: lets a pod stay for its time, from the look that first sees it, and looks again when that is over', async () => {
    const node = new TaintedNode(5000);
    node.pods = [pod('web', [tolerates(3)])];
    node.taints = [GONE];
    const first = await node.look(5300);
    expect(first.taints).toEqual({
      evictions: 'on',
      taints: [GONE],
      waiting: [{ namespace: 'default', name: 'web', uid: 'uid-web', evictAtMs: 8300 }],
    });
    expect((await node.look(7900)).nextInMs).toBe(400);
    expect((await node.look(8299)).nextInMs).toBe(100);
    expect(node.evicted).toEqual([]);
    await node.look(8300);
    expect(node.evicted).toEqual(['web']);
    await node.look(8400);
    expect(node.told).toEqual(['gone web']);
  });

  it('vN8: evicts nobody where the taint goes before the time is over, and grants all of it when it comes back', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(1)])];
    node.taints = [GONE];
    await node.look(0);
    node.taints = [];
    await node.look(900);
    await node.look(1000);
    node.taints = [GONE];
    await node.look(2000);
    await node.look(2999);
    expect(node.evicted).toEqual([]);
    await node.look(3000);
    expect(node.evicted).toEqual(['web']);
  });

  it('vN15: evicts at the time that was set although the toleration was made longer since', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(1)])];
    node.taints = [GONE];
    await node.look(0);
    node.pods = [pod('web', [tolerates(100)])];
    await node.look(999);
    expect(node.evicted).toEqual([]);
    await node.look(1000);
    expect(node.evicted).toEqual(['web']);
    expect(node.events[0]).toMatchObject({
      order: {
        message:
          'The node has the taint gone:NoExecute, and the time for which the pod tolerates it is over.',
      },
    });
  });

  it('vN16: evicts at once when the toleration is taken away', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(100)])];
    node.taints = [GONE];
    await node.look(0);
    node.pods = [pod('web')];
    await node.look(500);
    expect(node.evicted).toEqual(['web']);
  });

  it('vN4, vN21: lets those stay that tolerate it for ever, and all in spite of a NoSchedule taint', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates()])];
    node.taints = [GONE, SOFT];
    const { taints, nextInMs } = await node.look(0);
    expect(taints).toEqual({ evictions: 'on', taints: [GONE], waiting: [] });
    expect(nextInMs).toBe(1000);
    node.pods = [pod('db')];
    node.taints = [SOFT];
    await node.look(1000);
    expect(node.told).toEqual([]);
    expect(node.evicted).toEqual([]);
  });

  it('a reload keeps the time that runs, and a new process grants all of it', async () => {
    const before = new TaintedNode();
    before.pods = [pod('web', [tolerates(2)])];
    before.taints = [GONE];
    await before.look(0);
    before.rules = { policy: policyOf([], { backOffMs: 1 }) };
    await before.look(1999);
    expect(before.evicted).toEqual([]);
    await before.look(2000);
    expect(before.evicted).toEqual(['web']);
    const after = new TaintedNode(1000);
    after.pods = [pod('web', [tolerates(2)])];
    after.taints = [GONE];
    await after.look(1000);
    await after.look(2999);
    expect(after.evicted).toEqual([]);
    await after.look(3000);
    expect(after.evicted).toEqual(['web']);
  });

  it('forgets all when it is not asked for any more', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(2)])];
    node.taints = [GONE];
    node.lack = 'unreadable';
    await node.look(0);
    node.isAsked = false;
    const { taints, nextInMs } = await node.look(1000);
    expect([taints, nextInMs]).toEqual([undefined, 1000]);
    node.isAsked = true;
    node.lack = undefined;
    await node.look(2000);
    await node.look(3000);
    expect(node.evicted).toEqual([]);
    await node.look(4000);
    expect(node.evicted).toEqual(['web']);
    const told = 'unreadable; the taints that were read last stay in force for 1m0s (pods.maxAge)';
    expect(node.told).toEqual([`trouble ${told}`, `over ${told}`]);
  });
});

describe('who goes for a taint, one a look', () => {
  it('is the longest overdue, then by name; the next one after the shortest wait', async () => {
    const node = new TaintedNode();
    node.pods = [pod('c'), pod('b'), pod('a', [tolerates(1)])];
    node.taints = [GONE];
    expect((await node.look(0)).nextInMs).toBe(100);
    expect(node.evicted).toEqual(['b']);
    expect((await node.look(100)).nextInMs).toBe(900);
    await node.look(1000);
    expect(node.evicted).toEqual(['b', 'c', 'a']);
  });

  it('is nobody at a look that evicts for a shortage, and somebody at the next', async () => {
    const node = new TaintedNode();
    node.rules = { policy: policyOf([hard('memory.available', '100Mi')]) };
    node.pods = [pod('a'), pod('b')];
    node.usage = new Map([['uid-b', { memoryWorkingSetBytes: 200n * 1024n * 1024n }]]);
    node.taints = [GONE];
    node.readings = readingsOf({ 'memory.available': '50Mi' });
    expect((await node.look(0)).nextInMs).toBe(100);
    expect(node.evicted).toEqual(['b']);
    await node.look(100);
    expect(node.evicted).toEqual(['b', 'a']);
  });

  it('is never a critical, static, mirror or protected pod, which is told once, and nobody that is on its way', async () => {
    const node = new TaintedNode();
    const guarded = { namespaces: ['vital'], labels: new Map() };
    node.rules = { policy: policyOf([], { protected: guarded }) };
    node.pods = [
      pod('critical', [], { priority: 2_000_000_000 }),
      pod('file', [], { isStatic: true }),
      pod('image', [], { isMirror: true }),
      pod('kept', [], { namespace: 'vital' }),
      pod('leaving', [], { terminating: true }),
      pod('over', [], { phase: 'Failed' }),
    ];
    node.taints = [GONE];
    expect((await node.look(0)).nextInMs).toBe(1000);
    await node.look(1000);
    expect(node.evicted).toEqual([]);
    expect(node.told).toEqual([
      'stays critical: it is critical, its priority 2000000000 being at least 2000000000',
      'stays file: it is a static pod, which the kubelet would start again',
      'stays image: it is the mirror of a static pod, which the kubelet would start again',
      'stays kept: the configuration protects the namespace vital',
    ]);
    node.pods = [...node.pods, pod('web')];
    await node.look(2000);
    expect(node.evicted).toEqual(['web']);
  });

  it('is a pod without statistics too', async () => {
    const node = new TaintedNode();
    node.pods = [pod('unseen')];
    node.taints = [GONE];
    await node.look(0);
    expect(node.evicted).toEqual(['unseen']);
  });

  it('is nobody of whom nothing runs, as after an eviction that the list does not know of', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    node.taints = [GONE];
    await node.look(0);
    await node.look(61_000);
    await node.look(200_000);
    expect(node.evicted).toEqual(['web']);
    expect(node.told).toEqual(['gone web']);
  });

  it('waits for the back-off after an eviction that failed', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    node.taints = [GONE];
    node.outcome = { kind: 'refused', why: 'no' };
    await node.look(0);
    await node.look(1000);
    await node.look(59_999);
    expect(node.evicted).toEqual(['web']);
    await node.look(60_000);
    expect(node.evicted).toEqual(['web', 'web']);
    expect(node.told).toEqual(['refused web']);
  });
});

describe('what is looked at again right before an eviction for a taint', () => {
  it.each<[string, (node: TaintedNode) => void, string]>([
    [
      'taints that let it stay',
      (node) => {
        node.taints = [];
      },
      'the taints were read again and let it stay',
    ],
    [
      'a pod that has come to tolerate them',
      (node) => {
        node.pods = [pod('web', [tolerates()])];
      },
      'the taints were read again and let it stay',
    ],
    [
      'a pod that is gone',
      (node) => {
        node.pods = [];
      },
      'it was looked for again and is gone',
    ],
    [
      'a pod that was made anew',
      (node) => {
        node.pods = [pod('web', [], { uid: 'new' })];
      },
      'it was looked for again and is gone',
    ],
    [
      'a pod that has ended',
      (node) => {
        node.pods = [pod('web', [], { phase: 'Succeeded' })];
      },
      'it was looked for again and is gone',
    ],
    [
      'a pod that goes by itself',
      (node) => {
        node.pods = [pod('web', [], { terminating: true })];
      },
      'it was looked at again and is on its way',
    ],
    [
      'a list that is not known any more',
      (node) => {
        node.pods = undefined;
      },
      'taints and pods could not be read again',
    ],
    [
      'a list that has come to be of another node',
      (node) => {
        node.taintsOf = { name: 'n1', file: 'node.yaml' };
        node.pods = [pod('web', [], { nodeName: 'n2' })];
      },
      'taints and pods could not be read again',
    ],
    [
      'taints that are not known any more',
      (node) => {
        node.taints = undefined;
      },
      'taints and pods could not be read again',
    ],
  ])('%s', async (_what, change, why) => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    node.taints = [GONE];
    let reads = 0;
    node.onTaints = () => {
      reads += 1;
      if (reads === 2) change(node);
    };
    await node.look(0);
    expect(node.evicted).toEqual([]);
    expect(node.told).toEqual([`stays web: ${why}`]);
  });

  it('and nothing of it keeps one that has come to tolerate the taint for longer', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web')];
    node.taints = [GONE];
    let reads = 0;
    node.onTaints = () => {
      reads += 1;
      if (reads === 2) node.pods = [pod('web', [tolerates(5)])];
    };
    await node.look(0);
    expect(node.evicted).toEqual(['web']);
  });
});

describe('taints of a Node that the pods here are not on', () => {
  const lack =
    'node.yaml: it is the Node n2, and the pods here are on n1, so nobody is evicted for its taints; taints.node names the file of this node';

  it('evict nobody, which is a trouble until the file is that of this node', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [], { nodeName: 'n1' }), pod('from-a-manifest')];
    node.taints = [GONE];
    node.taintsOf = { name: 'n2', file: 'node.yaml' };
    await node.look(0);
    await node.look(1000);
    expect([node.evicted, node.told]).toEqual([[], [`trouble ${lack}`]]);
    node.taintsOf = { name: 'n1', file: 'node.yaml' };
    await node.look(2000);
    expect(node.evicted).toEqual(['from-a-manifest']);
    expect(node.told.slice(1)).toEqual([`over ${lack}`]);
  });

  it('leave the time of a toleration that runs as it is', async () => {
    const node = new TaintedNode();
    node.pods = [pod('web', [tolerates(5)], { nodeName: 'n1' })];
    node.taints = [GONE];
    node.taintsOf = { name: 'n1', file: 'node.yaml' };
    await node.look(0);
    node.taintsOf = { name: 'n2', file: 'node.yaml' };
    await node.look(6000);
    expect(node.evicted).toEqual([]);
    node.taintsOf = { name: 'n1', file: 'node.yaml' };
    await node.look(6500);
    expect(node.evicted).toEqual(['web']);
  });
});
