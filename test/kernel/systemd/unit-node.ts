import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { MOUNT, readCgroup, until } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod, tiers } from '../guest/pod.ts';
import { TestNode } from '../guest/test-node.ts';
import { succeed, systemctl } from './commands.ts';

const FILES = ['memory.min', 'memory.low', 'memory.high'] as const;

/** The name of the unit of a cgroup. */
export function unitOf(cgroup: string): string {
  return cgroup.slice(cgroup.lastIndexOf('/') + 1);
}

/** A slice as the kubelet starts it: a transient unit of systemd with accounting on. */
export async function startSlice(cgroup: string): Promise<void> {
  const manager = [
    'org.freedesktop.systemd1',
    '/org/freedesktop/systemd1',
    'org.freedesktop.systemd1.Manager',
  ];
  const properties = [
    ...['Description', 's', `a slice of the tests, ${unitOf(cgroup)}`, 'DefaultDependencies', 'b', 'false'],
    ...['MemoryAccounting', 'b', 'true', 'TasksAccounting', 'b', 'true'],
  ];
  const unit = [unitOf(cgroup), 'replace', '4', ...properties, '0'];
  await succeed('busctl', 'call', ...manager, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', ...unit);
  await until(() => existsSync(`${MOUNT}/${cgroup}/memory.high`), `the cgroup of ${unitOf(cgroup)}`);
}

/** A node whose pods are units: their cgroups are those of slices and scopes, and systemd has values of its own for them. */
export class UnitNode extends TestNode {
  #started = 0;

  /** Makes a pod of units, in which something runs, and puts it on the list. */
  async start(wish: PodWish): Promise<TestPod> {
    this.#started += 1;
    const pod = await startPod(wish, this.#started);
    this.list(pod);
    return pod;
  }

  override async remove(): Promise<void> {
    await this.killAgents();
    await stopTiers();
    await super.remove();
  }

  /** The files of a pod's cgroups and of those above that read other than the kernel's defaults. */
  limits(pod: TestPod): Readonly<Record<string, string>> {
    const cgroups = [...tiers('systemd'), pod.cgroup, pod.container];
    const all = cgroups.flatMap((cgroup) =>
      FILES.map((file) => [`${cgroup}/${file}`, readCgroup(cgroup, file)] as const),
    );
    return Object.fromEntries(all.filter(([, value]) => value !== '0' && value !== 'max'));
  }
}

/** Makes a pod of units, in which something runs. */
export async function startPod(wish: PodWish, index: number): Promise<TestPod> {
  const pod = testPod(wish, 'systemd', index);
  await startSlice(pod.cgroup);
  for (const scope of [pod.sandbox, pod.container]) await startScope(scope);
  return pod;
}

async function startScope(cgroup: string): Promise<ChildProcess> {
  const slice = unitOf(cgroup.slice(0, cgroup.lastIndexOf('/')));
  const settings = [
    '--scope',
    '--quiet',
    `--unit=${unitOf(cgroup)}`,
    `--slice=${slice}`,
    '-p',
    'Delegate=yes',
  ];
  const process = spawn('systemd-run', [...settings, 'sleep', 'infinity'], { stdio: 'inherit' });
  await until(() => existsSync(`${MOUNT}/${cgroup}/memory.high`), `the cgroup of ${unitOf(cgroup)}`);
  return process;
}

/** A case on a node of its own whose pods are units; everything is gone at its end. */
export async function onUnits(test: (node: UnitNode) => Promise<void>): Promise<void> {
  await startTiers();
  const node = new UnitNode();
  try {
    await test(node);
  } finally {
    await node.remove();
  }
}

/** The slices above pods, as the kubelet starts them; what a case before has left goes first. */
export async function startTiers(): Promise<void> {
  const [kubepods = ''] = tiers('systemd');
  if (existsSync(`${MOUNT}/${kubepods}`)) await stopTiers();
  for (const tier of tiers('systemd')) await startSlice(tier);
}

/** Whatever is in a slice goes with it. */
export async function stopTiers(): Promise<void> {
  const [kubepods = ''] = tiers('systemd');
  await systemctl('stop', unitOf(kubepods));
  await until(() => !existsSync(`${MOUNT}/${kubepods}`), 'no slice of pods');
}
