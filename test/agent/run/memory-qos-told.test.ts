import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../agent/model/agent-event.ts';
import { MemoryQosScene, UNTOUCHED, want } from '../../fakes/memory-qos-scene.ts';

let scene = new MemoryQosScene();
beforeEach(() => {
  scene = new MemoryQosScene().with('pods', 7n, UNTOUCHED);
});

describe('whose value it is', () => {
  beforeEach(() => {
    scene.with('pods/a', 8n, UNTOUCHED).with('pods/a/c', 9n, UNTOUCHED);
    scene.wanted = [
      want('pods', 'memory.min', 8192n),
      want('pods/a', 'memory.min', 8192n, ['shop', 'api', null]),
      want('pods/a/c', 'memory.min', 8192n, ['shop', 'api', 'c']),
    ];
  });

  const owners = (events: readonly AgentEvent[], wanted: AgentEvent['kind']): unknown[] =>
    events.flatMap((event) =>
      (event.kind === 'write' || event.kind === 'drift') && event.kind === wanted
        ? [[event.cgroup, event.pod, event.container]]
        : [],
    );
  const ALL = [
    ['pods', null, null],
    ['pods/a', 'shop/api', null],
    ['pods/a/c', 'shop/api', 'c'],
  ];

  it('is told of every write', async () => {
    expect(owners(await scene.turn(0), 'write')).toEqual(ALL);
  });

  it('is told of what dry-run kept from being written', async () => {
    scene.use({ mode: 'dry-run' });
    expect(owners(await scene.turn(0), 'write')).toEqual(ALL);
  });

  it('is told of what somebody else changed', async () => {
    await scene.turn(0);
    for (const [cgroup, inode] of [
      ['pods', 7n],
      ['pods/a', 8n],
      ['pods/a/c', 9n],
    ] as const) {
      scene.with(cgroup, inode, { ...UNTOUCHED, 'memory.min': '4096\n' });
    }
    expect(owners(await scene.turn(1000), 'drift').sort()).toEqual(ALL);
  });
});

describe('pods that run here and are not in the list', () => {
  const trouble = (sentence: string, over: boolean) => ({
    kind: 'trouble',
    part: 'unlisted',
    sentence,
    over,
  });

  it.each(['dry-run', 'enforce'] as const)('are told once, and when it is over, in %s', async (mode) => {
    scene.wanted = [];
    scene.use({ mode });
    scene.unlisted = '2 pods are not in the list';
    expect(await scene.turn(0)).toEqual([trouble('2 pods are not in the list', false)]);
    expect(await scene.turn(30_000)).toEqual([]);
    scene.unlisted = undefined;
    expect(await scene.turn(59_999)).toEqual([]);
    expect(await scene.turn(60_000)).toEqual([trouble('2 pods are not in the list', true)]);
  });

  it('are nobody to warn of when Memory QoS has been turned off', async () => {
    scene.wanted = [];
    scene.unlisted = 'one pod is not in the list';
    await scene.turn(0);
    scene.events.length = 0;
    await scene.loop.settle(1000);
    expect(scene.events).toEqual([trouble('one pod is not in the list', true)]);
  });

  it('keep sums from being lowered, which is no drift and is not written again and again', async () => {
    const sums = (bytes: bigint) => [want('pods', 'memory.min', bytes), want('pods', 'memory.low', bytes)];
    scene.wanted = sums(8192n);
    await scene.turn(0);
    scene.unlisted = 'one pod is not in the list';
    scene.notLowered = new Set(['pods/memory.min', 'pods/memory.low']);
    scene.wanted = sums(0n);
    expect(await scene.turn(30_000)).toEqual([trouble('one pod is not in the list', false)]);
    expect(await scene.turn(31_000)).toEqual([]);
    expect(scene.loop.hasBegun).toBe(false);
    expect(scene.files.contents()).toMatchObject({
      'pods/memory.min': '8192\n',
      'pods/memory.low': '8192\n',
    });
    scene.wanted = sums(12288n);
    await scene.turn(60_000);
    expect(scene.files.contents()).toMatchObject({ 'pods/memory.min': '12288\n' });
    scene.wanted = sums(4096n);
    scene.unlisted = undefined;
    scene.notLowered = new Set();
    const told = await scene.turn(90_000);
    expect(told.filter(({ kind }) => kind === 'drift')).toEqual([]);
    expect(scene.files.contents()).toMatchObject({
      'pods/memory.min': '4096\n',
      'pods/memory.low': '4096\n',
    });
  });

  it('leave a sum alone that somebody else has raised meanwhile, and that is lowered when they are over', async () => {
    scene.wanted = [want('pods', 'memory.min', 8192n)];
    await scene.turn(0);
    scene.notLowered = new Set(['pods/memory.min']);
    scene.wanted = [want('pods', 'memory.min', 4096n)];
    await scene.turn(30_000);
    scene.with('pods', 7n, { ...UNTOUCHED, 'memory.min': '16384\n' });
    expect(await scene.turn(60_000)).toEqual([]);
    scene.notLowered = new Set();
    expect((await scene.turn(90_000)).map(({ kind }) => kind)).toEqual(['write', 'plan-applied']);
  });
});
