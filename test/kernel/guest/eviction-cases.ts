import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { counter, MIB, MOUNT, numberIn, readCgroup, sleep, until, writeCgroup } from './machine.ts';
import type { TestPod } from './pod.ts';
import type { KernelCase, Notes } from './result.ts';
import type { AuditRecord, RunningAgent } from './running-agent.ts';
import { makePod, onNode, removeCgroup, type TestNode } from './test-node.ts';
import { deafHog, forkBomb, hog, type Workload } from './workload.ts';

const SIGNAL = 'memory.available';
/** How much memory a case leaves above its threshold before it begins. */
const ROOM_MIB = 60;
/** How long it is watched that nothing more happens. */
const WATCH_MS = 4000;

const MEMORY_QOS_OFF = { memoryQos: { enabled: false } };

/** What the agent sees of memory, in MiB. */
async function availableMib(agent: RunningAgent): Promise<number> {
  const { signals } = await agent.state(({ signals: all }) => all.some(isMemory), SIGNAL);
  return (signals.find(isMemory)?.available ?? Number.NaN) / MIB;
}

function isMemory({ signal }: { readonly signal: string }): boolean {
  return signal === SIGNAL;
}

/** MemTotal less what is in use, as the agent counts it, in whole MiB. */
function roughlyAvailableMib(): number {
  const total = Number(/^MemTotal: +(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) / 1024;
  const stat = (key: string): number => counter('', 'memory.stat', key) / MIB;
  return Math.floor(total - (stat('anon') + stat('file') - stat('inactive_file')));
}

/** An agent under a threshold that lies `ROOM_MIB` below what is available now, the agent's own memory counted. */
async function agentNearThreshold(
  node: TestNode,
  { soft, ...settings }: { readonly soft?: string; readonly [key: string]: unknown } = {},
  ...options: readonly string[]
): Promise<RunningAgent> {
  // A first agent shows what is left when one runs; the threshold goes by that.
  const agentsOwnMib = 110;
  const at = `${roughlyAvailableMib() - agentsOwnMib - ROOM_MIB}Mi`;
  const thresholds =
    soft === undefined
      ? { hard: { [SIGNAL]: at } }
      : { soft: { [SIGNAL]: at }, softGracePeriod: { [SIGNAL]: '0.1s' } };
  const eviction = { thresholds, pressureTransitionPeriod: '0s', maxPodGracePeriodSeconds: 5 };
  node.configure({ ...MEMORY_QOS_OFF, eviction, ...settings });
  const agent = await node.startAgent(...(options.length > 0 ? options : ['--enforce']));
  assert.equal(agent.records('evicting').length, 0, 'the threshold was crossed before the case began');
  return agent;
}

/** Takes memory until the agent has seen the threshold crossed and has begun with a pod. */
async function crossThreshold(agent: RunningAgent, process: Workload): Promise<AuditRecord> {
  const missing = Math.ceil((await availableMib(agent)) - thresholdMib(agent)) + 24;
  process.order(Math.max(missing, 1));
  const [record] = await agent.recorded('evicting');
  assert.ok(record !== undefined);
  return record;
}

function thresholdMib(agent: RunningAgent): number {
  const [start] = agent.records('start');
  const thresholds = (start?.['host'] as { thresholds?: readonly string[] } | undefined)?.thresholds ?? [];
  const mib = /(\d+)/.exec(thresholds.find((id) => id.startsWith(SIGNAL))?.slice(SIGNAL.length) ?? '')?.[1];
  return Number(mib) / MIB;
}

function populated(pod: TestPod): boolean {
  return (
    existsSync(`${MOUNT}/${pod.cgroup}`) && readCgroup(pod.cgroup, 'cgroup.events').includes('populated 1')
  );
}

interface Shop {
  readonly till: TestPod;
  readonly cart: TestPod;
  readonly batch: TestPod;
  readonly tillProcess: Workload;
  readonly cartProcess: Workload;
  readonly batchProcess: Workload;
}

async function shop(node: TestNode): Promise<Shop> {
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '64Mi' });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  return {
    till,
    cart,
    batch,
    tillProcess: await hog(till.container, 40),
    cartProcess: await hog(cart.container, 40),
    batchProcess: await hog(batch.container, 20),
  };
}

/** Nothing more happens: one was enough. */
async function onlyThatOne(agent: RunningAgent): Promise<void> {
  await sleep(WATCH_MS);
  assert.equal(agent.records('evicting').length, 1, JSON.stringify(agent.records('evicting')));
}

async function rightOneDies(node: TestNode, notes: Notes): Promise<void> {
  const { till, cart, batch, batchProcess } = await shop(node);
  const agent = await agentNearThreshold(node);
  const state = await agent.state(() => true, 'a state');
  assert.equal(state.agent['psiTrigger'], true, `no trigger: ${state.troubles.join('; ')}`);
  const evicting = await crossThreshold(agent, batchProcess);
  assert.equal(evicting['name'], 'batch');
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone');
  await batchProcess.ended();
  assert.equal(batchProcess.endedBy, 'SIGTERM', 'one that ends when it is asked is not killed');
  assert.equal(populated(batch), false);
  await onlyThatOne(agent);
  assert.equal(populated(till) && populated(cart), true, 'a neighbour died');
  await agent.state(({ conditions }) => conditions.length === 0, 'the pressure is over');
  notes(
    `from threshold to evictor ${String(ended['reactionMs'])} ms, from there to gone ${String(ended['tookMs'])} ms`,
  );
}

