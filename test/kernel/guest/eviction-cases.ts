import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { counter, MIB, MOUNT, numberIn, readCgroup, sleep, until, writeCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { graceOver, populated, Shortage, shop, WATCH_MS } from './shortage.ts';
import { makePod, onNode, removeCgroup, type TestNode } from './test-node.ts';
import { deafHog, forkBomb, hog } from './workload.ts';

async function rightOneDies(node: TestNode, notes: Notes): Promise<void> {
  const { till, cart, batch, batchProcess } = await shop(node);
  const shortage = await Shortage.near(node);
  const { agent } = shortage;
  const state = await agent.state(() => true, 'a state');
  assert.equal(state.agent['psiTrigger'], true, `no trigger: ${state.troubles.join('; ')}`);
  const evicting = await shortage.cross(batchProcess);
  assert.equal(evicting['name'], 'batch');
  const { reactionMs, tookMs } = await shortage.gone();
  await batchProcess.ended();
  assert.equal(batchProcess.endedBy, 'SIGTERM', 'one that ends when it is asked is not killed');
  assert.equal(populated(batch), false);
  await shortage.onlyOne();
  assert.equal(populated(till) && populated(cart), true, 'a neighbour died');
  await agent.state(({ conditions }) => conditions.length === 0, 'the pressure is over');
  notes(
    `from the threshold to the evictor ${Number(reactionMs)} ms, from there to gone ${Number(tookMs)} ms`,
  );
}

async function lessImportantGoes(node: TestNode): Promise<void> {
  const { till, cart, batch, cartProcess, batchProcess } = await shop(node);
  node.forget(batch);
  batchProcess.child.kill('SIGKILL');
  const important = node.add({ name: 'important', class: 'BestEffort', priority: 1000 });
  await hog(important.container, 30);
  const shortage = await Shortage.near(node);
  const evicting = await shortage.cross(cartProcess);
  assert.equal(evicting['name'], 'cart');
  await shortage.gone();
  await shortage.onlyOne();
  assert.equal(populated(cart), false);
  assert.equal(populated(till) && populated(important), true, 'a neighbour died');
}

async function deafOneIsKilled(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await deafHog(batch.container, 20);
  const sandbox = await hog(batch.sandbox, 1);
  const shortage = await Shortage.near(node);
  const evicting = await shortage.cross(process);
  assert.equal(evicting['name'], 'batch');
  await shortage.gone();
  await process.ended();
  assert.equal(process.endedBy, 'SIGKILL');
  assert.equal(sandbox.isRunning, false);
  await shortage.onlyOne();
}

async function forkBombDies(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  writeCgroup(batch.cgroup, 'pids.max', '40');
  const process = await hog(batch.container, 20);
  const shortage = await Shortage.near(node);
  // Not before: it takes every processor that there is, and an agent needs one to start.
  forkBomb(batch.container);
  await until(() => numberIn(batch.cgroup, 'pids.current') >= 38, 'a bomb that has all it may have');
  await shortage.cross(process);
  const { tookMs } = await shortage.gone();
  assert.equal(populated(batch), false);
  assert.equal(numberIn(batch.cgroup, 'pids.current'), 0);
  notes(`gone after ${Number(tookMs)} ms`);
}

async function throttledOneDies(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '400Mi' });
  const stuck = await hog(batch.container, 20);
  writeCgroup(batch.container, 'memory.high', String(24 * MIB));
  stuck.order(30);
  await until(() => counter(batch.container, 'memory.events', 'high') > 5, 'a process that is held back');
  const neighbour = await hog(cart.container, 20);
  const shortage = await Shortage.near(node);
  const evicting = await shortage.cross(neighbour);
  assert.equal(evicting['name'], 'batch', 'over its request goes first, however little it has');
  const { tookMs } = await shortage.gone();
  assert.equal(populated(batch), false);
  notes(`gone after ${Number(tookMs)} ms`);
}

async function remadeIsNotTouched(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await deafHog(batch.container, 20);
  const shortage = await Shortage.near(node, { isSoft: true });
  const evicting = await shortage.cross(process);
  // While it has its grace, the runtime ends it and starts it again under the same name.
  await removeCgroup(batch.cgroup);
  makePod(batch);
  const successor = await hog(batch.container, 5);
  const [record] = await shortage.agent.recorded('eviction');
  // On a machine that is slow the agent may not have asked the first one yet, and then it says that it is another one now.
  assert.ok(['gone', 'refused'].includes(String(record?.['outcome'])), String(record?.['why']));
  await graceOver(evicting);
  assert.equal(successor.isRunning, true, 'the successor was signalled');
  assert.equal(counter(batch.container, 'cgroup.events', 'frozen'), 0);
}

async function deletedIsNotKilledTwice(node: TestNode): Promise<void> {
  const { till, cart, batch, batchProcess } = await shop(node);
  const shortage = await Shortage.near(node);
  await shortage.cross(batchProcess);
  await shortage.gone();
  // Its owner deletes it, and for a while the list still has it.
  await removeCgroup(batch.cgroup);
  await shortage.onlyOne();
  node.forget(batch);
  await shortage.onlyOne();
  assert.equal(shortage.agent.records('eviction').length, 1);
  assert.equal(populated(till) && populated(cart), true, 'a neighbour died');
}

