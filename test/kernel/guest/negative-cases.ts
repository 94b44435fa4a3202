import assert from 'node:assert/strict';
import { withGate } from './gate.ts';
import { MIB, MOUNT, sleep } from './machine.ts';
import { Notified } from './notified.ts';
import { withoutGenerations } from './reclaim.ts';
import type { KernelCase, Notes } from './result.ts';
import { populated, Shortage, shop, WATCH_MS } from './shortage.ts';
import { onNode, type TestNode } from './test-node.ts';
import { hog, readFileAgain } from './workload.ts';

/** Somebody outside of all pods who takes memory, and gives it back at once. */
async function visit(mib: number): Promise<void> {
  const visitor = await hog('system.slice', mib);
  await sleep(500);
  visitor.child.kill('SIGKILL');
  await visitor.ended();
}

/** Above and below the threshold by turns, while it waits for its grace and after it. */
async function swingsAround(node: TestNode): Promise<void> {
  const { batch, batchProcess } = await shop(node);
  const eviction = { pressureTransitionPeriod: '5m' };
  const shortage = await Shortage.near(node, { isSoft: true, softGracePeriod: '5m', eviction });
  const { agent } = shortage;
  await batchProcess.grow(Math.max((await shortage.marginMib()) - 20, 1));
  for (let round = 0; round < 3; round += 1) await visit(50);
  await agent.recorded('condition');
  await visit(50);
  await sleep(WATCH_MS);
  const conditions = agent.records('condition').map(({ type, status }) => [type, status]);
  assert.deepEqual(conditions, [['MemoryPressure', true]], 'the condition flaps');
  assert.deepEqual(agent.records('evicting'), []);
  assert.equal(populated(batch), true);
}

interface RankingDocument {
  readonly order: readonly { readonly name: string; readonly usage: number; readonly why: string }[];
}

/**
 * A pod that does nothing but read a file again and again: for the kubelet all of it is in use, and the kernel would give most
 * of it. Whoever reads the record, the status or the ranking sees both.
 */
async function readerIsShown(node: TestNode, notes: Notes): Promise<void> {
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  // A pod in which nothing runs is not measured: nobody's end would bring its page cache back.
  await hog(batch.container, 1);
  const shortage = await Shortage.near(node, { options: ['--dry-run'] });
  const { agent } = shortage;
  const before = await agent.state(() => true, 'a state');
  const seen = before.signals.find(({ signal }) => signal === 'memory.available')?.available ?? Number.NaN;
  await readFileAgain(batch.container, (await shortage.missingMib()) + 100);
  const [record] = await agent.recorded('eviction');
  assert.equal(record?.['name'], 'batch');
  const [available, honest] = [Number(record['available']), Number(record['memAvailableBytes'])];
  notes(
    `recorded: memory.available ${Math.round(available / MIB)} MiB, MemAvailable ${Math.round(honest / MIB)} MiB`,
  );
  // What was taken until the threshold was crossed is what the kernel can take back: only one of the two numbers fell by it.
  const grownMib = (honest - available - (before.memAvailableBytes - seen)) / MIB;
  assert.ok(grownMib > 30, `both numbers fell: they parted by ${Math.round(grownMib)} MiB`);
  assert.ok(record['psi'] !== null && record['psi'] !== undefined, 'the pressure is not recorded');
  assert.ok(Date.parse(String(record['metSince'])) <= Date.parse(String(record['time'])));
  await agent.says(/would evict shop\/batch.* \(MemAvailable is \d/);
  const { order } = await node.document<RankingDocument>('rank');
  assert.match(order[0]?.why ?? '', / of it page cache in use, which the kernel can take back/);
  const explained = await node.nodeqos('explain', 'shop/batch');
  assert.match(
    explained.stdout.replaceAll(/\s+/g, ' '),
    / of it page cache in use, which the kernel can take back/,
  );
}

/** How long a read takes, and how long the first one hangs. */
const SLOW_MS = 2000;
const HANGING_MS = 5000;

/**
 * Reads of the cgroup tree that take seconds: no sign of life while a look hangs, one after each look that ends, and the status
 * says how slow they are. The agent still does what it is there for.
 */
async function slowReadsAreTold(node: TestNode, notes: Notes): Promise<void> {
  const { till, batch, batchProcess } = await shop(node);
  const manager = new Notified();
  try {
    const shortage = await Shortage.near(node, { agent: { env: manager.env(60_000) } });
    const missingMib = await shortage.missingMib();
    await manager.says('WATCHDOG=1');
    await withGate(`${MOUNT}/memory.stat`, async (gate) => {
      const opener = await gate.held('an agent that reads how much memory is used');
      manager.news();
      await sleep(HANGING_MS);
      assert.deepEqual(manager.news(), [], 'something was said while nothing was looked at');
      opener.allow();
      const slow = gate.slow(SLOW_MS);
      await manager.says('slow: the last look took ');
      await manager.says('WATCHDOG=1');
      batchProcess.order(missingMib);
      await shortage.gone();
      await manager.says('WATCHDOG=1');
      gate.remove();
      notes(`${await slow} reads of ${SLOW_MS} ms`);
    });
    assert.equal(populated(batch), false);
    assert.equal(populated(till), true, 'a neighbour died');
    manager.news();
    await manager.says('STATUS=enforce; no pressure; 3 pods');
  } finally {
    manager.close();
  }
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  [
    'a node that swings around a threshold within its grace evicts nobody, and its condition stays',
    swingsAround,
  ],
  [
    'reads that take seconds: no sign of life while one hangs, one after each look, and evictions go on',
    slowReadsAreTold,
  ],
];

export const NEGATIVE_CASES: readonly KernelCase[] = [
  ...CASES.map(([name, test]): KernelCase => ({ name, run: (notes) => onNode((node) => test(node, notes)) })),
  {
    name: "a pod that only reads is shown with the kubelet's number and the kernel's in record, line, ranking and explanation",
    run: (notes) => withoutGenerations(() => onNode((node) => readerIsShown(node, notes))),
  },
];
