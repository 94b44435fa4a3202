import { EXIT, Failure } from '../../agent/exit.ts';
import type { CriClient } from '../../agent/peers/cri/cri-client.ts';
import type { RuntimeContainer, Sandbox } from '../../agent/peers/cri/facts.ts';
import type { ControlFiles, HeldCgroup } from '../../cgroup/control-port.ts';
import { FakeClock } from './fake-clock.ts';

interface Running extends RuntimeContainer {
  state: RuntimeContainer['state'];
  /** Milliseconds from being asked to end to its end; undefined: only when it is killed. */
  readonly endsInMs: number | undefined;
}

interface Kept extends Sandbox {
  isReady: boolean;
}

const NO_TEXTS = new Map<string, string>();

/** A runtime, and the cgroup of the one pod in question, in a time that is moved by hand. What it was told is in `log`. */
export class FakeRuntime {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  /** Calls that fail at once, by their name in the client or with the ID behind it. */
  readonly fails = new Set<string>();
  /** Calls that never end. */
  readonly hangs = new Set<string>();
  /** A process that nothing ends. */
  isStuck = false;
  ownPid = 1;
  /** Cgroups that are held at the moment. */
  held = 0;
  cgroup = { inode: 7n, isThere: true };
  readonly #sandboxes: Kept[] = [];
  readonly #containers: Running[] = [];

  sandbox(id: string, uid: string, name = 'cart', isReady = true): void {
    const labels = NO_TEXTS;
    const named = { namespace: 'shop', name, uid };
    this.#sandboxes.push({
      ...{ id, ...named, attempt: 0, isReady },
      ...{ createdAtNs: 0n, labels, annotations: NO_TEXTS },
    });
  }

  container(
    id: string,
    sandboxId: string,
    endsInMs?: number,
    state: RuntimeContainer['state'] = 'running',
  ): void {
    const facts = { name: id, attempt: 0, state, createdAtNs: 0n, annotations: NO_TEXTS };
    this.#containers.push({ id, sandboxId, ...facts, endsInMs });
  }

  /** Takes a sandbox and its containers away at once. */
  forget(sandboxId: string): void {
    this.#sandboxes.splice(
      this.#sandboxes.findIndex(({ id }) => id === sandboxId),
      1,
    );
    const left = this.#containers.filter((one) => one.sandboxId !== sandboxId);
    this.#containers.splice(0, this.#containers.length, ...left);
  }

  /** Ends what runs in a sandbox, and keeps of what has ended the latest only, as a kubelet does. */
  exit(sandboxId: string): void {
    const left = this.#containers.filter((one) => one.sandboxId !== sandboxId || one.state !== 'exited');
    this.#containers.splice(0, this.#containers.length, ...left);
    for (const one of this.#containers) if (one.sandboxId === sandboxId) one.state = 'exited';
  }

  get isPopulated(): boolean {
    const runs =
      this.#sandboxes.some(({ isReady }) => isReady) ||
      this.#containers.some((one) => one.state === 'running');
    return this.cgroup.isThere && (this.isStuck || runs);
  }

  get sandboxIds(): readonly string[] {
    return this.#sandboxes.map(({ id }) => id);
  }

  get client(): CriClient {
    return {
      name: 'the container runtime at /cri.sock',
      socket: '/cri.sock',
      deadlineMs: 10_000,
      version: () => Promise.resolve({ name: 'containerd', version: '1' }),
      sandboxes: (signal) =>
        this.#called('sandboxes', '', signal, () => this.#sandboxes.map((one) => ({ ...one }))),
      containers: (signal) =>
        this.#called('containers', '', signal, () => this.#containers.map((one) => ({ ...one }))),
      sandboxDetail: (_id, signal) =>
        this.#called('sandboxDetail', '', signal, () => ({ isOnHostNetwork: false })),
      containerDetail: (_id, signal) => this.#called('containerDetail', '', signal, () => ({})),
      stopContainer: (id, graceSeconds, signal) =>
        this.#called(`stop ${id}`, ` ${graceSeconds}`, signal, () =>
          this.#stop(id, graceSeconds * 1000, signal),
        ),
      stopSandbox: (id, signal) =>
        this.#called(`stopSandbox ${id}`, '', signal, () => {
          this.#end(id);
        }),
      removeSandbox: (id, signal) =>
        this.#called(`removeSandbox ${id}`, '', signal, () => {
          this.forget(id);
        }),
      close: () => undefined,
    };
  }

  get control(): ControlFiles {
    return {
      isCgroup2: true,
      hold: (path, inode) => {
        if (!this.cgroup.isThere) return { kind: 'vanished', remade: false, error: `${path} is gone` };
        if (this.cgroup.inode !== inode)
          return { kind: 'vanished', remade: true, error: `${path} was made anew` };
        this.held += 1;
        return { kind: 'held', held: this.#hold(path) };
      },
    };
  }

  #hold(cgroup: string): HeldCgroup {
    const { inode } = this.cgroup;
    return {
      cgroup,
      inode,
      read: (file) => {
        if (!this.cgroup.isThere) return { kind: 'vanished', error: 'gone' };
        const text = file === 'cgroup.procs' ? `${this.ownPid === 1 ? '' : this.ownPid}\n` : this.#events;
        return { kind: 'read', text };
      },
      write: () => Promise.reject(new Error('nothing is written here')),
      children: () => ({ kind: 'read', names: [] }),
      child: () => ({ kind: 'vanished', remade: false, error: 'none' }),
      release: () => {
        this.held -= 1;
      },
    };
  }

  get #events(): string {
    return `populated ${this.isPopulated ? 1 : 0}\nfrozen 0\n`;
  }

  async #called<T>(
    what: string,
    more: string,
    signal: AbortSignal,
    answer: () => T | Promise<T>,
  ): Promise<T> {
    this.log.push(`${this.clock.nowMs()} ${what}${more}`);
    if (this.hangs.has(what)) await this.clock.sleep(Number.MAX_SAFE_INTEGER, signal);
    if (this.fails.has(what) || signal.aborted) throw new Failure(EXIT.unavailable, `${what} failed`);
    return await answer();
  }

  async #stop(id: string, graceMs: number, signal: AbortSignal): Promise<void> {
    const container = this.#containers.find((one) => one.id === id);
    const ms = Math.min(graceMs, container?.endsInMs ?? graceMs);
    await this.clock.sleep(ms, signal);
    if (signal.aborted) throw new Failure(EXIT.unavailable, 'nobody waits');
    if (container !== undefined) container.state = 'exited';
  }

  #end(id: string): void {
    for (const one of this.#sandboxes) if (one.id === id) one.isReady = false;
    for (const one of this.#containers) if (one.sandboxId === id) one.state = 'exited';
  }
}
