import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { whileHeldAtWrite } from './held-at-write.ts';
import { MOUNT, readCgroup, sleep, writeCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { populated, Shortage, shop, WATCH_MS } from './shortage.ts';
import { onNode, type TestNode } from './test-node.ts';
import { openedForWriting } from './watch-writers.ts';

const LIMITS = ['memory.min', 'memory.low', 'memory.high', 'memory.max', 'cgroup.freeze'] as const;

/** The limits of all cgroups of pods, by their paths. */
function limitsOf(cgroup: string): Readonly<Record<string, readonly string[]>> {
  const own = LIMITS.map((file) => readCgroup(cgroup, file));
  const below = readdirSync(`${MOUNT}/${cgroup}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => limitsOf(`${cgroup}/${name}`));
  return Object.assign({ [cgroup]: own }, ...below) as Readonly<Record<string, readonly string[]>>;
}

/** An agent of which nobody has said that it may act, on a node that is short and has no limits yet. */
async function nothingUnasked(node: TestNode): Promise<void> {
  const { till, cart, batch, batchProcess } = await shop(node);
  const before = limitsOf(node.kubepods);
  const shortage = await Shortage.near(node, { settings: { memoryQos: { enabled: true } }, options: [] });
  batchProcess.order(await shortage.missingMib());
  const [record] = await shortage.agent.recorded('eviction');
  assert.equal(record?.['outcome'], 'dry-run');
  await sleep(WATCH_MS);
  assert.deepEqual(shortage.agent.records('evicting'), []);
  const outcomes = new Set(shortage.agent.records('write').map(({ outcome }) => outcome));
  assert.deepEqual([...outcomes], ['wanted'], 'it says what it would write, and writes nothing');
  assert.equal([till, cart, batch].every(populated), true, 'somebody was ended');
  assert.deepEqual(limitsOf(node.kubepods), before);
  await shortage.agent.kill('SIGTERM');
  assert.deepEqual(limitsOf(node.kubepods), before, 'nor at its end');
}

/** Who only looks opens nothing for writing; that this can be seen is shown by somebody who acts. */
async function nothingOpened(node: TestNode, notes: Notes): Promise<void> {
  const { batchProcess } = await shop(node);
  const seen = await openedForWriting(async () => {
    const shortage = await Shortage.near(node, {
      settings: { memoryQos: { enabled: true } },
      options: ['--dry-run'],
    });
    const { psiTrigger } = (await shortage.agent.state(() => true, 'a state')).agent;
    assert.equal(psiTrigger, true, 'no trigger is armed');
    batchProcess.order(await shortage.missingMib());
    await shortage.agent.recorded('eviction');
    await node.document('plan');
    await node.nodeqos('capture', `${node.folder}/node.tar.gz`);
    await shortage.agent.kill('SIGTERM');
  });
  assert.deepEqual(seen, []);
  const acting = await openedForWriting(() => node.document('apply'));
  notes(`apply opened ${acting.length} files for writing`);
  assert.ok(acting.includes(`${node.kubepods}/memory.min`), `seen: ${acting.join(' ')}`);
}

/** Kills what was started where it opens a limit to write it; gives how many cgroups have other limits by then. */
async function killedAt(node: TestNode, file: string, begin: () => Promise<unknown>): Promise<number> {
  const before = limitsOf(node.kubepods);
  let begun: Promise<unknown> | undefined;
  const start = (): void => {
    begun = begin().catch((error: unknown) => error);
  };
  await whileHeldAtWrite(node, file, start, ({ pid }, gate) => {
    process.kill(pid, 'SIGKILL');
    gate.remove();
    return Promise.resolve();
  });
  await begun;
  const after = limitsOf(node.kubepods);
  return Object.entries(after).filter(([cgroup, one]) => String(one) !== String(before[cgroup])).length;
}

/** Before the first write, in the middle and before the last one; the last life is followed by another one first. */
async function killedAtAnyInstant(node: TestNode, notes: Notes): Promise<void> {
  const { cart, till } = await shop(node);
  writeCgroup(cart.container, 'memory.high', '50003968');
  writeCgroup(till.cgroup, 'memory.low', '8192');
  node.configure({ eviction: { enabled: false } });
  const before = limitsOf(node.kubepods);
  const apply = (): Promise<unknown> => node.document('apply');
  const run = (): Promise<unknown> => node.startAgent('--enforce');
  const lives = [
    { what: 'apply before its first write', file: `${node.kubepods}/memory.min`, begin: apply },
    { what: 'apply in the middle', file: `${till.container}/memory.min`, begin: apply },
    { what: 'run before its last write', file: `${cart.container}/memory.high`, begin: run },
  ];
  for (const { what, file, begin } of lives) {
    const changed = await killedAt(node, file, begin);
    notes(`killed, ${what}: ${changed} cgroups had other limits`);
    if (begin === run) await takesOver(node);
    await node.document('reset');
    assert.deepEqual(limitsOf(node.kubepods), before, `killed, ${what}, and reset`);
  }
}

/** The next one finishes what was begun, takes none of it for somebody else's, and is killed as well. */
async function takesOver(node: TestNode): Promise<void> {
  const agent = await node.startAgent('--enforce');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  assert.equal(agent.records('drift').length, 0, 'it takes its own values for those of somebody else');
  await agent.kill('SIGKILL');
}

/** memory.stat of the root as a file that says nothing: the numbers are not known, and none of them is 0. */
async function blindWaits(node: TestNode): Promise<void> {
  const { batch, batchProcess } = await shop(node);
  const shortage = await Shortage.near(node);
  const { agent } = shortage;
  const missing = await shortage.missingMib();
  execFileSync('mount', ['--bind', '/dev/null', `${MOUNT}/memory.stat`]);
  try {
    const isBlind = await agent.state(
      (state) => Number(state.agent['blindTicks']) > 1,
      'an agent that is blind',
    );
    assert.equal(
      isBlind.signals.find(({ signal }) => signal === 'memory.available'),
      undefined,
    );
    await batchProcess.grow(missing);
    await sleep(WATCH_MS);
    const still = await agent.state(() => true, 'a state');
    assert.ok(Number(still.agent['blindTicks']) > 1, 'it sees again');
    assert.deepEqual(agent.records('evicting'), []);
    await agent.says(/memory\.stat.*memory\.available is not observed/);
    assert.equal(populated(batch), true);
  } finally {
    execFileSync('umount', [`${MOUNT}/memory.stat`]);
  }
  const [record] = await agent.recorded('evicting');
  assert.equal(record?.['name'], 'batch', 'once it sees it acts');
  await shortage.gone();
}

/** What is asked twice is answered twice the same way, byte for byte, also where pods are listed in another order. */
async function sameAnswers(node: TestNode): Promise<void> {
  await shop(node);
  const archive = `${node.folder}/node.tar.gz`;
  const captured = await node.nodeqos('capture', archive);
  assert.equal(captured.status, 0, captured.stderr);
  const ask = async (command: string): Promise<string> => {
    const { status, stdout, stderr } = await node.nodeqos(command, '--root', archive, '-o', 'json');
    assert.equal(status, 0, stderr);
    return stdout;
  };
  for (const command of ['plan', 'rank']) {
    const first = await ask(command);
    turn(`${node.folder}/pods.json`);
    assert.equal(await ask(command), first, command);
  }
}

/** Lists the same pods the other way round. */
function turn(pods: string): void {
  const list = JSON.parse(readFileSync(pods, 'utf8')) as { readonly items: readonly object[] };
  writeFileSync(pods, JSON.stringify({ ...list, items: list.items.toReversed() }));
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  ['promise 1: an agent that nobody has allowed to act changes nothing and ends nobody', nothingUnasked],
  ['promise 2: in dry-run no file below the cgroup mount is opened for writing', nothingOpened],
  [
    'promise 3: killed between any two writes, it is undone by reset, or taken over by the next one',
    killedAtAnyInstant,
  ],
  [
    'promise 7: a number that could not be read is not zero: a blind agent says so and evicts nobody',
    blindWaits,
  ],
  ['promise 8: the same node gives the same answer, in whatever order its pods are listed', sameAnswers],
];

export const PROMISE_CASES: readonly KernelCase[] = CASES.map(([name, test]) => ({
  name,
  run: (notes) => onNode((node) => test(node, notes)),
}));
