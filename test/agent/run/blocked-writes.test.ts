import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCgroupEvictor } from '../../../agent/act/evict/evict-cgroup.ts';
import { PendingFile } from '../../../agent/act/evict/pending-file.ts';
import type { AgentEvent } from '../../../agent/model/agent-event.ts';
import type { TickRecord } from '../../../agent/model/tick.ts';
import { observeMachine } from '../../../agent/observe/machine.ts';
import { nodeEyes } from '../../../agent/observe/node-eyes.ts';
import { PodList } from '../../../agent/observe/pods/pod-list.ts';
import { readPods } from '../../../agent/observe/pods/pod-source.ts';
import { openRoot } from '../../../agent/observe/root.ts';
import { systemClock } from '../../../agent/observe/system-clock.ts';
import { Agent } from '../../../agent/run/agent.ts';
import { Announcer } from '../../../agent/run/announcer.ts';
import { EvictionTurn } from '../../../agent/run/eviction-turn.ts';
import { MemoryQosLoop } from '../../../agent/run/memory-qos-loop.ts';
import { limitFiles } from '../../../cgroup/disk/cgroup-writer.ts';
import { controlFiles } from '../../../cgroup/disk/control-files.ts';
import { openJournalFile } from '../../../cgroup/disk/journal-file.ts';
import { closeMount, type Mount, openMount } from '../../../cgroup/disk/mount.ts';
import { SYSTEM_CALLS } from '../../../cgroup/disk/system-calls.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import type { DesiredValue } from '../../../cgroup/qos-pod.ts';
import { hard, policyOf } from '../../fakes/eviction.ts';
import { BOOT_ID, LivingNode, type LivingPod } from '../../fakes/living-node.ts';
import { SimRandom } from '../../fakes/sim-random.ts';

/** How long the kernel reclaims inside a write of memory.high. */
const BLOCKS_MS = 3000;
const INTERVAL_MS = 50;

let node: LivingNode;
let mounts: Mount[] = [];
beforeEach(() => {
  node = new LivingNode({ pods: 4, random: new SimRandom(3), diesInMs: () => 30 });
  node.start();
});
afterEach(() => {
  mounts.forEach(closeMount);
  mounts = [];
  node.remove();
});

/** The cgroups of a fake node, whose limits take long to write. */
class SlowLimits {
  atOnce = 0;
  most = 0;

  mount(): Mount {
    return opened({
      ...SYSTEM_CALLS,
      write: async (fd, bytes) => {
        this.atOnce += 1;
        this.most = Math.max(this.most, this.atOnce);
        await sleep(BLOCKS_MS);
        await SYSTEM_CALLS.write(fd, bytes);
        this.atOnce -= 1;
      },
    });
  }
}

function opened(calls = SYSTEM_CALLS): Mount {
  const mount = openMount(node.mount, true, calls);
  if (!mount.ok) throw new Error(mount.message);
  mounts.push(mount.value);
  return mount.value;
}

function throttled({ container, name }: LivingPod): DesiredValue {
  const who = { level: 'container', namespace: 'shop', pod: name, uid: null, container: 'c' } as const;
  const what = { qosClass: 'Burstable', cgroup: container, file: 'memory.high', desired: 4096n } as const;
  return { ...who, ...what, reason: 'as little as can be' };
}

async function slowAgent(limits: SlowLimits, events: AgentEvent[]): Promise<Agent> {
  const clock = systemClock;
  const root = await openRoot({ root: node.root });
  const sink = {
    name: 'test',
    event: ({ event }: { readonly event: AgentEvent }) => void events.push(event),
  };
  const announcer = new Announcer([sink], clock, 'enforce');
  const signal = new AbortController().signal;
  const pending = new PendingFile(node.state, BOOT_ID);
  const evictions = new EvictionTurn({
    clock,
    announcer,
    pending,
    signal,
    wake: () => undefined,
    trace: () => undefined,
  });
  const opening = openJournalFile(node.state, BOOT_ID, (cgroup) => root.cgroups.inodeOf(cgroup));
  if (opening.kind !== 'open') throw new Error(opening.message);
  const writable = { files: limitFiles(limits.mount()), journal: opening.journal };
  const memoryQos = new MemoryQosLoop(
    { tree: root.cgroups, limits: () => writable, announcer },
    {
      mode: 'enforce',
      maxWritesPerTick: 64,
      isStable: true,
      desired: () => ({ values: node.pods.map(throttled), unlisted: undefined }),
      likelyWriter: () => 'somebody',
    },
  );
  const { pods } = readPods(node.path('pods.json'));
  const eyes = nodeEyes({
    root,
    layout: cgroupLayout('cgroupfs', '/'),
    machine: observeMachine(root),
    pods: new PodList({ paths: [], read: () => pods }),
  });
  const evictor = createCgroupEvictor({ control: controlFiles(opened()), processes: undefined, clock });
  return new Agent(
    {
      clock,
      announcer,
      evictions,
      figures: () => ({
        pid: 1,
        version: '0',
        startedAtMs: 0,
        configurationValid: true,
        configurationLoadedAtMs: 0,
        psiTrigger: false,
      }),
    },
    {
      mode: 'enforce',
      eyes,
      eviction: {
        policy: policyOf([hard('memory.available', '512Mi')]),
        evictor,
        evictions: 'on',
        maxSampleAgeMs: 3000,
        isTraced: false,
      },
      evictionsBecause: undefined,
      overConnection: { pods: false, statistics: false },
      pace: { intervalMs: INTERVAL_MS, minIntervalMs: 20 },
      memoryQos,
      tiers: () => [],
    },
  );
}

it('ticks and evicts while writes of limits block in the kernel, of which there are never more than two', async () => {
  const limits = new SlowLimits();
  const events: AgentEvent[] = [];
  const agent = await slowAgent(limits, events);
  const begunMs = systemClock.nowMs();
  const ticks: TickRecord[] = [await agent.tick()];
  const hog = node.hunger();
  // All this takes no longer than the first two writes do.
  while (node.isShort && systemClock.nowMs() - begunMs < BLOCKS_MS) {
    ticks.push(await agent.tick());
    await sleep(INTERVAL_MS);
  }
  expect([node.killed, node.isShort]).toEqual([[hog.name], false]);
  expect(systemClock.nowMs() - begunMs).toBeLessThan(BLOCKS_MS);
  expect(Math.max(...ticks.map(({ tookMs }) => tookMs))).toBeLessThan(BLOCKS_MS / 3);
  expect(events.filter(({ kind }) => kind === 'write')).toEqual([]);
  expect(ticks.at(-1)?.memoryQos?.inFlight).toBe(4);
  await agent.idle();
  expect([limits.most, limits.atOnce]).toEqual([2, 0]);
  const outcomes = events.flatMap((event) => (event.kind === 'write' ? [event.outcome] : []));
  expect(outcomes).toEqual(Array.from({ length: 4 }, () => 'written'));
});
