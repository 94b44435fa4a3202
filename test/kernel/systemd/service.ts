import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MIB, MOUNT, readCgroup, sleep, until } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod, tiers } from '../guest/pod.ts';
import type { AgentState, AuditRecord } from '../guest/running-agent.ts';
import { makeParent, makePod, removeCgroup } from '../guest/test-node.ts';
import { run, succeed, systemctl } from './commands.ts';

export const UNIT = 'nodeqos.service';
export const SLICE = 'nodeqos.slice';
/** Where systemd has the service. */
export const OWN_CGROUP = `${SLICE}/${UNIT}`;
/** What the service puts down while it runs. */
const AUDIT = '/var/lib/nodeqos/audit.jsonl';
const KUBELET = '/var/lib/kubelet/config.yaml';
const SETTINGS = '/etc/nodeqos/nodeqos.yaml.d/50-case.yaml';
const PODS = '/run/pods.json';
const LONGEST_WAIT_MS = 90_000;

/** A line of the journal, with the fields that a case looks at. */
export interface JournalLine {
  readonly MESSAGE: string;
  readonly PRIORITY: string;
  readonly _UID?: string;
  readonly SYSLOG_IDENTIFIER?: string;
  readonly __CURSOR: string;
}

/** The service as it is installed, and pods beside it. */
export class Service {
  readonly #pods: TestPod[] = [];
  #made = 0;
  readonly #cursor: string;

  private constructor(cursor: string) {
    this.#cursor = cursor;
    for (const tier of tiers('systemd')) if (!existsSync(`${MOUNT}/${tier}`)) makeParent(tier);
    mkdirSync('/var/lib/kubelet', { recursive: true });
    mkdirSync('/etc/nodeqos/nodeqos.yaml.d', { recursive: true });
    const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    const qos = { memoryThrottlingFactor: 0.9, memoryReservationPolicy: 'TieredReservation' };
    const settings = { ...head, ...qos, cgroupDriver: 'systemd', featureGates: { MemoryQoS: true } };
    // As the kubelet leaves it where it is strict: a file of root, which nobody else reads.
    writeFileSync(KUBELET, JSON.stringify(settings), { mode: 0o600 });
    this.#list();
    this.configure({});
  }

  /** The package is installed where it is not yet; nothing of it runs. */
  static async installed(): Promise<Service> {
    if (!existsSync(`/lib/systemd/system/${UNIT}`)) await install();
    await systemctl('stop', UNIT, 'nodeqos-apply.service');
    rmSync('/var/lib/nodeqos', { recursive: true, force: true });
    const [last] = await journalLines('-n', '1');
    return new Service(last?.__CURSOR ?? '');
  }

