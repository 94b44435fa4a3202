import type { DoctorFacts } from '../../agent/decide/doctor/facts.ts';
import { doctorReport } from '../../agent/decide/doctor/report.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';

/** What differs from a node where all is well; a field that is undefined is taken away. */
export type FactsChange = {
  readonly [S in keyof DoctorFacts]?: {
    readonly [K in keyof DoctorFacts[S]]?: DoctorFacts[S][K] | undefined;
  };
};

/** The settings of these lines of nodeqos.yaml. */
export function settings(yaml = ''): DoctorFacts['own']['settings'] {
  const text = `apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n${yaml}\n`;
  const read = readNodeQosConfiguration({ file: 'nodeqos.yaml', text }, []);
  if (read.settings === undefined) throw new Error(JSON.stringify(read.errors));
  return read.settings;
}

const MEMORY = ['cpu', 'memory', 'pids'];
const KUBEPODS = 'kubepods.slice';
const MIB = 1024n * 1024n;

/** A node of its own machine on which everything is there and in order, as root sees it. */
function soundFacts(): DoctorFacts {
  return {
    root: { kind: 'host', name: '/' },
    kernel: {
      release: '6.1.0-25-amd64',
      memoryCapacityBytes: 16384n * MIB,
      pageSizeBytes: 4096,
      swapTotalBytes: 0n,
      pidfd: 'works',
    },
    cgroup: {
      mountPoint: '/sys/fs/cgroup',
      hierarchy: 'unified',
      options: ['rw', 'nsdelegate', 'memory_recursiveprot'],
      rootRead: 'read',
      levels: [
        { cgroup: '', role: 'root', isThere: true, controllers: MEMORY, handsDown: MEMORY },
        { cgroup: KUBEPODS, role: 'kubepods', isThere: true, controllers: MEMORY, handsDown: MEMORY },
        ...['burstable', 'besteffort'].map((tier) => ({
          cgroup: `${KUBEPODS}/kubepods-${tier}.slice`,
          role: 'tier' as const,
          isThere: true,
          controllers: MEMORY,
          handsDown: MEMORY,
        })),
      ],
      kubepods: KUBEPODS,
      files: { 'cgroup.kill': true, 'cgroup.freeze': true, 'memory.reclaim': true, 'memory.peak': true },
      limitWrite: 'allowed',
      ancestors: [],
    },
    pressure: { memory: 'read', file: '/proc/pressure/memory', built: 'on', trigger: { windowSeconds: 1 } },
    systemd: {
      driver: { found: 'systemd', configured: 'systemd', isStated: true, used: 'systemd' },
      bus: { version: '252.39' },
    },
    kubelet: {
      alive: null,
      configuration: { kind: 'valid', file: '/var/lib/kubelet/config.yaml', warnings: 0 },
      version: 'v1.36.1',
      credentials: [],
    },
    runtime: {
      sockets: [
        {
          path: '/run/containerd/containerd.sock',
          runtime: 'containerd',
          from: 'usual-place',
          state: 'open',
        },
        { path: '/run/crio/crio.sock', runtime: 'CRI-O', from: 'usual-place', state: 'missing' },
      ],
    },
    writers: {
      units: [],
      hiddenUnits: [],
      oomd: null,
      agents: [],
      otherNodeqos: [],
      values: { found: [], own: 0 },
    },
    own: {
      configuration: { kind: 'valid', file: '/etc/nodeqos/nodeqos.yaml', warnings: 0 },
      settings: settings(),
      podsSource: 'auto',
      podsLook: { kind: 'there', found: 'auto: static pods of /etc/kubernetes/manifests' },
      statsLook: { kind: 'there', found: 'the cgroup tree' },
      policy: { throttles: true, protects: true },
      signals: { wanted: ['memory.available'], observed: ['memory.available', 'pid.available'] },
      stateFolder: { path: '/var/lib/nodeqos', state: 'writable' },
      lock: { kind: 'free' },
      user: { uid: 0, capabilities: ['CAP_DAC_OVERRIDE', 'CAP_KILL', 'CAP_SYS_RESOURCE'] },
      node: { version: 'v20.19.2', isSupported: true },
      listen: { isTaken: false, isOpen: false },
    },
  };
}

/** The facts of a sound node with a change. */
export function doctorFacts(change: FactsChange = {}): DoctorFacts {
  const sections = Object.entries(soundFacts()).map(([name, section]) => {
    const all = { ...(section as object), ...change[name as keyof DoctorFacts] };
    return [name, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))];
  });
  return Object.fromEntries(sections) as DoctorFacts;
}

/** All that the report says of one check or one part of what works, in one text. */
export function toldOf(id: string, change: FactsChange = {}): string {
  const { checks, works } = doctorReport(doctorFacts(change));
  const check = checks.find((one) => one.id === id);
  if (check !== undefined) {
    const { state, found, consequence, remedy } = check;
    return consequence === null && remedy === null
      ? `${state}: ${found}`
      : `${state}: ${found} | ${consequence} | ${remedy}`;
  }
  const work = works.find((one) => one.id === id);
  return work === undefined ? `there is no ${id}` : `${work.works}: ${work.because}`;
}
