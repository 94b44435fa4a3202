import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MEMORY_FILES } from '../../cgroup/memory-files.ts';
import type { SimRandom } from './sim-random.ts';

/** The boot that this node is in. */
export const BOOT_ID = '11111111-2222-4333-8444-555555555555';

const MI = 1024 * 1024;
const CAPACITY_MI = 4096;
const SYSTEM_MI = 1024;
const THRESHOLD_MI = 512;
/** What a quiet pod uses. */
const QUIET_MI = 32;
const LOOK_EVERY_MS = 3;

/** A pod of the node. Everything about it but its usage stays; one that comes after it is another pod. */
export interface LivingPod {
  readonly name: string;
  readonly uid: string;
  readonly isGuaranteed: boolean;
  readonly id: string;
  readonly cgroup: string;
  readonly container: string;
  usageMi: number;
  /** `killed`: cgroup.kill was written, and it takes the kernel a while. */
  state: 'running' | 'killed' | 'dead';
}

/** A limit file as it was before anybody wrote it, and of which cgroup. */
export interface Original {
  readonly inode: bigint;
  readonly text: string;
}

export interface LivingNodeParts {
  readonly pods: number;
  readonly random: SimRandom;
  /** From cgroup.kill to the end of the processes, in milliseconds. */
  readonly diesInMs: () => number;
}

/**
 * A fake node whose kernel goes on while agents come and are killed: pods that are killed die slowly, and give their memory
 * back before their cgroup is empty, as real ones do. It knows what every limit file read before anybody wrote it, and who
 * was killed.
 */