  /** Makes a pod's cgroups and puts it on the list. */
  add(wish: PodWish): TestPod {
    this.#made += 1;
    const pod = testPod(wish, 'systemd', this.#made);
    makePod(pod);
    this.#pods.push(pod);
    this.#list();
    return pod;
  }

  /** What this case says in a drop-in of nodeqos.yaml. Evictions are off unless it says otherwise. */
  configure(settings: object): void {
    const own = { eviction: { enabled: false }, pods: { source: `file:${PODS}` }, ...settings };
    writeFileSync(SETTINGS, JSON.stringify(own));
  }

  /** A drop-in that no configuration can be. */
  breakConfiguration(): void {
    writeFileSync(SETTINGS, '{"memoryQos": {"writer": "nobody"}}');
  }

  /** Starts it, and gives what it is after its first look. */
  async start(): Promise<AgentState> {
    await systemctl('start', UNIT);
    return await this.state(() => true, 'a state after READY');
  }

  /** Enforces, and waits until every value is written. */
  async enforce(settings: object = {}): Promise<AgentState> {
    this.configure({ mode: 'enforce', ...settings });
    await systemctl('start', UNIT);
    return await this.settled();
  }

  async settled(): Promise<AgentState> {
    return await this.state(({ memoryQos }) => memoryQos?.write === 0, 'nothing left to write');
  }

  /** Properties of the unit as systemd has them. */
  async show(...names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const text = await systemctl('show', UNIT, '-p', names.join(','));
    const lines = text.split('\n').filter((line) => line.includes('='));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  }

  async pid(): Promise<number> {
    return Number((await this.show('MainPID'))['MainPID']);
  }

  /** Waits until another process is ready in the place of the one with that PID. */
  async startedAgain(before: number): Promise<number> {
    const endMs = performance.now() + 2 * LONGEST_WAIT_MS;
    for (;;) {
      const { MainPID, ActiveState } = await this.show('MainPID', 'ActiveState');
      if (ActiveState === 'active' && MainPID !== '0' && MainPID !== String(before)) return Number(MainPID);
      if (performance.now() > endMs) throw new Error(`not started again: ${ActiveState} ${MainPID}`);
      await sleep(200);
    }
  }

  async state(isMet: (state: AgentState) => boolean, what: string): Promise<AgentState> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const text = await this.answer('/state').catch(() => undefined);
      const state = text === undefined ? undefined : (JSON.parse(text) as AgentState);
      if (state !== undefined && isMet(state)) return state;
      if (performance.now() > endMs) throw new Error(`not seen: ${what}; last: ${text ?? 'no answer'}`);
      await sleep(100);
    }
  }

  /** What it answers at its own address; undefined for another status than 200. */
  async answer(path: string): Promise<string | undefined> {
    const answer = await fetch(`http://127.0.0.1:9477${path}`, { signal: AbortSignal.timeout(20_000) });
    const text = await answer.text();
    return answer.status === 200 ? text : undefined;
  }

  records(kind: string): readonly AuditRecord[] {
    const lines = existsSync(AUDIT) ? readFileSync(AUDIT, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as AuditRecord).filter((record) => record.kind === kind);
  }

  async recorded(kind: string, count = 1): Promise<readonly AuditRecord[]> {
    await until(() => this.records(kind).length >= count, `${count} records of ${kind}`);
    return this.records(kind);
  }

  /** What the service wrote to the journal since the case began. */
  async journal(): Promise<readonly JournalLine[]> {
    return await journalLines('-u', UNIT, ...(this.#cursor === '' ? [] : ['--after-cursor', this.#cursor]));
  }

  /** What a line of the service in the journal says; fails where none of them does. */
  async journalled(text: string): Promise<JournalLine> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const lines = await this.journal();
      const line = lines.find(({ MESSAGE }) => MESSAGE.includes(text));
      if (line !== undefined) return line;
      if (performance.now() > endMs)
        throw new Error(`not in the journal: ${text}\n${lines.map(({ MESSAGE }) => MESSAGE).join('\n')}`);
      await sleep(1000);
    }
  }

  /** Stops it and takes all of this away. */
  async remove(): Promise<void> {
    await run('systemctl', 'thaw', UNIT);
    await systemctl('stop', UNIT, 'nodeqos-apply.service');
    await run('systemctl', 'reset-failed', UNIT);
    if (existsSync(`${MOUNT}/${tiers('systemd')[0]}`)) await removeCgroup(tiers('systemd')[0] ?? '');
    for (const file of [SETTINGS, KUBELET, PODS]) rmSync(file, { force: true });
    rmSync('/var/lib/nodeqos', { recursive: true, force: true });
  }

  #list(): void {
    const items = this.#pods.map(({ manifest }) => manifest);
    writeFileSync(PODS, JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items }));
  }
}

/** The package that lies beside the cases. */
async function install(): Promise<void> {
  const names = readdirSync('/app').filter((name) => name.startsWith('nodeqos_') && name.endsWith('.deb'));
  const name = names.sort().at(-1);
  assert.ok(name !== undefined, 'no package lies beside the cases');
  await succeed('dpkg', '--install', `/app/${name}`);
}

async function journalLines(...args: readonly string[]): Promise<readonly JournalLine[]> {
  const text = await succeed('journalctl', '-o', 'json', '--no-pager', '-q', ...args);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}

/** A case with the service, which is as it was before at its end. */
export async function onService(test: (service: Service) => Promise<void>): Promise<void> {
  const service = await Service.installed();
  try {
    await test(service);
  } finally {
    await service.remove();
  }
}

/** Memory of a cgroup in MiB, by a key of memory.stat. */
export function memoryMib(cgroup: string, key: string): number {
  const line = readCgroup(cgroup, 'memory.stat')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${key} `));
  return Number(line?.split(' ')[1]) / MIB;
}
