import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TickRecord } from '../../../../agent/model/tick.ts';
import type { ApiClient } from '../../../../agent/peers/api/api-client.ts';
import type { ClosableSink } from '../../../../agent/report/cluster/cluster-events.ts';
import { type NodeStatusParts, nodeStatus } from '../../../../agent/report/cluster/node-status.ts';
import type { NodeCondition } from '../../../../config/signal.ts';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';
import { AGENT, clientOf, SECRET_TOKEN } from '../../../fakes/api-server/client-of.ts';
import { NodePatches } from '../../../fakes/api-server/node-status.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { FastClock } from '../../../fakes/fast-clock.ts';
import { MEMORY_HARD, NODEFS_SOFT, tickRecord } from '../../../fakes/tick-records.ts';

const READY = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-03-04T05:00:00Z' };
const OTHERS = [
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-03-04T05:00:00Z' },
  { key: 'team', value: 'shop', effect: 'NoSchedule' },
];
let server: ApiServer;
let client: ApiClient;
let forget: () => void;
let node: NodePatches;
let clock: FakeClock;
let troubles: (string | undefined)[];
let sink: ClosableSink;

beforeEach(async () => {
  server = new ApiServer();
  await server.start();
  node = new NodePatches(server);
  ({ client, forget } = await clientOf(server, new FastClock(1)));
  clock = new FakeClock();
  troubles = [];
  server.store.put('nodes', {
    metadata: { name: 'node-1', labels: { a: 'b' } },
    spec: { podCIDR: '10.0.0.0/24', taints: OTHERS },
    status: { conditions: [READY], nodeInfo: { bootID: 'x' } },
  });
  sink = sinkOf({});
});

afterEach(async () => {
  forget();
  await server.stop();
});

function sinkOf(more: Partial<NodeStatusParts>): ClosableSink {
  const trouble = (sentence: string | undefined) => void troubles.push(sentence);
  return nodeStatus({ client, nodeName: 'node-1', conditions: true, taints: true, clock, trouble, ...more });
}

/** A tick with these conditions, on a node that watches memory and disk. */
function recordOf(
  conditions: readonly NodeCondition[],
  agent: Partial<TickRecord['agent']> = {},
): TickRecord {
  const record = tickRecord({ atMs: clock.nowMs() });
  const status = (threshold: typeof MEMORY_HARD) =>
    ({ threshold, met: false, metSinceMs: undefined, inGrace: false }) as const;
  const thresholds = [status(MEMORY_HARD), status(NODEFS_SOFT)];
  return {
    ...record,
    decision: { ...record.decision, thresholds, conditions },
    agent: { ...record.agent, ...agent },
  };
}

/** What it leads to is through when this resolves. */
async function tick(...of: Parameters<typeof recordOf>): Promise<void> {
  const before = troubles.length;
  sink.tick?.(recordOf(...of));
  await expect.poll(() => troubles.length, { timeout: 20_000 }).toBe(before + 1);
}

function patches(): readonly object[] {
  return server.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ path, body, headers }) => ({ path, type: headers['content-type'], body }));
}

function found(): { readonly conditions: unknown; readonly taints: unknown } {
  const { spec, status } = server.store.get('nodes', 'node-1') as unknown as {
    readonly spec: { readonly taints?: unknown };
    readonly status: { readonly conditions: unknown };
  };
  return { conditions: status.conditions, taints: spec.taints };
}

const at = (time: string) => `2023-11-14T${time}Z`;
const NO_DISK = {
  type: 'nodeqos.dev/DiskPressure',
  status: 'False',
  reason: 'NoEvictionThresholdMet',
  message: 'no eviction threshold of disk space or inodes is met',
};
const MEMORY = {
  type: 'nodeqos.dev/MemoryPressure',
  status: 'True',
  reason: 'EvictionThresholdMet',
  message: 'an eviction threshold of memory is met, or was within the transition period',
};