/** The agent dies while a pod that it has asked to end has its grace: the next one sees it through, and takes no second. */
async function killedWhileEvicting(node: TestNode): Promise<void> {
  const { till, cart, batch, batchProcess } = await shop(node);
  batchProcess.child.kill('SIGKILL');
  await batchProcess.ended();
  const deaf = await deafHog(batch.container, 20);
  const shortage = await Shortage.near(node, { isSoft: true });
  await shortage.cross(deaf);
  await shortage.agent.kill('SIGKILL');
  assert.equal(deaf.isRunning, true, 'it was killed before its grace was over');
  const next = await node.startAgent('--enforce');
  await deaf.ended();
  assert.equal(deaf.endedBy, 'SIGKILL');
  await next.recorded('eviction');
  await sleep(WATCH_MS);
  // Killed before it could put down that it had begun, it is followed by one that begins with the same pod.
  const names = new Set(next.records('evicting').map(({ name }) => name));
  assert.deepEqual([...names], ['batch'], 'somebody else was evicted as well');
  assert.equal(populated(till) && populated(cart), true, 'a neighbour died');
  assert.equal(counter(batch.cgroup, 'cgroup.events', 'frozen'), 0);
}

/** The same, and while no agent runs the pod is made anew under its name: the one that was begun with is gone. */
async function remadeBetweenAgents(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const deaf = await deafHog(batch.container, 20);
  const shortage = await Shortage.near(node, { isSoft: true });
  const evicting = await shortage.cross(deaf);
  // That it was begun is on disk when the pod has been asked to end; the file says when it is.
  await until(() => existsSync(`${node.state}/pending.json`), 'an eviction on disk');
  await shortage.agent.kill('SIGKILL');
  await removeCgroup(batch.cgroup);
  makePod(batch);
  const successor = await hog(batch.container, 5);
  const next = await node.startAgent('--enforce');
  await next.recorded('eviction');
  await graceOver(evicting);
  assert.equal(successor.isRunning, true, 'the successor was signalled');
}

async function dryRunTouchesNothing(node: TestNode): Promise<void> {
  const { batchProcess, batch } = await shop(node);
  const wish = { settings: { memoryQos: { enabled: true } }, options: ['--dry-run'] };
  const shortage = await Shortage.near(node, wish);
  batchProcess.order(await shortage.missingMib());
  const { agent } = shortage;
  const [record] = await agent.recorded('eviction');
  assert.equal(record?.['outcome'], 'dry-run');
  assert.equal(record['name'], 'batch');
  await sleep(WATCH_MS);
  assert.equal(populated(batch), true);
  assert.equal(batchProcess.isRunning, true);
  assert.equal(readCgroup(batch.container, 'memory.high'), 'max');
  assert.equal(agent.records('eviction').length, 1, 'said once');
}

async function throttledAgentActs(node: TestNode, notes: Notes): Promise<void> {
  const { batch, batchProcess, till, cart } = await shop(node);
  mkdirSync(`${MOUNT}/agent.slice`);
  try {
    // Whoever starts it is there for a moment, so that all it has is charged there.
    writeCgroup('agent.slice', 'cgroup.procs', String(process.pid));
    const starting = Shortage.near(node);
    writeCgroup('system.slice', 'cgroup.procs', String(process.pid));
    const shortage = await starting;
    // No more than it has by now: from here on the kernel holds it back for whatever it takes.
    writeCgroup('agent.slice', 'memory.high', String(numberIn('agent.slice', 'memory.current')));
    const evicting = await shortage.cross(batchProcess);
    assert.equal(evicting['name'], 'batch');
    await shortage.gone();
    notes(`held back ${counter('agent.slice', 'memory.events', 'high')} times`);
    assert.equal(populated(batch), false);
    assert.equal(populated(till) && populated(cart), true, 'a neighbour died');
  } finally {
    await removeCgroup('agent.slice');
  }
}

async function fullNodeDoesNotFlap(node: TestNode): Promise<void> {
  const { batch, batchProcess } = await shop(node);
  const shortage = await Shortage.near(node);
  await batchProcess.grow(Math.max((await shortage.marginMib()) - 20, 1));
  for (let round = 0; round < 4; round += 1) {
    const visitor = await hog('system.slice', 5);
    await sleep(500);
    visitor.child.kill('SIGKILL');
    await visitor.ended();
  }
  await sleep(WATCH_MS);
  assert.deepEqual(shortage.agent.records('condition'), []);
  assert.deepEqual(shortage.agent.records('evicting'), []);
  assert.equal(populated(batch), true);
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  [
    'memory is taken until the threshold is crossed: the pod over its request ends on SIGTERM, no neighbour, no second one',
    rightOneDies,
  ],
  [
    'of two pods over their requests the one of less priority goes, and a Guaranteed one stays',
    lessImportantGoes,
  ],
  ['a process that is deaf to SIGTERM is killed after the grace, the sandbox with it', deafOneIsKilled],
  ['a fork bomb that pids.max bounds is gone as a whole', forkBombDies],
  ['a process that memory.high holds back is gone', throttledOneDies],
];

/** What becomes of an eviction that something comes between. */
const DISTURBED: typeof CASES = [
  ['a pod whose cgroup is made anew under its name during the grace is not touched', remadeIsNotTouched],
  [
    'a pod that was evicted and then deleted is not ended twice, and nobody else in its stead',
    deletedIsNotKilledTwice,
  ],
  ['an agent killed while a pod has its grace is followed by one that sees it through', killedWhileEvicting],
  ['a pod made anew while no agent runs is left alone by the next one', remadeBetweenAgents],
  ['dry-run says once whom it would evict, and touches neither pods nor limits', dryRunTouchesNothing],
  ['an agent that is itself throttled still evicts', throttledAgentActs],
  ['a node that is nearly full and stays so evicts nobody and does not flap', fullNodeDoesNotFlap],
];

export const EVICTION_CASES = casesOf(CASES);
export const DISTURBED_EVICTION_CASES = casesOf(DISTURBED);

function casesOf(tests: typeof CASES): readonly KernelCase[] {
  return tests.map(([name, test]) => ({
    name,
    run: (notes) => onNode((node) => test(node, notes)),
  }));
}
