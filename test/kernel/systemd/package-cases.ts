import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MIB, MOUNT, sleep, writeCgroup } from '../guest/machine.ts';
import { testPod, tiers } from '../guest/pod.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import type { AgentState } from '../guest/running-agent.ts';
import { makeParent, makePod, removeCgroup } from '../guest/test-node.ts';
import { run, succeed } from './commands.ts';

const UNIT = 'nodeqos.service';
const CONFIGURATION = '/etc/nodeqos/nodeqos.yaml';
const STATE = '/var/lib/nodeqos';
const KUBELET = '/var/lib/kubelet/config.yaml';
const PODS = '/run/pods-of-package.json';
const ORIGINAL = '/run/limits-of-package.json';
const ADDED = '\n# The administrator was here.\n';
const LIMITS = ['memory.min', 'memory.low', 'memory.high'] as const;
const LONGEST_WAIT_MS = 90_000;
/** A look comes once a second. */
const SOME_LOOKS_MS = 3000;

/** The package of the lowest or of the highest version that lies beside the cases. */
function packageOf(which: 'older' | 'newer'): { readonly path: string; readonly version: string } {
  const names = readdirSync('/app').filter((name) => name.endsWith('.deb'));
  const sorted = names.sort();
  const name = which === 'older' ? sorted[0] : sorted.at(-1);
  assert.ok(name !== undefined && sorted.length > 1, 'two packages lie beside the cases');
  return { path: `/app/${name}`, version: name.split('_')[1] ?? '' };
}

