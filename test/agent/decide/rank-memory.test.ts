import { describe, expect, it } from 'vitest';
import { MI, memoryPod, namesOf, rankOf, used } from '../../fakes/ranking.ts';

const LOW = -1;
const HIGH = 1000;

describe('memory ranking', () => {
  it('V29: a pod over its request goes before one of lower priority within it', () => {
    const pods = [
      memoryPod('below', 199, { memory: '200Mi', priority: -1 }),
      memoryPod('exceeds', 101, { memory: '100Mi', priority: 1 }),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(['exceeds', 'below']);
  });
  it('V30: equal priorities go by usage less request', () => {
    const pods = [
      memoryPod('p1', 500),
      memoryPod('p2', 300),
      memoryPod('p3', 800, { memory: '100Mi' }),
      memoryPod('p4', 300, { memory: '100Mi' }),
      memoryPod('p5', 800, { memory: '1Gi' }),
      memoryPod('p6', 200, { memory: '1Gi' }),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(['p3', 'p1', 'p2', 'p4', 'p5', 'p6']);
    expect(rankOf(pods, 'allocatableMemory.available').map(({ overRequest }) => overRequest)).toEqual(
      [700n, 500n, 300n, 200n, -224n, -824n].map((mebibytes) => mebibytes * MI),
    );
  });
  it('V31: excess, then priority, then amount', () => {
    const pods = [
      memoryPod('p8', 200, { memory: '1Gi', priority: HIGH }),
      memoryPod('p7', 800, { memory: '1Gi', priority: HIGH }),
      memoryPod('p6', 200, { memory: '1Gi', priority: LOW }),
      memoryPod('p5', 800, { memory: '1Gi', priority: LOW }),
      memoryPod('p4', 150, { memory: '100Mi', priority: HIGH }),
      memoryPod('p3', 600, { memory: '100Mi', priority: HIGH }),
      memoryPod('p2', 50, { priority: LOW }),
      memoryPod('p1', 500, { priority: LOW }),
    ];
    const order = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8'];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(order);
    expect(namesOf(rankOf(pods, 'memory.available', { compat: 'kubelet' }))).toEqual(order);
  });
  it('V32, report 12: classes do not count', () => {
    const pods = [
      memoryPod('guaranteed-low', 900, { memory: '1Gi', priority: LOW }),
      memoryPod('burstable-within', 50, { memory: '100Mi', priority: 0 }),
      memoryPod('burstable-over', 400, { memory: '100Mi', priority: 0 }),
      memoryPod('besteffort-high', 400, { priority: HIGH }),
      memoryPod('besteffort-low', 100, { priority: LOW }),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual([
      'besteffort-low',
      'burstable-over',
      'besteffort-high',
      'guaranteed-low',
      'burstable-within',
    ]);
  });
  it('V33: usage that equals the request does not exceed it, whatever the priority', () => {
    const pods = [
      memoryPod('equal', 100, { memory: '100Mi', priority: -5 }),
      memoryPod('over', 101, { memory: '100Mi', priority: 1000 }),
    ];
    expect(
      rankOf(pods, 'memory.available').map(({ name, exceedsRequest }) => [name, exceedsRequest]),
    ).toEqual([
      ['over', true],
      ['equal', false],
    ]);
  });
  it('V34, report 13: a pod without statistics goes first, even with a high priority', () => {
    const pods = [memoryPod('besteffort', 4096), used('missing', { priority: 1_000_000 })];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(['missing', 'besteffort']);
  });
  it('V35: several without statistics go by priority', () => {
    const pods = [
      used('missing-5', { priority: 5 }),
      memoryPod('besteffort', 100),
      used('missing-1', { priority: 1 }),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(['missing-1', 'missing-5', 'besteffort']);
  });
  it('V36: where nobody exceeds, the least below its request goes first', () => {
    const pods = [
      memoryPod('guaranteed', 900, { memory: '1Gi' }),
      memoryPod('burstable', 99, { memory: '100Mi' }),
      memoryPod('besteffort', 0),
    ];
    const order = rankOf(pods, 'memory.available');
    expect(order.map(({ name, overRequest }) => [name, overRequest])).toEqual([
      ['besteffort', 0n],
      ['burstable', -1n * MI],
      ['guaranteed', -124n * MI],
    ]);
    expect(order.every(({ exceedsRequest }) => exceedsRequest === false)).toBe(true);
  });
  it('breaks ties by namespace, name and UID, in both modes', () => {
    const same = { usage: { memoryWorkingSetBytes: 5n } };
    const pods = [
      used('b', { ...same, namespace: 'n1', uid: 'u3' }),
      used('a', { ...same, namespace: 'n2', uid: 'u1' }),
      used('a', { ...same, namespace: 'n1', uid: 'u5' }),
      used('a', { ...same, namespace: 'n1', uid: 'u4' }),
    ];
    for (const compat of ['nodeqos', 'kubelet'] as const) {
      expect(rankOf(pods, 'memory.available', { compat }).map(({ uid }) => uid)).toEqual([
        'u4',
        'u5',
        'u3',
        'u1',
      ]);
    }
  });
  it('leaves finished pods out', () => {
    const pods = [
      memoryPod('running', 1),
      memoryPod('done', 1, { status: { phase: 'Succeeded' } }),
      memoryPod('failed', 1, { status: { phase: 'Failed' } }),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual(['running']);
  });
  it('report 15: finds the usage of a mirror pod by its config.hash and shows its own UID', () => {
    const annotations = { 'kubernetes.io/config.hash': 'hash', 'kubernetes.io/config.mirror': 'hash' };
    const pods = [memoryPod('mirror', 7, { annotations, uid: 'api-uid' })];
    const [entry] = rankOf(pods, 'memory.available');
    expect([entry?.uid, entry?.usage]).toEqual(['api-uid', 7n * MI]);
  });
  it('has no usage for a pod without UID', () => {
    const [entry] = rankOf([memoryPod('bare', 7, { uid: '' })], 'memory.available');
    expect([entry?.uid, entry?.usage]).toEqual([null, null]);
  });
});

describe('the entry of a ranked pod', () => {
  it('has every field of the contract', () => {
    expect(rankOf([memoryPod('web', 500, { memory: '100Mi', priority: 7 })], 'memory.available')).toEqual([
      {
        rank: 1,
        namespace: 'default',
        name: 'web',
        uid: 'uid-web',
        qosClass: 'Burstable',
        priority: 7,
        usage: 500n * MI,
        request: 100n * MI,
        exceedsRequest: true,
        overRequest: 400n * MI,
        critical: false,
        evictable: true,
        why: 'uses 500Mi, 400Mi over its request of 100Mi; priority 7; first to go',
      },
    ]);
  });
  it('goes by the class that the status reports', () => {
    const pods = [memoryPod('web', 1, { status: { qosClass: 'Guaranteed' } })];
    expect(rankOf(pods, 'memory.available')[0]?.qosClass).toBe('Guaranteed');
  });
  it('has nulls where nothing was measured', () => {
    const [entry] = rankOf([used('new', { memory: '100Mi' })], 'memory.available');
    expect(entry).toMatchObject({ usage: null, request: 100n * MI, exceedsRequest: null, overRequest: null });
  });
  it('counts passed-over pods in the rank, and not in the turn', () => {
    const order = rankOf(
      [memoryPod('critical', 900, { priority: 2_000_000_000 }), memoryPod('a', 3, { memory: '1Gi' })],
      'memory.available',
    );
    expect(order.map(({ rank, critical, evictable, why }) => [rank, critical, evictable, why])).toEqual([
      [
        1,
        true,
        false,
        'passed over: it is critical, its priority 2000000000 being at least 2000000000; uses 900Mi, all of it over, since it requests none; priority 2000000000',
      ],
      [2, false, true, 'uses 3Mi, within its request of 1Gi; priority 0; first to go'],
    ]);
  });
});

describe('the reason in words', () => {
  const why = (...args: Parameters<typeof rankOf>) => rankOf(...args).map((entry) => entry.why);
  it('tells usage against the request', () => {
    const pods = [
      memoryPod('none', 9),
      memoryPod('idle', 0),
      memoryPod('equal', 100, { memory: '100Mi' }),
      memoryPod('within', 50, { memory: '100Mi' }),
    ];
    expect(why(pods, 'memory.available')).toEqual([
      'uses 9Mi, all of it over, since it requests none; priority 0; first to go',
      'uses 100Mi, which is exactly its request and not over it; priority 0; second to go',
      'uses 0 bytes and requests none; priority 0; third to go',
      'uses 50Mi, within its request of 100Mi; priority 0; fourth to go',
    ]);
  });
  it('tells of page cache in use where it is half of the usage or more, and only of memory', () => {
    const reader = (name: string, mib: bigint, activeFileBytes: bigint, parts = {}) =>
      used(name, { ...parts, usage: { memoryWorkingSetBytes: mib * MI, processCount: 3n, activeFileBytes } });
    const pods = [
      reader('most', 9n, 6n * MI),
      reader('half', 8n, 4n * MI),
      reader('less', 7n, (7n * MI) / 2n - 1n),
      reader('more-than-all', 6n, 7n * MI, { memory: '2Mi' }),
      reader('nothing', 0n, 0n),
    ];
    expect(why(pods, 'allocatableMemory.available')).toEqual([
      'uses 9Mi (6Mi of it page cache in use, which the kernel can take back), all of it over, since it requests none; priority 0; first to go',
      'uses 8Mi (4Mi of it page cache in use, which the kernel can take back), all of it over, since it requests none; priority 0; second to go',
      'uses 7Mi, all of it over, since it requests none; priority 0; third to go',
      'uses 6Mi (6Mi of it page cache in use, which the kernel can take back), 4Mi over its request of 2Mi; priority 0; fourth to go',
      'uses 0 bytes and requests none; priority 0; fifth to go',
    ]);
    expect(why([reader('most', 9n, 6n * MI)], 'pid.available')).toEqual([
      'runs 3 processes; priority 0; first to go',
    ]);
  });
  it('tells that a pod was not measured, and why it is passed over', () => {
    expect(why([used('new')], 'memory.available')).toEqual([
      'passed over: it is unmeasured (eviction.unmeasured: evict would take it); priority 0',
    ]);
    expect(why([used('new', { priority: 2_000_000_000 })], 'memory.available')).toEqual([
      'passed over: it is critical, its priority 2000000000 being at least 2000000000; unmeasured; priority 2000000000',
    ]);
    expect(why([used('new')], 'memory.available', { unmeasured: 'evict' })).toEqual([
      'is unmeasured, and such pods go before all others; priority 0; first to go',
    ]);
    expect(why([used('new')], 'pid.available', { unmeasured: 'evict' })).toEqual([
      'is unmeasured, so it goes first within its priority; priority 0; first to go',
    ]);
  });
});
