import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { MOUNT, readCgroup, until, writeCgroup } from './machine.ts';
import { type Driver, type PodWish, type TestPod, testPod, tiers } from './pod.ts';
import { RunningAgent } from './running-agent.ts';

const BUNDLE = '/app/nodeqos.mjs';
const CHUNKS = '/app/nodeqos-chunks';

/** What a run of the binary left. */
export interface BinaryRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How an agent is started besides its options. */
export interface AgentWish {
  readonly env?: Readonly<Record<string, string>>;
  /** false: without the native part. */
  readonly isNative?: boolean;
}

/** This machine as a node: pods as cgroups, a list of them, two configurations, and a folder for nodeqos' state. */
export class TestNode {
  readonly driver: Driver;
  readonly folder = mkdtempSync('/run/node-');
  readonly state = `${this.folder}/state`;
  readonly #pods: TestPod[] = [];
  readonly #agents: RunningAgent[] = [];
  #made = 0;

  constructor(driver: Driver = 'systemd') {
    this.driver = driver;
    for (const tier of tiers(driver)) if (!existsSync(`${MOUNT}/${tier}`)) makeParent(tier);
    this.configure({});
    this.configureKubelet({});
    this.#list();
  }

  /** Who tells which pods there are. */
  protected get podSource(): string {
    return `${this.folder}/pods.json`;
  }

  /** The cgroup of all pods. */
  get kubepods(): string {
    return tiers(this.driver)[0] ?? '';
  }

  /** Makes a pod's cgroups and puts it on the list. */
  add(wish: PodWish): TestPod {
    this.#made += 1;
    const pod = testPod(wish, this.driver, this.#made);
    makePod(pod);
    this.list(pod);
    return pod;
  }

  /** Puts a pod on the list whose cgroups somebody else makes. */
  list(pod: TestPod): void {
    this.#pods.push(pod);
    this.#list();
  }

  /** Takes a pod off the list, as its owner does who has deleted it. */
  forget(pod: TestPod): void {
    this.#pods.splice(this.#pods.indexOf(pod), 1);
    this.#list();
  }

  /** nodeqos.yaml. */
  configure(settings: object): void {
    const head = { apiVersion: 'nodeqos.dev/v1alpha1', kind: 'NodeQosConfiguration' };
    this.#write('nodeqos.yaml', { ...head, stateDir: this.state, listen: 'none', ...settings });
  }

  /** The kubelet's configuration; its Memory QoS is on. */
  configureKubelet(settings: object): void {
    const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
    this.#write('kubelet.yaml', {
      ...head,
      cgroupDriver: this.driver,
      memoryThrottlingFactor: 0.9,
      memoryReservationPolicy: 'TieredReservation',
      featureGates: { MemoryQoS: true },
      ...settings,
    });
  }

  /** Runs a command of the shipped binary that looks at this node. */
  async nodeqos(command: string, ...options: readonly string[]): Promise<BinaryRun> {
    const pods = command === 'reset' ? [] : ['--pods', this.podSource];
    return await run([command, ...this.#configuration, ...pods, ...options]);
  }

  /** The same with a document as its answer. Throws, with what was said, unless it ends with status 0. */
  async document<T>(command: string, ...options: readonly string[]): Promise<T> {
    return documentOf<T>(command, await this.nodeqos(command, ...options, '-o', 'json'));
  }

  /** A document about something else than this node. */
  async plain<T>(command: string, ...options: readonly string[]): Promise<T> {
    return documentOf<T>(command, await run([command, ...options, '-o', 'json']));
  }

  /** Starts the agent and waits for its first tick. */
  async startAgent(...options: readonly string[]): Promise<RunningAgent> {
    return await this.startAgentAs({}, ...options);
  }

  /** The same, in an environment of its own or without its native part. */
  async startAgentAs(wish: AgentWish, ...options: readonly string[]): Promise<RunningAgent> {
    const socket = `${this.folder}/agent.sock`;
    const pods = ['--pods', this.podSource];
    const args = ['run', ...this.#configuration, ...pods, '--listen', `unix:${socket}`, ...options];
    const bundle = wish.isNative === false ? this.#bundleAlone() : BUNDLE;
    const places = { socket, audit: `${this.state}/audit.jsonl`, env: wish.env ?? {} };
    const agent = new RunningAgent([bundle, ...args], places);
    this.#agents.push(agent);
    await agent.state(() => true, 'a first tick');
    return agent;
  }

  /** Kills every agent on it, whatever it is just doing. */
  async killAgents(): Promise<void> {
    for (const agent of this.#agents) await agent.kill();
  }

  /** Ends all that runs on it, and takes it away. */
  async remove(): Promise<void> {
    await this.killAgents();
    if (existsSync(`${MOUNT}/${this.kubepods}`)) await removeCgroup(this.kubepods);
    rmSync(this.folder, { recursive: true, force: true });
    writeFileSync('/proc/sys/vm/drop_caches', '3');
    for (const file of readdirSync('/data')) rmSync(`/data/${file}`, { recursive: true, force: true });
  }

  get #configuration(): readonly string[] {
    return ['--config', `${this.folder}/nodeqos.yaml`, '--kubelet-config', `${this.folder}/kubelet.yaml`];
  }

  /** The bundle where no library lies beside it: no pidfds, no trigger, no words to a service manager. */
  #bundleAlone(): string {
    const alone = `${this.folder}/nodeqos.mjs`;
    copyFileSync(BUNDLE, alone);
    cpSync(CHUNKS, `${this.folder}/nodeqos-chunks`, { recursive: true });
    return alone;
  }

  #list(): void {
    const items = this.#pods.map(({ manifest }) => manifest);
    this.#write('pods.json', { apiVersion: 'v1', kind: 'PodList', items });
  }

  #write(name: string, value: object): void {
    writeFileSync(`${this.folder}/${name}`, JSON.stringify(value));
  }
}

async function run(args: readonly string[]): Promise<BinaryRun> {
  const settings = { env: { PATH: '/bin' }, maxBuffer: 1 << 26 };
  return await new Promise((resolve) => {
    execFile(process.execPath, [BUNDLE, ...args], settings, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ status, stdout, stderr });
    });
  });
}

function documentOf<T>(command: string, { status, stdout, stderr }: BinaryRun): T {
  if (status !== 0) throw new Error(`${command} ended with ${status}\n${stdout}\n${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A case on a node of its own, which is gone at its end. */
export async function onNode(
  test: (node: TestNode) => Promise<void>,
  driver: Driver = 'systemd',
): Promise<void> {
  const node = new TestNode(driver);
  try {
    await test(node);
  } finally {
    await node.remove();
  }
}

/** The cgroups of a pod, as whoever starts it makes them. */
export function makePod(pod: TestPod): void {
  makeParent(pod.cgroup);
  mkdirSync(`${MOUNT}/${pod.container}`);
  mkdirSync(`${MOUNT}/${pod.sandbox}`);
}

/** A cgroup that has others inside. */
export function makeParent(cgroup: string): void {
  mkdirSync(`${MOUNT}/${cgroup}`);
  writeCgroup(cgroup, 'cgroup.subtree_control', '+memory +pids');
}

/** Kills what is in a cgroup, and removes it and all below it. */
export async function removeCgroup(cgroup: string): Promise<void> {
  writeCgroup(cgroup, 'cgroup.kill', '1');
  await until(() => readCgroup(cgroup, 'cgroup.events').includes('populated 0'), `nothing in ${cgroup}`);
  removeFolders(`${MOUNT}/${cgroup}`);
}

function removeFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeFolders(`${folder}/${entry.name}`);
  rmdirSync(folder);
}
