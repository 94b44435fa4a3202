import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MIB, MOUNT, readCgroup, sleep, until } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod, tiers } from '../guest/pod.ts';
import type { AuditRecord } from '../guest/running-agent.ts';
import { makeParent, makePod, removeCgroup } from '../guest/test-node.ts';
import { run, succeed, systemctl } from './commands.ts';

export const UNIT = 'nodeqos.service';
/** The one that writes once, without an agent. */
export const APPLY_UNIT = 'nodeqos-apply.service';
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

/** What a case looks at in /state. */
export interface ServiceState {
  readonly signals: readonly { readonly signal: string; readonly available: number }[];
  readonly thresholds: readonly object[];
  readonly agent: Readonly<Record<string, unknown>>;
  readonly memoryQos: { readonly write: number } | null;
  readonly pods: { readonly count: number };
  readonly troubles: readonly string[];
}

/** The service as it is installed, and pods beside it. */
export class Service {
  readonly #pods: TestPod[] = [];
  #made = 0;
  /** Where the journal and the audit log were when the case began. */
  #cursor = '';
  #records = 0;

  private constructor() {
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

  /** Nothing of it runs, nor did: it knows nothing. */
  static async stopped(): Promise<Service> {
    await installOnce();
    await systemctl('stop', UNIT, APPLY_UNIT);
    rmSync('/var/lib/nodeqos', { recursive: true, force: true });
    const service = new Service();
    await service.#begins();
    return service;
  }

  /** It runs in dry-run, on a node without pods; where it ran before, it goes on, since every start takes long here. */
  static async running(): Promise<Service> {
    await installOnce();
    const service = new Service();
    await service.takeConfiguration();
    await service.state(
      ({ agent, pods }) =>
        agent['configurationValid'] === true && agent['mode'] === 'dry-run' && pods.count === 0,
      'a service that knows nobody',
    );
    await service.#begins();
    return service;
  }

  /** Makes a pod's cgroups and puts it on the list. */
  add(wish: PodWish): TestPod {
    this.#made += 1;
    const pod = testPod(wish, 'systemd', this.#made);
    makePod(pod);
    this.list(pod);
    return pod;
  }

  /** Puts a pod on the list whose cgroups somebody else makes. */
  list(pod: TestPod): void {
    this.#pods.push(pod);
    this.#list();
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

  /** Takes what was configured: by a reload where it runs. */
  async takeConfiguration(): Promise<void> {
    const { ActiveState } = await this.show('ActiveState');
    await systemctl(ActiveState === 'active' ? 'reload' : 'start', UNIT);
  }

  /** Enforces, and waits until every value is written. */
  async enforce(settings: object = {}): Promise<ServiceState> {
    this.configure({ mode: 'enforce', ...settings });
    await this.takeConfiguration();
    return await this.settled();
  }

  async settled(): Promise<ServiceState> {
    return await this.state(
      ({ agent, pods, memoryQos }) =>
        agent['mode'] === 'enforce' && pods.count === this.#pods.length && memoryQos?.write === 0,
      'nothing left to write',
    );
  }

  /** Properties of the unit as systemd has them. */
  async show(...names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const text = await systemctl('show', UNIT, '-p', names.join(','));
    const lines = text.split('\n').filter((line) => line.includes('='));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  }

  /** Waits until its one line in the status of the unit is as wanted. */
  async says(wanted: RegExp): Promise<void> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const { StatusText = '' } = await this.show('StatusText');
      if (wanted.test(StatusText)) return;
      if (performance.now() > endMs) throw new Error(`not said: ${wanted}; last: ${StatusText}`);
      await sleep(200);
    }
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

  async state(isMet: (state: ServiceState) => boolean, what: string): Promise<ServiceState> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const text = await this.answer('/state').catch(() => undefined);
      const state = text === undefined ? undefined : (JSON.parse(text) as ServiceState);
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
    const records = auditLines()
      .slice(this.#records)
      .map((line) => JSON.parse(line) as AuditRecord);
    return records.filter((record) => record.kind === kind);
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

  /** Takes pods and settings away; whether it runs is left as it is. */
  async remove(): Promise<void> {
    await run('systemctl', 'reset-failed', UNIT);
    this.#pods.length = 0;
    this.#list();
    this.configure({});
    const [kubepods = ''] = tiers('systemd');
    if (existsSync(`${MOUNT}/${kubepods}`)) await removeCgroup(kubepods);
  }

  async #begins(): Promise<void> {
    const [last] = await journalLines('-n', '1');
    this.#cursor = last?.__CURSOR ?? '';
    this.#records = auditLines().length;
  }

  #list(): void {
    const items = this.#pods.map(({ manifest }) => manifest);
    writeFileSync(PODS, JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items }));
  }
}

/** The package that lies beside the cases, where it is not installed yet. */
async function installOnce(): Promise<void> {
  if (existsSync(`/lib/systemd/system/${UNIT}`)) return;
  const names = readdirSync('/app').filter((name) => name.startsWith('nodeqos_') && name.endsWith('.deb'));
  const name = names.sort().at(-1);
  assert.ok(name !== undefined, 'no package lies beside the cases');
  await succeed('dpkg', '--install', `/app/${name}`);
}

function auditLines(): readonly string[] {
  return existsSync(AUDIT) ? readFileSync(AUDIT, 'utf8').split('\n').slice(0, -1) : [];
}

async function journalLines(...args: readonly string[]): Promise<readonly JournalLine[]> {
  const text = await succeed('journalctl', '-o', 'json', '--no-pager', '-q', ...args);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}

/** A case with the service, which is left as the case leaves it; its pods are gone at the end. */
export async function withService(
  begin: () => Promise<Service>,
  test: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await begin();
  try {
    await test(service);
  } finally {
    await service.remove();
  }
}

/** A case that starts the service itself, and at whose end it does not run. */
export async function onService(test: (service: Service) => Promise<void>): Promise<void> {
  try {
    await withService(() => Service.stopped(), test);
  } finally {
    await systemctl('stop', UNIT, APPLY_UNIT);
  }
}

/** Memory of a cgroup in MiB, by a key of memory.stat. */
export function memoryMib(cgroup: string, key: string): number {
  const line = readCgroup(cgroup, 'memory.stat')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${key} `));
  return Number(line?.split(' ')[1]) / MIB;
}
