import assert from 'node:assert/strict';
import { writeCgroup } from './machine.ts';
import type { KernelCase, Notes } from './result.ts';
import { onNode, type TestNode } from './test-node.ts';
import { openedForWriting } from './watch-writers.ts';

interface Report {
  readonly checks: readonly { readonly id: string; readonly state: string; readonly found: string }[];
  readonly works: readonly { readonly id: string; readonly works: string; readonly because: string }[];
}

async function doctor(node: TestNode): Promise<Report> {
  const { folder } = node;
  return await node.plain(
    'doctor',
    '--config',
    `${folder}/nodeqos.yaml`,
    '--kubelet-config',
    `${folder}/kubelet.yaml`,
  );
}

function found({ checks }: Report, id: string): string {
  const check = checks.find((one) => one.id === id);
  return `${check?.state}: ${check?.found}`;
}

/** Everything that a kernel offers is recognised, and nothing of the tree is opened for writing to find it out. */
async function offered(node: TestNode, notes: Notes): Promise<void> {
  node.add({ name: 'web', class: 'Burstable' });
  let report: Report | undefined;
  assert.deepEqual(
    await openedForWriting(async () => {
      report = await doctor(node);
    }),
    [],
  );
  assert.ok(report !== undefined);
  const { checks, works } = report;
  notes(found(report, 'kernel-release'));
  const lacking = checks.filter(({ state }) => state === 'missing').map(({ id }) => id);
  assert.deepEqual(lacking, ['runtime-socket', 'runtime-access']);
  assert.match(found(report, 'kernel-release'), /^ok: .*tried on this version$/);
  assert.equal(found(report, 'pidfd'), 'ok: pidfd_open works');
  assert.equal(found(report, 'psi-trigger'), 'ok: 150 ms of stall within 1 s wake the agent');
  assert.equal(found(report, 'cgroup-kill'), 'ok: there');
  assert.match(found(report, 'memory-recursiveprot'), /^ok: on/);
  assert.equal(found(report, 'kubelet'), 'ok: none lives here');
  const how = Object.fromEntries(works.map((work) => [work.id, work.works]));
  assert.deepEqual(
    ['memory-qos-plan', 'protection', 'wake-up', 'evictor-cgroup', 'evictor-cri', 'beside-kubelet'].map(
      (id) => how[id],
    ),
    ['yes', 'yes', 'yes', 'yes', 'no', 'yes'],
  );
}

/** Values are told apart by the journal: the kernel's defaults, nodeqos' own, and somebody else's. */
async function valuesToldApart(node: TestNode): Promise<void> {
  const pod = node.add({ name: 'web', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  assert.equal(found(await doctor(node), 'values-of-others'), 'ok: every limit is the default');
  await node.document('apply');
  assert.match(found(await doctor(node), 'values-of-others'), /^ok: none; \d+ are nodeqos' own$/);
  writeCgroup(pod.cgroup, 'memory.high', '40M');
  assert.equal(found(await doctor(node), 'values-of-others'), `warning: ${pod.cgroup}/memory.high 41943040`);
}

export const DOCTOR_CASES: readonly KernelCase[] = [
  {
    name: 'doctor recognises all that the kernel offers, and writes nothing to find it out',
    run: (notes) => onNode((node) => offered(node, notes)),
  },
  {
    name: 'doctor tells values of nodeqos from those of others',
    isOfOneKernel: true,
    run: () => onNode(valuesToldApart),
  },
];
