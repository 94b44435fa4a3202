import assert from 'node:assert/strict';
import { MIB, readCgroup, sleep, until, writeCgroup } from './machine.ts';
import type { KernelCase } from './result.ts';
import { onNode, type TestNode } from './test-node.ts';

const NO_EVICTIONS = { eviction: { enabled: false } };

async function driftIsRepaired(node: TestNode): Promise<void> {
  const odd = node.add({ name: 'odd', class: 'Burstable', request: '100000001', limit: '200000003' });
  node.configure(NO_EVICTIONS);
  const agent = await node.startAgent('--enforce');
  await until(() => readCgroup(odd.container, 'memory.low') === '99999744', 'a first write');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const high = readCgroup(odd.container, 'memory.high');
  assert.notEqual(high, 'max');
  // What the kernel has rounded is what was meant: a look later nothing is written again.
  const writes = agent.records('write').length;
  await sleep(3000);
  assert.equal(agent.records('write').length, writes, 'it fights with the rounding');
  assert.equal(agent.records('drift').length, 0);
  writeCgroup(odd.container, 'memory.high', 'max');
  writeCgroup(odd.cgroup, 'memory.low', '0');
  await agent.recorded('drift', 2);
  await until(() => readCgroup(odd.container, 'memory.high') === high, 'the limit is back');
  await until(() => readCgroup(odd.cgroup, 'memory.low') === '99999744', 'the protection is back');
}

async function killedAndAdopted(node: TestNode): Promise<void> {
  const cart = node.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  writeCgroup(cart.container, 'memory.high', String(50 * MIB));
  node.configure(NO_EVICTIONS);
  const first = await node.startAgent('--enforce');
  await until(() => readCgroup(cart.container, 'memory.low') === String(32 * MIB), 'a first write');
  await first.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  await first.kill('SIGKILL');
  const writes = first.records('write').length;
  const second = await node.startAgent('--enforce');
  await second.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  assert.equal(second.records('write').length, writes, 'what was written already was written again');
  await second.kill('SIGKILL');
  const reset = await node.nodeqos('reset');
  assert.equal(reset.status, 0, reset.stderr);
  assert.equal(readCgroup(cart.container, 'memory.high'), String(50 * MIB));
  assert.equal(readCgroup(cart.container, 'memory.low'), '0');
}

async function newPodsAreGoverned(node: TestNode): Promise<void> {
  node.configure({ ...NO_EVICTIONS, memoryQos: { onStop: 'reset' } });
  const agent = await node.startAgent('--enforce');
  const late = node.add({ name: 'late', class: 'Guaranteed', request: '16Mi', limit: '16Mi' });
  await until(
    () => readCgroup(late.container, 'memory.min') === String(16 * MIB),
    'a new pod has its values',
  );
  await until(() => readCgroup(node.kubepods, 'memory.min') === String(16 * MIB), 'so has the root');
  await agent.kill('SIGTERM');
  assert.equal(readCgroup(late.container, 'memory.min'), '0', 'onStop: reset');
  assert.equal(readCgroup(node.kubepods, 'memory.min'), '0');
}

export const AGENT_CASES: readonly KernelCase[] = [
  {
    name: 'what somebody else changes is told and repaired, and what the kernel rounds is not taken for that',
    run: () => onNode(driftIsRepaired),
  },
  {
    name: 'an agent that was killed and started again takes over what it wrote, and reset still knows the old values',
    run: () => onNode(killedAndAdopted),
  },
  {
    name: 'a pod that comes later is governed, and onStop: reset puts everything back',
    run: () => onNode(newPodsAreGoverned),
  },
];
