import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readCgroup, sleep, writeCgroup } from '../guest/machine.ts';
import type { TestPod } from '../guest/pod.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import type { AuditRecord } from '../guest/running-agent.ts';
import { run, succeed, systemctl } from './commands.ts';
import { onService, type Service } from './service.ts';
import { placeOf, WATCH_MS } from './taken-back.ts';
import { onUnits, startPod, startTiers, stopTiers, type UnitNode, unitOf } from './unit-node.ts';

/** What a case looks at in the document of `apply`. */
interface Applied {
  readonly entries: readonly {
    readonly cgroup: string;
    readonly file: string;
    readonly outcome: string;
    readonly writer?: string;
    readonly because?: string;
    readonly error?: string;
  }[];
}

type Writer = 'auto' | 'systemd' | 'cgroupfs';

async function cart(node: UnitNode): Promise<TestPod> {
  return await node.start({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
}

function configure(node: UnitNode, writer: Writer): void {
  node.configure({ eviction: { enabled: false }, memoryQos: { writer } });
}

async function apply(node: UnitNode, writer: Writer): Promise<Applied> {
  configure(node, writer);
  const { stdout } = await node.nodeqos('apply', '-o', 'json');
  return JSON.parse(stdout) as Applied;
}

/** What systemd has for a property of a cgroup's unit. */
async function kept(cgroup: string, property: string): Promise<string> {
  return (await systemctl('show', unitOf(cgroup), '-p', property, '--value')).trim();
}

async function outlives(node: UnitNode, notes: Notes): Promise<void> {
  const pod = await cart(node);
  configure(node, 'auto');
  const agent = await node.startAgent('--enforce');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const [start] = agent.records('start');
  assert.equal((start?.['host'] as Record<string, unknown>)['memoryQosWriter'], 'systemd');
  const writes = agent.records('write');
  assert.deepEqual(new Set(writes.map(({ writer }) => writer)), new Set(['systemd']));
  const wanted = node.limits(pod);
  assert.ok(`${pod.container}/memory.high` in wanted && `${pod.cgroup}/memory.low` in wanted);
  notes(`${writes.length} limits through systemd: ${Object.values(wanted).join(', ')}`);
  assert.equal(await kept(pod.container, 'MemoryHigh'), wanted[`${pod.container}/memory.high`]);
  assert.equal(await kept(pod.cgroup, 'MemoryLow'), wanted[`${pod.cgroup}/memory.low`]);
  await systemctl('daemon-reload');
  assert.deepEqual(node.limits(pod), wanted);
  await systemctl('daemon-reexec');
  assert.deepEqual(node.limits(pod), wanted);
  await systemctl('set-property', '--runtime', unitOf(pod.cgroup), 'CPUWeight=50');
  await sleep(WATCH_MS);
  assert.deepEqual(node.limits(pod), wanted);
  assert.deepEqual(agent.records('drift'), []);
}

async function isPutBack(node: UnitNode): Promise<void> {
  const pod = await cart(node);
  const before = node.limits(pod);
  const { entries } = await apply(node, 'auto');
  assert.deepEqual(new Set(entries.map(({ writer }) => writer)), new Set(['systemd']));
  assert.notDeepEqual(node.limits(pod), before);
  configure(node, 'cgroupfs');
  const reset = await node.nodeqos('reset', '-o', 'json');
  assert.equal(reset.status, 0, reset.stderr);
  assert.deepEqual(node.limits(pod), before);
  assert.equal(await kept(pod.container, 'MemoryHigh'), 'infinity');
  await systemctl('daemon-reload');
  assert.deepEqual(node.limits(pod), before);
}

/** Files that systemd would write along, which the kubelet and the runtime have written behind its back. */
async function leavesTheRest(node: UnitNode, notes: Notes): Promise<void> {
  const pod = await cart(node);
  const foreign = [
    [pod.container, 'memory.oom.group', '1'],
    [pod.cgroup, 'memory.max', '134217728'],
    [node.kubepods, 'memory.swap.max', '0'],
  ] as const;
  const isAsItWas = (): void => {
    for (const [cgroup, file, value] of foreign) {
      if (file !== 'memory.swap.max' || hasSwapFiles(cgroup)) assert.equal(readCgroup(cgroup, file), value);
    }
  };
  for (const [cgroup, file, value] of foreign) {
    if (file !== 'memory.swap.max' || hasSwapFiles(cgroup)) writeCgroup(cgroup, file, value);
  }
  const strict = await apply(node, 'systemd');
  isAsItWas();
  const refused = strict.entries.filter(({ outcome }) => outcome === 'failed');
  for (const { error } of refused) assert.match(error ?? '', /would write it along; memoryQos\.writer: auto/);
  const applied = await apply(node, 'auto');
  isAsItWas();
  const direct = applied.entries.filter(({ writer }) => writer === 'cgroupfs');
  notes(`${refused.length} refused under systemd, ${direct.length} directly under auto`);
  assert.deepEqual(direct.map(placeOfEntry), refused.map(placeOfEntry));
  for (const [cgroup, file] of [foreign[0], foreign[1]]) {
    const entry = direct.find((one) => one.cgroup === cgroup);
    assert.match(entry?.because ?? '', new RegExp(`systemd keeps .* for ${file.replaceAll('.', '\\.')}`));
  }
  // What the detour is for: systemd, told of one property, takes the others back.
  await systemctl('set-property', '--runtime', unitOf(pod.container), 'MemoryLow=4096');
  await sleep(1000);
  notes(`after a set-property memory.oom.group reads ${readCgroup(pod.container, 'memory.oom.group')}`);
}

function hasSwapFiles(cgroup: string): boolean {
  return existsSync(`/sys/fs/cgroup/${cgroup}/memory.swap.max`);
}

function placeOfEntry({ cgroup, file }: { readonly cgroup: string; readonly file: string }): string {
  return `${cgroup}/${file}`;
}

async function goesOnWithoutBus(node: UnitNode): Promise<void> {
  const pod = await cart(node);
  const place = `${pod.cgroup}/memory.low`;
  configure(node, 'auto');
  const agent = await node.startAgent('--enforce');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const writesOf = (): readonly AuditRecord[] =>
    agent.records('write').filter((one) => placeOf(one) === place);
  const troubles = (): readonly AuditRecord[] =>
    agent.records('trouble').filter(({ part }) => part === 'writer');
  const repaired = async (): Promise<AuditRecord | undefined> => {
    const before = agent.records('drift').length;
    writeCgroup(pod.cgroup, 'memory.low', '4096');
    await agent.recorded('drift', before + 1);
    await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
    return writesOf().at(-1);
  };
  assert.equal((await repaired())?.['writer'], 'systemd');
  try {
    await systemctl('stop', 'dbus.socket', 'dbus.service');
    // What systemd keeps already it need not be told; another limit it would have to be.
    node.configureKubelet({ memoryThrottlingFactor: 0.5 });
    agent.child.kill('SIGHUP');
    const [trouble] = await agent.recorded('trouble');
    assert.match(String(trouble?.['sentence']), /system bus.*; limits are written directly/);
    await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
    const last = agent.records('write').at(-1);
    assert.equal(last?.['writer'], 'cgroupfs');
    assert.match(String(last['because']), /system bus/);
  } finally {
    await systemctl('start', 'dbus.socket', 'dbus.service');
  }
  // A bus that was away is not tried again at once.
  await sleep(11_000);
  node.configureKubelet({ memoryThrottlingFactor: 0.7 });
  agent.child.kill('SIGHUP');
  const over = (await agent.recorded('trouble', 2))[1];
  assert.equal(over?.['over'], true);
  assert.equal(troubles().length, 2, 'it was told more than once');
  await agent.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  assert.equal(agent.records('write').at(-1)?.['writer'], 'systemd');
}

const RULE = '/usr/share/polkit-1/rules.d/nodeqos.rules';
const ROOT = '/etc/systemd/system/nodeqos.service.d/root.conf';
/** The drop-in as it lies in the package: the machine has no documentation installed. */
const EXAMPLE =
  'dpkg-deb --fsys-tarfile "$(ls /app/nodeqos_*.deb | tail -n 1)" | tar -xO ./usr/share/doc/nodeqos/examples/root.conf';

/** Through whom the service wrote limits. */
function writersOf(service: Service): readonly unknown[] {
  return service.records('write').map(({ writer }) => writer);
}

async function asInstalled(
  made: (service: Service) => Promise<void> | void,
  look: (service: Service) => Promise<void> | void,
): Promise<void> {
  await startTiers();
  await onService(async (service) => {
    try {
      await made(service);
      service.list(await startPod({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' }, 1));
      await service.enforce();
      await look(service);
    } finally {
      await stopTiers();
    }
  });
}

async function withTheRule(): Promise<void> {
  await asInstalled(
    () => {
      assert.ok(existsSync(RULE), 'the package has no rule');
    },
    (service) => {
      assert.deepEqual(new Set(writersOf(service)), new Set(['systemd']));
    },
  );
}

async function withoutTheRule(): Promise<void> {
  try {
    await asInstalled(
      async () => {
        renameSync(RULE, `${RULE}.away`);
        await run('systemctl', 'stop', 'polkit.service');
      },
      async (service) => {
        assert.deepEqual(new Set(writersOf(service)), new Set(['cgroupfs']));
        const line = await service.journalled('systemd does not let this user set properties of units');
        assert.match(line.MESSAGE, /install the polkit rule of nodeqos, or run it as root/);
      },
    );
  } finally {
    if (existsSync(`${RULE}.away`)) renameSync(`${RULE}.away`, RULE);
    await run('systemctl', 'stop', 'polkit.service');
  }
}

async function asRoot(): Promise<void> {
  try {
    await asInstalled(
      async () => {
        mkdirSync('/etc/systemd/system/nodeqos.service.d', { recursive: true });
        await succeed('sh', '-c', `${EXAMPLE} >${ROOT}`);
        await systemctl('daemon-reload');
        await systemctl('stop', 'polkit.service');
        await systemctl('mask', '--runtime', 'polkit.service');
      },
      (service) => {
        assert.deepEqual(new Set(writersOf(service)), new Set(['systemd']));
      },
    );
  } finally {
    await run('systemctl', 'unmask', '--runtime', 'polkit.service');
    rmSync(ROOT, { force: true });
    await systemctl('daemon-reload');
  }
}

export const WRITER_CASES: readonly KernelCase[] = [
  {
    name: 'limits of units go through systemd, and daemon-reload, daemon-reexec and set-property leave them as they are',
    run: (notes) => onUnits((node) => outlives(node, notes)),
  },
  {
    name: 'reset puts back through systemd what went through it, whatever memoryQos.writer says by then',
    run: () => onUnits(isPutBack),
  },
  {
    name: 'memory.max, memory.swap.max and memory.oom.group stay as they are where systemd would write them along',
    run: (notes) => onUnits((node) => leavesTheRest(node, notes)),
  },
  {
    name: 'an agent whose bus goes away writes files, says so once, and goes back to systemd when the bus is there',
    run: () => onUnits(goesOnWithoutBus),
  },
  {
    name: "the service's own user sets limits through systemd by the polkit rule of the package",
    run: withTheRule,
  },
  {
    name: "without the polkit rule the service's own user writes files, and says what it lacks",
    run: withoutTheRule,
  },
  {
    name: 'as root, by the drop-in of the package, the service sets limits through systemd without polkit',
    run: asRoot,
  },
];
