import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { whileHeldAtWrite } from './held-at-write.ts';
import { readCgroup, writeCgroup } from './machine.ts';
import type { Driver, TestPod } from './pod.ts';
import type { KernelCase } from './result.ts';
import { makePod, onNode, removeCgroup, type TestNode } from './test-node.ts';

const PAGE = 4096;
const MIB = 1024 * 1024;

interface PlanDocument {
  readonly summary: Readonly<Record<string, number>>;
  readonly entries: readonly {
    readonly cgroup: string;
    readonly file: string;
    readonly outcome?: string;
    readonly error?: string | null;
  }[];
}

/** MemTotal in bytes. */
function capacity(): number {
  return Number(/^MemTotal: +(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
}

function page(bytes: number): string {
  return String(Math.floor(bytes / PAGE) * PAGE);
}

/** Pods of all classes, requests and limits that are no whole pages among them. */
interface ShopPods {
  readonly till: TestPod;
  readonly odd: TestPod;
  readonly open: TestPod;
  readonly batch: TestPod;
}

const ODD_REQUEST = 100_000_001;
const ODD_LIMIT = 200_000_003;

function shop(node: TestNode): ShopPods {
  return {
    till: node.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' }),
    odd: node.add({
      name: 'odd',
      class: 'Burstable',
      request: String(ODD_REQUEST),
      limit: String(ODD_LIMIT),
    }),
    open: node.add({ name: 'open', class: 'Burstable', request: '32Mi' }),
    batch: node.add({ name: 'batch', class: 'BestEffort' }),
  };
}

/** What the kernel has to hold after `apply`, worked out by hand from the rules: cgroup to min, low and high. */
function wanted(node: TestNode, { till, odd, open, batch }: ShopPods): Record<string, readonly string[]> {
  const burstable = ODD_REQUEST + 32 * MIB;
  const high = (request: number, limit: number): string => page(request + 0.9 * (limit - request));
  const tier = `${node.kubepods}/${node.driver === 'systemd' ? 'kubepods-burstable.slice' : 'burstable'}`;
  return {
    [node.kubepods]: [page(64 * MIB + burstable), page(burstable), 'max'],
    [tier]: ['0', page(burstable), 'max'],
    [till.cgroup]: [String(64 * MIB), '0', 'max'],
    [till.container]: [String(64 * MIB), '0', 'max'],
    [odd.cgroup]: ['0', page(ODD_REQUEST), 'max'],
    [odd.container]: ['0', page(ODD_REQUEST), high(ODD_REQUEST, ODD_LIMIT)],
    [open.cgroup]: ['0', String(32 * MIB), 'max'],
    [open.container]: ['0', String(32 * MIB), high(32 * MIB, capacity())],
    [batch.cgroup]: ['0', '0', 'max'],
    [batch.container]: ['0', '0', high(0, capacity())],
  };
}

function held(cgroups: readonly string[]): Record<string, readonly string[]> {
  const files = ['memory.min', 'memory.low', 'memory.high'];
  return Object.fromEntries(cgroups.map((cgroup) => [cgroup, files.map((file) => readCgroup(cgroup, file))]));
}

async function applyAndReset(node: TestNode): Promise<void> {
  const pods = shop(node);
  const expected = wanted(node, pods);
  const cgroups = Object.keys(expected);
  // Somebody's values from before: two that are to be changed, and one that is nobody's business.
  writeCgroup(pods.odd.container, 'memory.high', '50000000');
  writeCgroup(pods.till.cgroup, 'memory.low', '8192');
  writeCgroup(pods.till.sandbox, 'memory.high', '40960');
  const before = held(cgroups);
  const limits = cgroups.map((cgroup) => readCgroup(cgroup, 'memory.max'));

  const applied = await node.document<PlanDocument>('apply');
  const failed = applied.entries.filter(({ outcome }) => outcome !== undefined && outcome !== 'written');
  assert.deepEqual(failed, []);
  assert.equal(applied.summary['failed'], 0);
  assert.deepEqual(held(cgroups), expected);
  assert.equal(readCgroup(pods.till.sandbox, 'memory.high'), '40960');

  const again = await node.nodeqos('plan', '--check', '-o', 'json');
  const rest = JSON.parse(again.stdout) as PlanDocument;
  assert.equal(rest.summary['write'], 0);
  assert.equal(again.status, 0, again.stderr);

  const reset = await node.document<PlanDocument>('reset');
  assert.equal(reset.summary['failed'], 0);
  assert.deepEqual(held(cgroups), before);
  assert.deepEqual(
    cgroups.map((cgroup) => readCgroup(cgroup, 'memory.max')),
    limits,
  );
}

function applied(driver: Driver): KernelCase {
  return {
    name: `apply writes what was worked out by hand, a second plan is empty, and reset puts all back (${driver})`,
    run: () => onNode(applyAndReset, driver),
  };
}

/**
 * It is held in the kernel when it opens the first file that it writes; meanwhile a pod that it comes to later ends and is
 * started again under the same name, by somebody with a limit of his own for it.
 */
async function remadeBeforeTheWrite(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  let applying: Promise<unknown> | undefined;
  const start = (): void => {
    applying = node.document<PlanDocument>('apply').catch((error: unknown) => error);
  };
  await whileHeldAtWrite(node, `${node.kubepods}/memory.low`, start, async (opener, gate) => {
    await removeCgroup(cart.cgroup);
    makePod(cart);
    writeCgroup(cart.container, 'memory.high', String(20 * MIB));
    opener.allow();
    gate.remove();
    await applying;
  });
  assert.equal(readCgroup(node.kubepods, 'memory.low'), String(32 * MIB), 'what is still there is written');
  assert.equal(readCgroup(cart.container, 'memory.high'), String(20 * MIB));
  assert.equal(readCgroup(cart.container, 'memory.low'), '0');
  assert.equal(readCgroup(cart.cgroup, 'memory.low'), '0');
}

export const APPLY_CASES: readonly KernelCase[] = [
  applied('systemd'),
  applied('cgroupfs'),
  {
    name: 'a pod whose cgroup is made anew between the look and the write is not written to',
    run: () => onNode(remadeBeforeTheWrite),
  },
  {
    name: 'apply beside pods that come and go writes what is there, and says what is not',
    run: () =>
      onNode(async (node) => {
        const { till, odd, batch } = shop(node);
        const { rmdirSync } = await import('node:fs');
        for (const cgroup of [batch.container, batch.sandbox, batch.cgroup])
          rmdirSync(`/sys/fs/cgroup/${cgroup}`);
        const { summary, entries } = await node.document<PlanDocument>('apply');
        assert.equal(summary['failed'], 0);
        assert.deepEqual(
          entries.filter(({ cgroup }) => cgroup.startsWith(batch.cgroup)),
          [],
        );
        assert.equal(readCgroup(till.container, 'memory.min'), String(64 * MIB));
        assert.equal(readCgroup(odd.container, 'memory.low'), page(ODD_REQUEST));
      }),
  },
];
