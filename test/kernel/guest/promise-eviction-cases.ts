import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { MIB, readCgroup, sleep, until } from './machine.ts';
import type { PodWish } from './pod.ts';
import type { KernelCase, Notes } from './result.ts';
import { populated, Shortage, WATCH_MS } from './shortage.ts';
import { onNode, type TestNode } from './test-node.ts';
import { hog } from './workload.ts';

const HASH = '7b7b0000-0000-4000-8000-000000000001';

/** Those who never go, each with more than the one who may. */
const UNTOUCHABLE: readonly (Pick<PodWish, 'name' | 'metadata' | 'spec'> & { readonly why: RegExp })[] = [
  {
    name: 'critical',
    spec: { priority: 2_000_000_000, priorityClassName: 'system-cluster-critical' },
    why: /critical/,
  },
  { name: 'static', metadata: { annotations: { 'kubernetes.io/config.source': 'file' } }, why: /static/ },
  {
    name: 'mirror',
    metadata: { annotations: { 'kubernetes.io/config.mirror': HASH, 'kubernetes.io/config.source': 'api' } },
    why: /mirror/,
  },
  { name: 'protected', metadata: { labels: { stays: 'yes' } }, why: /protects/ },
  {
    name: 'terminating',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 600 },
    why: /terminating/,
  },
];

interface Candidate {
  readonly name: string;
  readonly evictable: boolean;
  readonly why: string;
}

/** The one who may go uses least; when it is gone and memory is short still, nobody follows it. */
async function someNeverGo(node: TestNode, notes: Notes): Promise<void> {
  const stay = UNTOUCHABLE.map(({ name, metadata = {}, spec = {} }) =>
    node.add({ name, class: 'BestEffort', metadata, spec }),
  );
  for (const pod of stay) await hog(pod.container, 10);
  const plain = node.add({ name: 'plain', class: 'BestEffort' });
  await hog(plain.container, 4);
  const visitor = await hog('system.slice', 4);
  const protectedPods = { protected: { namespaces: [], labels: { stays: 'yes' } } };
  const shortage = await Shortage.near(node, { eviction: protectedPods });
  const { agent } = shortage;
  const evicting = await shortage.cross(visitor);
  assert.equal(evicting['name'], 'plain');
  const rank = evicting['rank'] as readonly Candidate[];
  for (const { name, why } of UNTOUCHABLE) {
    const candidate = rank.find((one) => one.name === name);
    assert.equal(candidate?.evictable, false, name);
    assert.match(candidate.why, why);
  }
  await shortage.gone();
  const [refusal] = await agent.recorded('no-eviction');
  notes(`then: ${String(refusal?.['why'])}`);
  await shortage.onlyOne();
  for (const pod of stay) assert.equal(populated(pod), true, `${pod.name} was ended`);
}

const NAMED_BY_ALL = [
  'time',
  'mode',
  'namespace',
  'name',
  'uid',
  'signal',
  'threshold',
  'available',
  'capacity',
];
const INPUTS = ['memAvailableBytes', 'psi', 'metSince', 'gracePeriodSeconds', 'evictor', 'rank', 'message'];

/** What was seen, who could have gone and by which rule stands in the record, of who goes and of why nobody does. */
async function everythingIsRecorded(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '64Mi', priority: 7 });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  await hog(cart.container, 20);
  const batchProcess = await hog(batch.container, 8);
  const visitor = await hog('system.slice', 4);
  const protectedPods = { protected: { namespaces: [], labels: {}, priorityAtLeast: 7 } };
  const shortage = await Shortage.near(node, { eviction: protectedPods });
  const { agent, thresholdMib } = shortage;
  const evicting = await shortage.cross(visitor);
  const eviction = await shortage.gone();
  for (const record of [evicting, eviction])
    for (const field of [...NAMED_BY_ALL, ...INPUTS])
      assert.ok(record[field] !== undefined && record[field] !== null, `${record.kind} without ${field}`);
  assert.deepEqual(evicting['threshold'], {
    signal: 'memory.available',
    type: 'hard',
    value: { quantity: thresholdMib * MIB },
  });
  assert.ok(Number(evicting['available']) < thresholdMib * MIB);
  const rank = evicting['rank'] as readonly Candidate[];
  assert.deepEqual(
    rank.map(({ name, evictable }) => [name, evictable]),
    [
      ['batch', true],
      ['cart', false],
    ],
  );
  assert.match(
    rank[0]?.why ?? '',
    /^uses .*, all of it over, since it requests none; priority 0; first to go$/,
  );
  await batchProcess.ended();
  // The visitor has what it took: memory is short still, and whoever is left is protected.
  const [refusal] = await agent.recorded('no-eviction');
  assert.equal(refusal?.['signal'], 'memory.available');
  assert.ok(String(refusal['why']).length > 0);
  await agent.kill('SIGTERM');
  const kinds = agent.records().map(({ kind }) => kind);
  assert.equal(kinds[0], 'start');
  assert.equal(kinds.at(-1), 'stop');
  for (const kind of ['condition', 'evicting', 'eviction', 'no-eviction'])
    assert.ok(kinds.includes(kind), `no record of ${kind}`);
}

/** No route, no address, not even the loopback: limits are written and the right pod goes. */
async function needsNoNetwork(node: TestNode, notes: Notes): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  const batch = node.add({ name: 'batch', class: 'BestEffort' });
  const process = await hog(batch.container, 20);
  execFileSync('/bin/ip', ['link', 'set', 'lo', 'down']);
  try {
    // This machine has no systemd, which would be told of as a lack where limits are wanted through it.
    const settings = { memoryQos: { enabled: true, writer: 'cgroupfs' } };
    const shortage = await Shortage.near(node, { settings });
    const { agent } = shortage;
    await until(
      () => readCgroup(cart.container, 'memory.low') === String(32 * MIB),
      'limits that are written',
    );
    const evicting = await shortage.cross(process);
    assert.equal(evicting['name'], 'batch');
    await shortage.gone();
    for (const table of ['tcp', 'tcp6', 'udp', 'udp6']) {
      const file = `/proc/${agent.child.pid ?? 0}/net/${table}`;
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      assert.equal(lines.length, 1, `somebody has a socket of ${table}`);
    }
    await sleep(WATCH_MS / 4);
    assert.deepEqual(agent.records('trouble'), [], 'it misses something');
    notes('no link was up');
  } finally {
    execFileSync('/bin/ip', ['link', 'set', 'lo', 'up']);
  }
}

type Test = (node: TestNode, notes: Notes) => Promise<void>;

const CASES: readonly (readonly [name: string, test: Test])[] = [
  [
    'promise 4: a critical, static, mirror, protected or terminating pod never goes, whatever it uses',
    someNeverGo,
  ],
  [
    'promise 5: records name what was seen, who could have gone and by which rule, of evictions and of refusals',
    everythingIsRecorded,
  ],
  ['promise 6: without any network limits are written and the right pod goes', needsNoNetwork],
];

export const PROMISE_EVICTION_CASES: readonly KernelCase[] = CASES.map(([name, test]) => ({
  name,
  run: (notes) => onNode((node) => test(node, notes)),
}));