describe('the Node', () => {
  it('has conditions and taints under names of nodeqos’ own, and keeps everything of others', async () => {
    await tick(['MemoryPressure']);
    const times = { lastHeartbeatTime: at('22:13:20'), lastTransitionTime: at('22:13:20') };
    const conditions = [
      { ...NO_DISK, ...times },
      { ...MEMORY, ...times },
    ];
    const taints = [...OTHERS, { key: 'nodeqos.dev/memory-pressure', effect: 'NoSchedule' }];
    expect(patches()).toEqual([
      {
        path: '/api/v1/nodes/node-1/status',
        type: 'application/strategic-merge-patch+json',
        body: { status: { conditions } },
      },
      {
        path: '/api/v1/nodes/node-1',
        type: 'application/merge-patch+json',
        body: { metadata: { resourceVersion: '3' }, spec: { taints } },
      },
    ]);
    expect(found()).toEqual({ conditions: [READY, ...conditions], taints });
    expect(server.store.get('nodes', 'node-1')).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { podCIDR: '10.0.0.0/24' },
      status: { nodeInfo: { bootID: 'x' } },
    });
    expect(troubles).toEqual([undefined]);
  });

  it('is not asked again for five minutes while nothing changes', async () => {
    await tick(['MemoryPressure']);
    const before = server.requests.length;
    await clock.advance(299_999);
    sink.tick?.(recordOf(['MemoryPressure']));
    await sink.close();
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'PATCH', 'PATCH']);
  });

  it('is let go where the agent comes to be in dry-run', async () => {
    await tick(['MemoryPressure']);
    await tick(['MemoryPressure'], { mode: 'dry-run' });
    expect(found()).toEqual({ conditions: [READY], taints: OTHERS });
  });

  it('hears a sign of life of a condition every five minutes, which keeps its transition time', async () => {
    await tick(['MemoryPressure']);
    await clock.advance(300_000);
    await tick(['MemoryPressure']);
    const times = { lastHeartbeatTime: at('22:18:20'), lastTransitionTime: at('22:13:20') };
    expect(patches().slice(2)).toEqual([
      {
        path: '/api/v1/nodes/node-1/status',
        type: 'application/strategic-merge-patch+json',
        body: {
          status: {
            conditions: [
              { ...NO_DISK, ...times },
              { ...MEMORY, ...times },
            ],
          },
        },
      },
    ]);
  });

  it('loses the taint when the pressure is over, and the condition says since when', async () => {
    await tick(['MemoryPressure']);
    await clock.advance(10_000);
    await tick([]);
    expect(found().taints).toEqual(OTHERS);
    expect(found().conditions).toMatchObject([
      READY,
      { ...NO_DISK, lastTransitionTime: at('22:13:20') },
      { type: 'nodeqos.dev/MemoryPressure', status: 'False', lastTransitionTime: at('22:13:30') },
    ]);
  });

  it('is taken over as a former run has left it', async () => {
    await tick(['MemoryPressure']);
    const said = found();
    sink = sinkOf({});
    await clock.advance(1000);
    await tick(['MemoryPressure']);
    expect(found()).toEqual(said);
    expect(patches()).toHaveLength(2);
  });

  it('is as it was when the agent has ended', async () => {
    await tick(['MemoryPressure', 'DiskPressure']);
    await sink.close();
    expect(found()).toEqual({ conditions: [READY], taints: OTHERS });
    expect(patches().at(-2)).toMatchObject({
      body: {
        status: {
          conditions: [
            { $patch: 'delete', type: 'nodeqos.dev/DiskPressure' },
            { $patch: 'delete', type: 'nodeqos.dev/MemoryPressure' },
          ],
        },
      },
    });
    const before = server.requests.length;
    sink.tick?.(tickRecord());
    expect(server.requests).toHaveLength(before);
  });

  it('without other taints has no list of them in the end', async () => {
    server.store.put('nodes', { metadata: { name: 'node-1' }, status: { conditions: [] } });
    await tick(['MemoryPressure']);
    expect(found().taints).toEqual([{ key: 'nodeqos.dev/memory-pressure', effect: 'NoSchedule' }]);
    await sink.close();
    expect(patches().at(-1)).toMatchObject({ body: { spec: { taints: null } } });
    expect(found().taints).toBeUndefined();
  });

  it('is read once and not written in dry-run', async () => {
    const record = tickRecord();
    sink.tick?.({ ...record, agent: { ...record.agent, mode: 'dry-run' } });
    await sink.close();
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('is let go where evictions are turned off', async () => {
    await tick(['MemoryPressure']);
    await tick(['MemoryPressure'], { evictions: 'off' });
    expect(found()).toEqual({ conditions: [READY], taints: OTHERS });
  });

  it('has only taints, or only conditions, where only those are asked for', async () => {
    sink = sinkOf({ conditions: false });
    await tick(['MemoryPressure']);
    expect(patches()).toHaveLength(1);
    expect(found().conditions).toEqual([READY]);
    await sink.close();
    sink = sinkOf({ taints: false });
    await tick(['MemoryPressure']);
    expect(found().taints).toEqual(OTHERS);
    expect(found().conditions).toHaveLength(3);
  });

  it('never loses the taint of somebody who was faster', async () => {
    const added = { key: 'new', effect: 'NoSchedule' };
    let left = 2;
    node.onPatch = () => {
      const now = server.store.get('nodes', 'node-1');
      if (left === 0 || now === undefined || server.requests.at(-1)?.path.endsWith('/status') === true)
        return;
      left -= 1;
      const { taints } = found();
      server.store.put('nodes', {
        ...now,
        spec: { taints: [...(taints as object[]), { ...added, key: `new-${left}` }] },
      });
    };
    await tick(['MemoryPressure']);
    expect(found().taints).toEqual([
      ...OTHERS,
      { ...added, key: 'new-1' },
      { ...added, key: 'new-0' },
      { key: 'nodeqos.dev/memory-pressure', effect: 'NoSchedule' },
    ]);
    expect(troubles).toEqual([undefined]);
  });

  it('is left alone for a while by whoever is always too late', async () => {
    node.onPatch = () => {
      const now = server.store.get('nodes', 'node-1');
      if (now !== undefined) server.store.put('nodes', now);
    };
    await tick(['MemoryPressure']);
    expect(troubles).toEqual([
      'the taints of the Node node-1 are changed by somebody else all the time; they are tried again later',
    ]);
    expect(found().taints).toEqual(OTHERS);
    node.onPatch = () => undefined;
    await clock.advance(5000);
    await tick(['MemoryPressure']);
    expect(troubles.at(-1)).toBeUndefined();
  });
});

