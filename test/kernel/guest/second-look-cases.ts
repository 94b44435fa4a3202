import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { withGate } from './gate.ts';
import { counter, MOUNT, sleep, until } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { availableMib, populated, Shortage, WATCH_MS } from './shortage.ts';
import { makePod, onNode, removeCgroup, type TestNode } from './test-node.ts';
import { deafHog, hog, Workload } from './workload.ts';

/** What is free above the threshold again when the agent looks for the second time. */
const FREE_AGAIN_MIB = 20;

/**
 * The agent has seen its threshold met and reads what pods use: there it is held, until memory has been given back by somebody
 * else. When it looks again right before it would act, nothing is short any more.
 */
async function calledOff(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await hog(batch.container, 20);
  // Outside of all pods, so that its end is nobody's eviction.
  const visitor = await hog('system.slice', 10);
  const shortage = await Shortage.near(node);
  const { agent, thresholdMib } = shortage;
  await withGate(`${MOUNT}/${batch.cgroup}/memory.current`, async (gate) => {
    visitor.order(await shortage.missingMib());
    const opener = await gate.held('an agent that reads what a pod uses, since memory is short');
    assert.equal(opener.pid, agent.child.pid);
    visitor.child.kill('SIGKILL');
    await until(() => availableMib() > thresholdMib + FREE_AGAIN_MIB, 'memory that is free again');
    opener.allow();
  });
  const [record] = await agent.recorded('no-eviction');
  assert.equal(record?.['why'], 'memory.available was read again and the threshold is not met any more');
  await sleep(WATCH_MS);
  assert.deepEqual(agent.records('evicting'), [], 'somebody was evicted although memory was there again');
  assert.equal(populated(batch), true);
}

/**
 * Between the choice of a pod and the first step against it, its cgroup is made anew: the agent is stopped while it puts the
 * eviction on disk, and goes on when somebody else is there under that name.
 */
async function remadeBeforeHeld(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await hog(batch.container, 20);
  const shortage = await Shortage.near(node, { isSoft: true });
  const { agent } = shortage;
  let successor: Workload | undefined;
  await withGate(node.state, async (gate) => {
    process.order(await shortage.missingMib());
    const opener = await gate.held('an agent that puts an eviction on disk');
    // It would wait for the disk for a second only.
    agent.child.kill('SIGSTOP');
    await removeCgroup(batch.cgroup);
    makePod(batch);
    successor = await hog(batch.container, 5);
    opener.allow();
  });
  agent.child.kill('SIGCONT');
  const [record] = await agent.recorded('eviction');
  assert.equal(record?.['outcome'], 'refused');
  assert.match(String(record['why']), /was removed and made anew meanwhile$/);
  await sleep(WATCH_MS);
  assert.equal(successor?.isRunning, true, 'the successor was signalled');
  assert.equal(counter(batch.container, 'cgroup.events', 'frozen'), 0);
}

/** Starts processes in a cgroup until one has the PID, which is free; the others are gone again. */
async function processWithPid(pid: number, cgroup: string): Promise<Workload> {
  for (let round = 0; round < 50; round += 1) {
    writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const one = new Workload(cgroup, ['sleep', '1000']);
    if (one.child.pid === pid) return one;
    one.child.kill('SIGKILL');
    await one.ended();
  }
  throw new Error(`no process could be given the PID ${pid}`);
}

/**
 * The agent has looked who runs in a container and is about to make sure of it: there it is held, while that process ends and
 * another one, of another pod, gets its PID.
 */
async function pidIsReused(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const process = await hog(batch.container, 20);
  const pid = process.child.pid ?? 0;
  await hog(batch.sandbox, 1);
  const shortage = await Shortage.near(node, { isSoft: true });
  let other: Workload | undefined;
  await withGate(`${MOUNT}/${batch.container}/cgroup.procs`, async (gate) => {
    process.order(await shortage.missingMib());
    let frozenLooks = 0;
    while (other === undefined) {
      const opener = await gate.held('an agent that looks who runs in a container');
      if (counter(batch.cgroup, 'cgroup.events', 'frozen') === 1) frozenLooks += 1;
      if (frozenLooks === 2) {
        process.child.kill('SIGKILL');
        await process.ended();
        other = await processWithPid(pid, till.container);
      }
      opener.allow();
    }
  });
  await shortage.gone();
  await sleep(WATCH_MS);
  assert.equal(other?.isRunning, true, 'the process that has the PID now was signalled');
  assert.equal(populated(batch), false);
  notes(`PID ${pid} was given again between look and signal`);
}

/** The pod ends when it is asked, and long before its grace would be over somebody else has the PID of its process. */
async function pidIsReusedInGrace(node: TestNode): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const till = node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const process = await hog(batch.container, 20);
  const pid = process.child.pid ?? 0;
  // It keeps the container from having ended, so that the grace goes on.
  const deaf = await deafHog(batch.container, 1);
  const shortage = await Shortage.near(node, { isSoft: true });
  await shortage.cross(process);
  await process.ended();
  const other = await processWithPid(pid, till.container);
  await shortage.gone();
  await deaf.ended();
  assert.equal(deaf.endedBy, 'SIGKILL');
  await sleep(WATCH_MS / 2);
  assert.equal(other.isRunning, true, 'the process that has the PID now was signalled');
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  ['memory that is there again at the second look, right before the eviction, saves the pod', calledOff],
  [
    'promise 4: a pod whose cgroup is made anew after it was chosen and before it is held is not touched',
    remadeBeforeHeld,
  ],
  [
    'promise 4: a process that gets a PID between the look at it and the signal is not signalled',
    pidIsReused,
  ],
  ['a process that gets the PID of one that has ended during the grace is not signalled', pidIsReusedInGrace],
];

export const SECOND_LOOK_CASES: readonly KernelCase[] = CASES.map(([name, test]) => ({
  name,
  run: (notes) => onNode((node) => test(node, notes)),
}));
