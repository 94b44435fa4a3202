import { existsSync, rmSync } from 'node:fs';
import { MIB, MOUNT } from '../guest/machine.ts';
import { type PodWish, type TestPod, testPod } from '../guest/pod.ts';
import { run, succeed, systemctl } from './commands.ts';
import { makeImage } from './container-image.ts';
import { ContainerProcess, HOG_COMMAND, sharedFolder } from './container-process.ts';
import { startSlice, startTiers, UnitNode, unitOf } from './unit-node.ts';

/** Where the runtime has the pods of a kubelet. */
const NAMESPACE = 'k8s.io';
/** An image whose process takes memory when it is told. */
export const APP_IMAGE = 'localhost/app:1';

/** A container of containerd with its process, which takes memory when it is told. */
export class Container {
  readonly id: string;
  readonly #process: ContainerProcess;
  #isRemoved = false;

  private constructor(id: string, process: ContainerProcess) {
    this.id = id;
    this.#process = process;
  }

  /** Starts one whose scope is the one of the pod. */
  static async started(pod: TestPod, limitMib: number | undefined): Promise<Container> {
    const scope = unitOf(pod.container);
    const id = scope.slice(scope.lastIndexOf('-') + 1, -'.scope'.length);
    const shared = sharedFolder(id);
    const cgroup = `${unitOf(pod.cgroup)}:cri-containerd:${id}`;
    const where = ['--runc-systemd-cgroup', '--cgroup', cgroup, '--snapshotter', 'native'];
    const mount = ['--mount', `type=bind,src=${shared},dst=/case,options=rbind:rw`];
    const limit = limitMib === undefined ? [] : ['--memory-limit', String(limitMib * MIB)];
    await ctr('run', '--detach', '--null-io', ...where, ...mount, ...limit, APP_IMAGE, id);
    return new Container(id, await ContainerProcess.in(shared));
  }

  /** Orders memory, and does not wait until it is there. */
  order(mib: number): void {
    this.#process.order(mib);
  }

  async grow(mib: number): Promise<void> {
    await this.#process.grow(mib);
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
    await run('ctr', '-n', NAMESPACE, 'tasks', 'delete', '--force', this.id);
    await run('ctr', '-n', NAMESPACE, 'containers', 'delete', this.id);
    this.#process.leave();
  }
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

/** Starts containerd, where it does not run yet, and gives it the images of the cases. */
export async function startContainerd(): Promise<void> {
  await systemctl('start', 'containerd.service');
  await hasImage(APP_IMAGE, HOG_COMMAND);
}

/** Makes an image and gives it to containerd, where it does not have it yet. */
export async function hasImage(image: string, command: readonly string[]): Promise<void> {
  const images = await ctr('images', 'list', '--quiet');
  if (images.split('\n').includes(image)) return;
  const archive = '/tmp/image.tar';
  await makeImage(image, command, archive);
  await ctr('images', 'import', '--snapshotter', 'native', archive);
  rmSync(archive);
}