export class LivingNode {
  readonly root = mkdtempSync(join(tmpdir(), 'nodeqos-living-'));
  readonly mount = join(this.root, 'sys/fs/cgroup');
  readonly state = join(this.root, 'var/lib/nodeqos');
  readonly originals = new Map<string, Original>();
  /** Names of the pods that somebody wanted dead, in order. */
  readonly killed: string[] = [];
  pods: LivingPod[] = [];
  readonly #parts: LivingNodeParts;
  #made = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LivingNodeParts) {
    this.#parts = parts;
    this.write('sys/fs/cgroup/.nodeqos-fake', '');
    this.write('sys/fs/cgroup/cgroup.controllers', 'cpu memory pids\n');
    this.write('proc/meminfo', `MemTotal: ${CAPACITY_MI * 1024} kB\nMemAvailable: 1048576 kB\n`);
    this.write('proc/sys/kernel/random/boot_id', `${BOOT_ID}\n`);
    for (const cgroup of TIERS) this.#makeCgroup(cgroup);
    this.setPolicy(0.9);
    this.configure('');
    for (let index = 0; index < parts.pods; index += 1) this.#addPod();
    this.#writePods();
    this.#count('grows');
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** Writes a file below the root in one step, as a file of the kernel changes. */
  write(name: string, text: string): void {
    const fresh = join(this.root, 'fresh');
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(fresh, text);
    renameSync(fresh, this.path(name));
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'latin1');
  }

  /** What Memory QoS goes by: another factor changes memory.high of every Burstable container. */
  setPolicy(factor: number, policy: 'None' | 'TieredReservation' = 'TieredReservation'): void {
    this.write(
      'var/lib/kubelet/config.yaml',
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
featureGates: {MemoryQoS: true}
memoryThrottlingFactor: ${factor}
memoryReservationPolicy: ${policy}
evictionHard: {memory.available: ${THRESHOLD_MI}Mi}
`,
    );
  }

  /** nodeqos.yaml. */
  configure(yaml: string): void {
    const head = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\nlisten: none\n';
    this.write('etc/nodeqos/nodeqos.yaml', `${head}${yaml}`);
  }

  /** Lets a pod eat so much that memory is short, and that its end alone ends the shortage. */
  hunger(): LivingPod {
    const hog = this.#parts.random.pick(this.pods.filter(({ isGuaranteed }) => !isGuaranteed));
    if (hog === undefined) throw new Error('there is nobody to be hungry');
    const used = this.pods.reduce((sum, { usageMi }) => sum + usageMi, SYSTEM_MI);
    hog.usageMi += CAPACITY_MI - used - THRESHOLD_MI / 2;
    this.#count('grows');
    return hog;
  }

  /** Whether memory is short by what the kernel says. */
  get isShort(): boolean {
    return CAPACITY_MI - this.pods.reduce((sum, { usageMi }) => sum + usageMi, SYSTEM_MI) < THRESHOLD_MI;
  }

  /** A dead pod goes with its cgroups, and another one comes for it. */
  replace(pod: LivingPod): void {
    this.pods = this.pods.filter((other) => other !== pod);
    rmSync(join(this.mount, pod.cgroup), { recursive: true });
    for (const key of this.originals.keys()) {
      if (key.startsWith(`${pod.cgroup}/`)) this.originals.delete(key);
    }
    this.#addPod();
    this.#writePods();
    this.#count('grows');
  }

  /** The cgroups of a pod go and are made again under the same names, as when its sandbox is. */
  remake({ cgroup, container }: LivingPod): void {
    const old = this.path('old');
    // Renamed away first, so that no number of an inode comes back.
    renameSync(join(this.mount, cgroup), old);
    this.#makeCgroup(cgroup);
    this.#makeCgroup(container);
    rmSync(old, { recursive: true });
    this.#count('grows');
  }

  /** Every limit file that does not read as before anybody wrote it: `cgroup/file`. */
  changed(): string[] {
    return [...this.originals]
      .filter(([key, { text }]) => readFileSync(join(this.mount, key), 'latin1') !== text)
      .map(([key]) => key);
  }

  /** The kernel of this node: looks whom somebody wants dead. */
  start(): void {
    this.#timer = setInterval(() => {
      for (const pod of this.pods) {
        if (pod.state === 'running' && this.#isKillWritten(pod)) this.#kill(pod);
      }
    }, LOOK_EVERY_MS);
  }

  /** Looks at once, for those who ask right after something ended. */
  look(): void {
    for (const pod of this.pods) {
      if (pod.state === 'running' && this.#isKillWritten(pod)) this.#kill(pod);
    }
  }

  remove(): void {
    clearInterval(this.#timer);
    rmSync(this.root, { recursive: true, force: true });
  }

  #isKillWritten({ cgroup, container }: LivingPod): boolean {
    return [cgroup, container].some((one) => statSync(join(this.mount, one, 'cgroup.kill')).size > 0);
  }

  #kill(pod: LivingPod): void {
    pod.state = 'killed';
    this.killed.push(pod.name);
    setTimeout(() => {
      if (!this.pods.includes(pod)) return;
      pod.state = 'dead';
      pod.usageMi = 0;
      this.#count('shrinks');
      for (const one of [pod.cgroup, pod.container]) {
        this.#writeControl(one, 'cgroup.procs', '');
        this.#writeControl(one, 'cgroup.events', 'populated 0\nfrozen 0\n');
      }
    }, this.#parts.diesInMs()).unref();
  }

  #addPod(): void {
    this.#made += 1;
    const name = `p${this.#made}`;
    const uid = `00000000-0000-4000-8000-${String(this.#made).padStart(12, '0')}`;
    const isGuaranteed = this.#made % 5 === 0;
    const id = String(this.#made).padStart(64, '0');
    const cgroup = `${isGuaranteed ? KUBEPODS : BURSTABLE}/pod${uid}`;
    const container = `${cgroup}/${id}`;
    this.pods.push({ name, uid, isGuaranteed, id, cgroup, container, usageMi: QUIET_MI, state: 'running' });
    this.#makeCgroup(cgroup);
    this.#makeCgroup(container);
  }

  #makeCgroup(cgroup: string): void {
    mkdirSync(join(this.mount, cgroup), { recursive: true });
    const inode = statSync(join(this.mount, cgroup), { bigint: true }).ino;
    for (const file of MEMORY_FILES) {
      const text = this.#parts.random.pick(OLD_VALUES[file]) ?? '';
      this.#writeControl(cgroup, file, text);
      this.originals.set(`${cgroup}/${file}`, { inode, text });
    }
    this.#writeControl(cgroup, 'memory.max', 'max\n');
    this.#writeControl(cgroup, 'memory.current', '0\n');
    this.#writeControl(cgroup, 'memory.stat', 'inactive_file 0\n');
    this.#writeControl(cgroup, 'cgroup.kill', '');
    this.#writeControl(cgroup, 'cgroup.procs', '12\n');
    this.#writeControl(cgroup, 'cgroup.events', 'populated 1\nfrozen 0\n');
  }

  #writeControl(cgroup: string, file: string, text: string): void {
    this.write(`sys/fs/cgroup/${cgroup}/${file}`, text);
  }

  /** Counts usage as a kernel does: charged to a pod before the node has it, and given back to the node first. */
  #count(change: 'grows' | 'shrinks'): void {
    const sums = new Map<string, number>(TIERS.map((tier) => [tier, 0]));
    for (const { cgroup, usageMi } of this.pods) {
      for (const tier of TIERS.filter((one) => cgroup.startsWith(`${one}/`))) {
        sums.set(tier, (sums.get(tier) ?? 0) + usageMi);
      }
    }
    const anon = (SYSTEM_MI + (sums.get(KUBEPODS) ?? 0)) * MI;
    const files: (readonly [string, string])[] = [
      ['memory.stat', `anon ${anon}\nfile 0\ninactive_file 0\n`],
      ...[...sums].map(([tier, usageMi]) => [`${tier}/memory.current`, `${usageMi * MI}\n`] as const),
      ...this.pods.flatMap(({ cgroup, container, usageMi }) =>
        [cgroup, container].map((one) => [`${one}/memory.current`, `${usageMi * MI}\n`] as const),
      ),
    ];
    for (const [file, text] of change === 'grows' ? files.toReversed() : files) {
      this.write(`sys/fs/cgroup/${file}`, text);
    }
  }

  #writePods(): void {
    const items = this.pods.map(podObject);
    this.write('pods.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }
}

const KUBEPODS = 'kubepods';
const BURSTABLE = `${KUBEPODS}/burstable`;
const TIERS = [KUBEPODS, BURSTABLE, `${KUBEPODS}/besteffort`] as const;

/** Somebody has set limits before. */
const OLD_VALUES = {
  'memory.min': ['0\n', '0\n', '8192\n'],
  'memory.low': ['0\n', '0\n', '4096\n'],
  'memory.high': ['max\n', 'max\n', '1099511627776\n'],
} as const;

function podObject({ name, uid, isGuaranteed, id }: LivingPod): object {
  const memory = isGuaranteed ? '64Mi' : '16Mi';
  const limits = { memory: '64Mi', ...(isGuaranteed ? { cpu: '1' } : {}) };
  const requests = { memory, ...(isGuaranteed ? { cpu: '1' } : {}) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name, uid },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i', resources: { requests, limits } }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'c', containerID: `containerd://${id}` }] },
  };
}

/** The names of the files in a folder; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