async function overRequestGoesFirst(node: TestNode): Promise<void> {
  const { till, cart, batch, cartProcess } = await shop(node);
  // The BestEffort pod is within nothing either, but the Burstable one has less priority.
  node.forget(batch);
  const important = node.add({ name: 'important', class: 'BestEffort', priority: 1000 });
  await hog(important.container, 30);
  const agent = await agentNearThreshold(node);
  const evicting = await crossThreshold(agent, cartProcess);
  assert.equal(evicting['name'], 'cart');
  await agent.recorded('eviction');
  await onlyThatOne(agent);
  assert.equal(populated(cart), false);
  assert.equal(populated(till) && populated(important), true, 'a neighbour died');
}

async function deafOneIsKilled(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await deafHog(batch.container, 20);
  const sandbox = await hog(batch.sandbox, 1);
  const agent = await agentNearThreshold(node);
  const evicting = await crossThreshold(agent, process);
  assert.equal(evicting['name'], 'batch');
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone');
  await process.ended();
  assert.equal(process.endedBy, 'SIGKILL');
  assert.equal(sandbox.isRunning, false);
  await onlyThatOne(agent);
}

async function forkBombDies(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  writeCgroup(batch.cgroup, 'pids.max', '60');
  const process = await hog(batch.container, 20);
  forkBomb(batch.container);
  await until(() => numberIn(batch.cgroup, 'pids.current') >= 58, 'a bomb that has all it may have');
  const agent = await agentNearThreshold(node);
  await crossThreshold(agent, process);
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone', String(ended?.['why']));
  assert.equal(populated(batch), false);
  assert.equal(numberIn(batch.cgroup, 'pids.current'), 0);
  notes(`gone after ${String(ended['tookMs'])} ms`);
}

async function throttledOneDies(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '400Mi' });
  const stuck = await hog(batch.container, 20);
  writeCgroup(batch.container, 'memory.high', String(24 * MIB));
  stuck.order(30);
  await until(() => counter(batch.container, 'memory.events', 'high') > 5, 'a process that is held back');
  const neighbour = await hog(cart.container, 20);
  const agent = await agentNearThreshold(node);
  const evicting = await crossThreshold(agent, neighbour);
  assert.equal(evicting['name'], 'batch', 'over its request goes first, however little it has');
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone', String(ended?.['why']));
  assert.equal(populated(batch), false);
  notes(`gone after ${String(ended['tookMs'])} ms`);
}

async function remadeIsNotTouched(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort', graceSeconds: 5 });
  const process = await deafHog(batch.container, 20);
  const agent = await agentNearThreshold(node, { soft: 'yes' });
  await crossThreshold(agent, process);
  // While it has its grace, the runtime ends it and starts it again under the same name.
  await removeCgroup(batch.cgroup);
  makePod(batch);
  const successor = await hog(batch.container, 5);
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone');
  await sleep(7000);
  assert.equal(successor.isRunning, true, 'the successor was signalled');
  assert.equal(counter(batch.container, 'cgroup.events', 'frozen'), 0);
}

async function dryRunTouchesNothing(node: TestNode): Promise<void> {
  const { batchProcess, batch } = await shop(node);
  const agent = await agentNearThreshold(node, { memoryQos: { enabled: true } }, '--dry-run');
  const missing = Math.ceil((await availableMib(agent)) - thresholdMib(agent)) + 24;
  batchProcess.order(Math.max(missing, 1));
  const [record] = await agent.recorded('eviction');
  assert.equal(record?.['outcome'], 'dry-run');
  assert.equal(record['name'], 'batch');
  await sleep(WATCH_MS);
  assert.equal(populated(batch), true);
  assert.equal(batchProcess.isRunning, true);
  assert.equal(readCgroup(batch.container, 'memory.high'), 'max');
  assert.equal(agent.records('eviction').length, 1, 'said once');
}

async function heldDownAgentActs(node: TestNode): Promise<void> {
  const { batch, batchProcess, till, cart } = await shop(node);
  const agent = await agentNearThreshold(node);
  // A cgroup of its own that is squeezed to less than the agent has.
  const { mkdirSync } = await import('node:fs');
  if (!existsSync(`${MOUNT}/agent.slice`)) mkdirSync(`${MOUNT}/agent.slice`);
  writeCgroup('agent.slice', 'cgroup.procs', String(agent.child.pid));
  writeCgroup('agent.slice', 'memory.high', String(8 * MIB));
  const evicting = await crossThreshold(agent, batchProcess);
  assert.equal(evicting['name'], 'batch');
  const [ended] = await agent.recorded('eviction');
  assert.equal(ended?.['outcome'], 'gone');
  assert.equal(populated(batch), false);
  assert.equal(populated(till) && populated(cart), true);
}

export const EVICTION_CASES: readonly KernelCase[] = [
  {
    name: 'memory is taken until the threshold is crossed: the pod over its request ends on SIGTERM, no neighbour, no second one',
    run: (notes) => onNode((node) => rightOneDies(node, notes)),
  },
  {
    name: 'of two pods over their requests the one of less priority goes, and a Guaranteed one stays',
    run: () => onNode(overRequestGoesFirst),
  },
  {
    name: 'a process that is deaf to SIGTERM is killed after the grace, the sandbox with it',
    run: () => onNode(deafOneIsKilled),
  },
  {
    name: 'a fork bomb that pids.max bounds is gone as a whole',
    run: (notes) => onNode((node) => forkBombDies(node, notes)),
  },
  {
    name: 'a process that memory.high holds back is gone',
    run: (notes) => onNode((node) => throttledOneDies(node, notes)),
  },
  {
    name: 'a pod whose cgroup is made anew under its name during the grace is not touched',
    run: () => onNode(remadeIsNotTouched),
  },
  {
    name: 'dry-run says once whom it would evict, and touches neither pods nor limits',
    run: () => onNode(dryRunTouchesNothing),
  },
  {
    name: 'an agent that is itself throttled still evicts',
    run: () => onNode(heldDownAgentActs),
  },
];