async function install(which: 'older' | 'newer', notes: Notes): Promise<void> {
  const { path, version } = packageOf(which);
  const startMs = performance.now();
  // Nobody pulls the plug of this machine.
  await succeed('dpkg', '--force-unsafe-io', '--install', path);
  notes(`dpkg --install of ${version} took ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  assert.equal(await succeed('nodeqos', '--version'), `${version}\n`);
}

/** A node whose pods want limits, which an administrator has told before nodeqos is there. */
async function node(): Promise<void> {
  const [kubepods = ''] = tiers('systemd');
  if (existsSync(`${MOUNT}/${kubepods}`)) await removeCgroup(kubepods);
  for (const tier of tiers('systemd')) makeParent(tier);
  const pods = [
    testPod({ name: 'till', class: 'Guaranteed', request: '48Mi', limit: '48Mi' }, 'systemd', 1),
    testPod({ name: 'shelf', class: 'Burstable', request: '24Mi', limit: '64Mi' }, 'systemd', 2),
  ];
  for (const pod of pods) makePod(pod);
  // Somebody else's value, which is to be there again in the end.
  writeCgroup(pods[1]?.container ?? '', 'memory.high', String(40 * MIB));
  const items = pods.map(({ manifest }) => manifest);
  writeFileSync(PODS, JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items }));
  mkdirSync('/var/lib/kubelet', { recursive: true });
  const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const qos = { memoryThrottlingFactor: 0.9, memoryReservationPolicy: 'TieredReservation' };
  const settings = { ...head, ...qos, cgroupDriver: 'systemd', featureGates: { MemoryQoS: true } };
  writeFileSync(KUBELET, JSON.stringify(settings));
  mkdirSync(`${CONFIGURATION}.d`, { recursive: true });
  writeFileSync(`${CONFIGURATION}.d/50-pods.yaml`, JSON.stringify({ pods: { source: `file:${PODS}` } }));
}

async function leave(): Promise<void> {
  await run('dpkg', '--purge', 'nodeqos');
  const [kubepods = ''] = tiers('systemd');
  if (existsSync(`${MOUNT}/${kubepods}`)) await removeCgroup(kubepods);
  for (const path of [KUBELET, PODS]) rmSync(path, { recursive: true, force: true });
}

/** Every limit of every pod, by its path. */
function limits(): Readonly<Record<string, string>> {
  const [kubepods = ''] = tiers('systemd');
  const below = readdirSync(`${MOUNT}/${kubepods}`, { recursive: true, encoding: 'utf8' });
  const files = below.filter((path) => LIMITS.some((limit) => path.endsWith(`/${limit}`) || path === limit));
  return Object.fromEntries(
    files.sort().map((path) => [path, readFileSync(`${MOUNT}/${kubepods}/${path}`, 'utf8').trim()]),
  );
}

/** What the agent answers once something holds. */
async function state(isMet: (state: AgentState) => boolean, what: string): Promise<AgentState> {
  const endMs = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const answer = await fetch('http://127.0.0.1:9477/state').then(
      (response) => response.text(),
      () => undefined,
    );
    const seen = answer === undefined ? undefined : (JSON.parse(answer) as AgentState);
    if (seen !== undefined && isMet(seen)) return seen;
    if (performance.now() > endMs) throw new Error(`not seen: ${what}; last: ${answer ?? 'no answer'}`);
    await sleep(200);
  }
}

async function mainPid(): Promise<string> {
  return (await succeed('systemctl', 'show', UNIT, '-p', 'MainPID', '--value')).trim();
}

async function isWhat(verb: 'is-active' | 'is-enabled', unit: string): Promise<string> {
  return (await run('systemctl', verb, unit)).stdout.trim();
}

/** The records of writes in the audit log. */
function writes(): number {
  const text = readFileSync(`${STATE}/audit.jsonl`, 'utf8');
  return text.split('\n').filter((line) => line.includes('"kind":"write"')).length;
}

async function firstInstallation(notes: Notes): Promise<void> {
  await leave();
  await node();
  const before = limits();
  writeFileSync(ORIGINAL, JSON.stringify(before));
  await install('older', notes);
  assert.equal(await isWhat('is-enabled', UNIT), 'enabled');
  assert.equal(await isWhat('is-active', UNIT), 'active');
  assert.equal(await isWhat('is-enabled', 'nodeqos-apply.service'), 'disabled');
  const { agent, memoryQos } = await state(({ memoryQos: qos }) => qos !== null, 'a look at limits');
  assert.equal(agent['mode'], 'dry-run');
  assert.ok((memoryQos?.write ?? 0) > 0, 'there is something that it would write');
  await sleep(SOME_LOOKS_MS);
  assert.deepEqual(limits(), before);
}

async function upgrade(notes: Notes): Promise<void> {
  const before = limits();
  const text = readFileSync(CONFIGURATION, 'utf8');
  const changed = `${text.replace('\nmode: dry-run\n', '\nmode: enforce\n')}${ADDED}`;
  writeFileSync(CONFIGURATION, changed);
  await succeed('systemctl', 'reload', UNIT);
  await state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  const written = limits();
  assert.notDeepEqual(written, before);
  const [pid, count] = [await mainPid(), writes()];
  await install('newer', notes);
  assert.notEqual(await mainPid(), pid);
  assert.equal(await isWhat('is-active', UNIT), 'active');
  assert.equal(readFileSync(CONFIGURATION, 'utf8'), changed);
  const { agent } = await state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  assert.equal(agent['mode'], 'enforce');
  assert.deepEqual(limits(), written);
  assert.equal(writes(), count, 'what the older one had written is not written again');
}

async function removal(): Promise<void> {
  await succeed('dpkg', '--remove', 'nodeqos');
  assert.deepEqual(limits(), JSON.parse(readFileSync(ORIGINAL, 'utf8')));
  assert.notEqual(await isWhat('is-active', UNIT), 'active');
  assert.equal(existsSync('/usr/lib/nodeqos'), false);
  assert.ok(readFileSync(CONFIGURATION, 'utf8').endsWith(ADDED), 'the configuration is still there');
}

async function purge(): Promise<void> {
  await succeed('dpkg', '--purge', 'nodeqos');
  for (const path of ['/etc/nodeqos', STATE, '/run/nodeqos', '/usr/bin/nodeqos'])
    assert.equal(existsSync(path), false, path);
  const found = await succeed('find', '/etc', '/usr', '/var', '/lib', '-xdev', '-name', '*nodeqos*');
  assert.equal(found, '');
  assert.equal((await run('systemctl', 'list-unit-files', '--no-legend', 'nodeqos*')).stdout, '');
  assert.match(await succeed('getent', 'passwd', 'nodeqos'), /^nodeqos:/);
  await leave();
}

/** What dpkg runs first when it removes the package. */
async function damagedJournal(): Promise<void> {
  await succeed('systemctl', 'stop', UNIT);
  const journal = `${STATE}/journal.jsonl`;
  const text = readFileSync(journal, 'utf8');
  writeFileSync(journal, 'not a journal\n');
  const { status, stderr } = await run('sh', '/var/lib/dpkg/info/nodeqos.prerm', 'remove');
  writeFileSync(journal, text);
  assert.match(stderr, /^nodeqos: putting back the limits that it had set ended with status 65:\n.*journal/);
  assert.equal(status, 0);
}

/** One after the other they are the life of the package on a node. */
export const PACKAGE_CASES: readonly KernelCase[] = [
  {
    name: 'package: installed for the first time the agent runs, in dry-run, and no limit changes',
    run: firstInstallation,
  },
  {
    name: 'package: an upgrade starts the agent anew, which adopts what is written, and keeps the configuration',
    run: upgrade,
  },
  {
    name: 'package: limits that cannot be put back are told, and do not keep it from being removed',
    run: damagedJournal,
  },
  { name: 'package: removal puts every limit back, though the agent keeps them when it stops', run: removal },
  { name: 'package: a purge leaves nothing but the user', run: purge },
];
