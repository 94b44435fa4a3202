import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { MIB, MOUNT, until } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod } from '../guest/pod.ts';
import { run, succeed, systemctl } from './commands.ts';
import { makeImage } from './container-image.ts';
import { startSlice, startTiers, UnitNode, unitOf } from './unit-node.ts';

/** Where the runtime has the pods of a kubelet. */
const NAMESPACE = 'k8s.io';
const IMAGE = 'localhost/app:1';
/** The folder of a container, in the machine; it is /case in the container. */
const SHARED = '/run/containers';

/** Takes as many MiB more as each line of the FIFO says, and says when it has them. */
const HOG = `BEGIN { mib = "x"; while (length(mib) < ${MIB}) mib = mib mib; print "ready" >"/case/said"; fflush("/case/said") }
{ for (k = 0; k < $1; k++) held[n++] = mib n; print "has " n >"/case/said"; fflush("/case/said") }`;
const COMMAND = ['/bin/sh', '-c', 'mkfifo /case/orders && exec awk "$0" <>/case/orders', HOG];

/** A container of containerd with its process, which takes memory when it is told. */
export class Container {
  readonly id: string;
  readonly #orders: number;
  #hasMib = 0;
  #isRemoved = false;

  private constructor(id: string) {
    this.id = id;
    this.#orders = openSync(`${SHARED}/${id}/orders`, 'w');
  }

  /** Starts one whose scope is the one of the pod. */
  static async started(pod: TestPod, limitMib: number | undefined): Promise<Container> {
    const scope = unitOf(pod.container);
    const id = scope.slice(scope.lastIndexOf('-') + 1, -'.scope'.length);
    const shared = `${SHARED}/${id}`;
    mkdirSync(shared, { recursive: true });
    const cgroup = `${unitOf(pod.cgroup)}:cri-containerd:${id}`;
    const where = ['--runc-systemd-cgroup', '--cgroup', cgroup, '--snapshotter', 'native'];
    const mount = ['--mount', `type=bind,src=${shared},dst=/case,options=rbind:rw`];
    const limit = limitMib === undefined ? [] : ['--memory-limit', String(limitMib * MIB)];
    await ctr('run', '--detach', '--null-io', ...where, ...mount, ...limit, IMAGE, id);
    await until(() => said(id).includes('ready'), `the process of ${id}`);
    return new Container(id);
  }

  /** Orders memory, and does not wait until it is there. */
  order(mib: number): void {
    this.#hasMib += mib;
    writeSync(this.#orders, `${mib}\n`);
  }

  async grow(mib: number): Promise<void> {
    this.order(mib);
    await until(() => said(this.id).includes(`has ${this.#hasMib}\n`), `${this.#hasMib} MiB in a container`);
  }

  /** What the runtime says of it: `RUNNING`, `STOPPED` and so on. */
  async status(): Promise<string> {
    const tasks = await ctr('tasks', 'list');
    const line = tasks.split('\n').find((candidate) => candidate.startsWith(this.id));
    return line?.trim().split(/\s+/).at(-1) ?? 'gone';
  }

  /** Gives it another memory.max, as the runtime does when a pod is resized. */
  async update(limitMib: number): Promise<void> {
    const bytes = String(limitMib * MIB);
    const place = ['--root', `/run/containerd/runc/${NAMESPACE}`, '--systemd-cgroup'];
    await succeed('runc', ...place, 'update', '--memory', bytes, '--memory-swap', bytes, this.id);
  }

  /** Kills it where it runs, and lets the runtime forget it. */
  async remove(): Promise<void> {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    closeSync(this.#orders);
    await run('ctr', '-n', NAMESPACE, 'tasks', 'delete', '--force', this.id);
    await run('ctr', '-n', NAMESPACE, 'containers', 'delete', this.id);
    rmSync(`${SHARED}/${this.id}`, { recursive: true, force: true });
  }
}

function said(id: string): string {
  const file = `${SHARED}/${id}/said`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function ctr(...args: readonly string[]): Promise<string> {
  return await succeed('ctr', '-n', NAMESPACE, ...args);
}

/** A pod with the one container of it. */
export interface ContainerPod {
  readonly pod: TestPod;
  readonly container: Container;
}

/** A node whose pods are slices of systemd with a container of containerd in each. */
export class ContainerNode extends UnitNode {
  readonly #containers: Container[] = [];

  async run(wish: PodWish, limitMib?: number): Promise<ContainerPod> {
    const pod = testPod(wish, 'systemd', this.#containers.length + 1);
    await startSlice(pod.cgroup);
    const container = await Container.started(pod, limitMib);
    this.#containers.push(container);
    assertExists(pod.container);
    this.list(pod);
    return { pod, container };
  }

  override async remove(): Promise<void> {
    await this.killAgents();
    for (const container of this.#containers) await container.remove();
    await super.remove();
  }
}

function assertExists(cgroup: string): void {
  if (!existsSync(`${MOUNT}/${cgroup}`)) throw new Error(`the runtime made no ${cgroup}`);
}

/** A case on a node of its own whose pods are run by containerd; everything but containerd is gone at its end. */
export async function onContainerd(test: (node: ContainerNode) => Promise<void>): Promise<void> {
  await startContainerd();
  await startTiers();
  const node = new ContainerNode();
  try {
    await test(node);
  } finally {
    await node.remove();
  }
}

/** Starts containerd, where it does not run yet, and gives it the image of the cases. */
async function startContainerd(): Promise<void> {
  await systemctl('start', 'containerd.service');
  const images = await ctr('images', 'list', '--quiet');
  if (images.split('\n').includes(IMAGE)) return;
  const archive = '/tmp/app.tar';
  await makeImage(IMAGE, COMMAND, archive);
  await ctr('images', 'import', '--snapshotter', 'native', archive);
  rmSync(archive);
}