describe('a Node that cannot be kept', () => {
  it.each([
    ['get nodes', 'get', 'nodes'],
    ['patch nodes/status', 'patch', 'nodes/status'],
    ['patch nodes', 'patch', 'nodes'],
  ])('for want of the permission to %s is told of with the remedy', async (forbidden, verb, resource) => {
    server.forbidden.add(forbidden);
    await tick(['MemoryPressure']);
    expect(troubles).toEqual([
      `${client.name} does not let nodeqos (as ${AGENT}) ${verb} ${resource}; allow it the verb "${verb}" on ${resource} in a ClusterRole`,
    ]);
    expect(JSON.stringify(troubles)).not.toContain(SECRET_TOKEN);
  });

  it('since there is none of the name', async () => {
    server.store.remove('nodes', 'node-1');
    await tick([]);
    expect(troubles).toEqual([`${client.name} has no Node node-1; --node-name says which one this is`]);
  });

  it('is tried again later and later, whatever happens meanwhile', async () => {
    server.misbehave(
      { kind: 'status', code: 500, reason: 'InternalError', message: 'x' },
      { resource: 'nodes', times: 2 },
    );
    await tick([]);
    const record = tickRecord();
    await clock.advance(4999);
    sink.tick?.(record);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await tick(['MemoryPressure']);
    await clock.advance(9999);
    sink.tick?.(record);
    expect(server.requests).toHaveLength(2);
    await clock.advance(1);
    await tick(['MemoryPressure']);
    const lack = `${client.name} failed to get nodes (status 500); its log says why`;
    expect(troubles).toEqual([lack, lack, undefined]);
  });

  it('does not hold up the end of the agent', async () => {
    sink = sinkOf({ clock: new FastClock(50) });
    await tick(['MemoryPressure']);
    server.misbehave({ kind: 'hang' }, { times: 10 });
    const startedAtMs = performance.now();
    await sink.close();
    expect(performance.now() - startedAtMs).toBeLessThan(4000);
  });
});

describe('what a killed run left on the Node', () => {
  const LEFT = { key: 'nodeqos.dev/memory-pressure', effect: 'NoSchedule' };
  const leave = (): void => {
    server.store.put('nodes', {
      metadata: { name: 'node-1' },
      spec: { taints: [...OTHERS, LEFT] },
      status: { conditions: [READY, MEMORY] },
    });
  };
  const SENTENCE =
    'the Node node-1 still has the taints nodeqos.dev/memory-pressure and the conditions nodeqos.dev/MemoryPressure of nodeqos; ' +
    'a run in enforce that ends properly takes them off, or kubectl taint node node-1 nodeqos.dev/memory-pressure- and ' +
    'kubectl edit node node-1 --subresource=status';

  it('is told in dry-run, once, and left alone', async () => {
    leave();
    await tick([], { mode: 'dry-run' });
    sink.tick?.(recordOf([], { mode: 'dry-run' }));
    await sink.close();
    expect(troubles).toEqual([SENTENCE]);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('is taken over in enforce, and taken off at the end', async () => {
    leave();
    await tick([]);
    await sink.close();
    expect(found()).toEqual({ conditions: [READY], taints: OTHERS });
  });

  it('is told at the end where the API server is away', async () => {
    sink = sinkOf({ clock: new FastClock(20) });
    await tick(['MemoryPressure']);
    await server.stop();
    await sink.close();
    expect(troubles.at(-1)).toContain('still has the taints nodeqos.dev/memory-pressure');
    await server.start();
  });
});
