import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { counter, MIB, MOUNT, readCgroup, sleep } from './machine.ts';
import type { TestPod } from './pod.ts';
import type { AuditRecord, RunningAgent } from './running-agent.ts';
import type { AgentWish, TestNode } from './test-node.ts';
import { hog, type Workload } from './workload.ts';

const SIGNAL = 'memory.available';
/** How much memory is left above the threshold before a case begins. */
const ROOM_MIB = 60;
/** About what an agent takes for itself. */
const AGENT_MIB = 110;
/** How far below the threshold a case goes: more than the machine itself gives back meanwhile. */
const BELOW_MIB = 24;
/** What a pod may take to end under a soft threshold: long enough for a case to do something meanwhile. */
const GRACE_SECONDS = 10;
/** How long it is watched that nothing more happens. */
export const WATCH_MS = 3000;

export interface ShortageWish {
  /** The threshold is a soft one, of little patience, so that pods have a grace of their own. */
  readonly isSoft?: boolean;
  /** Of a soft threshold. */
  readonly softGracePeriod?: string;
  readonly settings?: object;
  readonly options?: readonly string[];
  /** More of the configuration's eviction part. */
  readonly eviction?: object;
  /** How the agent is started besides that. */
  readonly agent?: AgentWish;
}

/** A node with an agent on it, and its one threshold, which is not far. */
export class Shortage {
  readonly agent: RunningAgent;
  readonly thresholdMib: number;

  private constructor(agent: RunningAgent, thresholdMib: number) {
    this.agent = agent;
    this.thresholdMib = thresholdMib;
  }

  /** Starts the agent under a threshold that lies somewhat below what will be available then. */
  static async near(node: TestNode, wish: ShortageWish = {}): Promise<Shortage> {
    const { isSoft = false, softGracePeriod = '0.1s', settings = {}, options = ['--enforce'] } = wish;
    const mib = Math.floor(availableMib() - AGENT_MIB - ROOM_MIB);
    const amount = { [SIGNAL]: `${mib}Mi` };
    const thresholds = isSoft
      ? { soft: amount, softGracePeriod: { [SIGNAL]: softGracePeriod } }
      : { hard: amount };
    const patience = { pressureTransitionPeriod: '0s', maxPodGracePeriodSeconds: GRACE_SECONDS };
    const eviction = { thresholds, ...patience, ...wish.eviction };
    node.configure({ memoryQos: { enabled: false }, eviction, ...settings });
    const agent = await node.startAgentAs(wish.agent ?? {}, ...options);
    assert.equal(agent.records('evicting').length, 0, 'the threshold was crossed before the case began');
    return new Shortage(agent, mib);
  }

  /** How much has to be taken until the threshold is crossed for sure. */
  async missingMib(): Promise<number> {
    return (await this.marginMib()) + BELOW_MIB;
  }

  /** How much the agent sees above the threshold. */
  async marginMib(): Promise<number> {
    const { signals } = await this.agent.state(() => true, 'a state');
    const available = signals.find(({ signal }) => signal === SIGNAL)?.available ?? Number.NaN;
    return Math.ceil(available / MIB - this.thresholdMib);
  }

  /** Has a process take memory until the agent has begun to evict somebody; gives the record of it. */
  async cross(process: Workload): Promise<AuditRecord> {
    process.order(Math.max(await this.missingMib(), 1));
    const [record] = await this.agent.recorded('evicting');
    assert.ok(record !== undefined);
    return record;
  }

  /** Waits for the end of the one eviction, which has to be a good one; gives its record. */
  async gone(): Promise<AuditRecord> {
    const [record] = await this.agent.recorded('eviction');
    assert.equal(record?.['outcome'], 'gone', String(record?.['why']));
    return record;
  }

  /** Nothing more happens: one was enough. */
  async onlyOne(): Promise<void> {
    await sleep(WATCH_MS);
    const names = this.agent.records('evicting').map(({ name }) => name);
    assert.equal(names.length, 1, `evicted: ${names.join(', ')}`);
  }
}

/** Waits until the grace of an eviction is over for certain, and whoever would have been killed then has been. */
export async function graceOver({ time }: AuditRecord): Promise<void> {
  const leftMs = Date.parse(String(time)) + GRACE_SECONDS * 1000 - Date.now();
  await sleep(Math.max(0, leftMs) + WATCH_MS / 2);
}

/** MemTotal less what is in use, in MiB, as the kubelet counts it. */
export function availableMib(): number {
  const total = Number(/^MemTotal: +(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) / 1024;
  const stat = (key: string): number => counter('', 'memory.stat', key) / MIB;
  return total - (stat('anon') + stat('file') - stat('inactive_file'));
}

/** Whether anything runs in a pod. */
export function populated(pod: TestPod): boolean {
  return (
    existsSync(`${MOUNT}/${pod.cgroup}`) && readCgroup(pod.cgroup, 'cgroup.events').includes('populated 1')
  );
}

/** A pod of each class, in which something runs. */
export interface Shop {
  readonly till: TestPod;
  readonly cart: TestPod;
  readonly batch: TestPod;
  readonly cartProcess: Workload;
  readonly batchProcess: Workload;
}

/** The Guaranteed and the Burstable pod are within their requests, the BestEffort one has none. */
export async function shop(node: TestNode): Promise<Shop> {
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '64Mi' });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await hog(till.container, 40);
  return {
    till,
    cart,
    batch,
    cartProcess: await hog(cart.container, 40),
    batchProcess: await hog(batch.container, 20),
  };
}
