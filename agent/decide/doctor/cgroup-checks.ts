import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { CgroupFacts, CgroupFile, CgroupLevel, DoctorFacts, Hierarchy } from './facts.ts';
import { isAtLeast, type KernelVersion, kernelVersion } from './kernel-version.ts';

const group = 'cgroup' as const;
const MOUNT: Subject = { id: 'cgroup-mount', group, title: 'cgroup v2' };
const CONTROLLER: Subject = { id: 'memory-controller', group, title: 'Memory controller' };
const HANDED_DOWN: Subject = { id: 'memory-handed-down', group, title: 'Handed down to pods' };
const RECURSIVE: Subject = { id: 'memory-recursiveprot', group, title: 'memory_recursiveprot' };
const DELEGATION: Subject = { id: 'nsdelegate', group, title: 'nsdelegate' };

const UNIFIED_REMEDY = 'boot with systemd.unified_cgroup_hierarchy=1';

/** What cgroup v2 is on this node. */
export function cgroupChecks({ cgroup, kernel }: DoctorFacts): readonly DoctorCheck[] {
  return [
    mountCheck(cgroup),
    controllerCheck(cgroup),
    handedDownCheck(cgroup),
    recursiveCheck(cgroup),
    delegationCheck(cgroup),
    ...FILES.map((file) => fileCheck(file, cgroup, kernelVersion(kernel.release))),
  ];
}

const ON_V1: Readonly<Record<'hybrid' | 'v1', string>> = {
  hybrid: 'a hybrid host: the memory controller is on the old hierarchy, beside a cgroup2 mount without it',
  v1: 'a cgroup v1 host: the memory controller is on the old hierarchy, and no cgroup2 is mounted',
};

function mountCheck(cgroup: CgroupFacts): DoctorCheck {
  const { hierarchy, fault, mountPoint, options, rootRead } = cgroup;
  const consequence =
    'memory.high, memory.min and memory.low are files of cgroup v2: nothing can be planned or written';
  if (isOnV1(hierarchy))
    return amiss(MOUNT, 'missing', ON_V1[hierarchy], { consequence, remedy: UNIFIED_REMEDY });
  if (fault !== undefined && typeof rootRead !== 'string') {
    return amiss(MOUNT, 'not-known', fault, {
      consequence,
      remedy: 'run the doctor as a user who may read it',
    });
  }
  if (fault !== undefined && !isWithoutController(cgroup)) {
    return amiss(MOUNT, 'missing', fault, {
      consequence,
      remedy: `mount cgroup2 at /sys/fs/cgroup (${UNIFIED_REMEDY}), or name the mount with --cgroup-root`,
    });
  }
  return options?.includes('ro') === true
    ? amiss(MOUNT, 'warning', `${mountPoint} is mounted read-only`, {
        consequence: 'no limit can be written and no pod can be ended through it from here',
        remedy:
          'in a container, mount /sys/fs/cgroup of the host writable; on a host, mount -o remount,rw /sys/fs/cgroup',
      })
    : fine(MOUNT, `${mountPoint} is a cgroup2 mount`);
}

/** There is cgroup v2, and all that is wrong with it is its controllers. */
function isWithoutController({ hierarchy, levels }: CgroupFacts): boolean {
  const root = levels.find(({ role }) => role === 'root');
  return hierarchy === 'unified' && root?.controllers?.includes('memory') === false;
}

function isOnV1(hierarchy: Hierarchy | undefined): hierarchy is 'hybrid' | 'v1' {
  return hierarchy === 'hybrid' || hierarchy === 'v1';
}

function controllerCheck({ hierarchy, levels }: CgroupFacts): DoctorCheck {
  const consequence = 'without it no cgroup has a memory file';
  if (isOnV1(hierarchy)) {
    return amiss(CONTROLLER, 'missing', 'on the old hierarchy', { consequence, remedy: UNIFIED_REMEDY });
  }
  const root = levels.find(({ role }) => role === 'root');
  if (root?.controllers === undefined) {
    const state = hierarchy === 'unified' ? 'not-known' : 'missing';
    return amiss(CONTROLLER, state, 'there is no cgroup.controllers that can be read', {
      consequence,
      remedy: 'have a cgroup2 mount that this user may read',
    });
  }
  const all = root.controllers.join(' ');
  return root.controllers.includes('memory')
    ? fine(CONTROLLER, `available; the root has ${all}`)
    : amiss(CONTROLLER, 'missing', `not among those of the root: ${all === '' ? 'it has none' : all}`, {
        consequence,
        remedy: 'boot without cgroup_disable=memory, or with cgroup_enable=memory',
      });
}

function handedDownCheck({ levels, kubepods, hierarchy }: CgroupFacts): DoctorCheck {
  if (isOnV1(hierarchy)) {
    return amiss(HANDED_DOWN, 'missing', 'on the old hierarchy', {
      consequence: 'the cgroups of pods have no memory file of cgroup v2',
      remedy: UNIFIED_REMEDY,
    });
  }
  const cut = levels.find((level) => lacksMemory(level, parentOf(level, levels)));
  if (cut !== undefined) {
    const above = folderOf(cut.cgroup);
    return amiss(HANDED_DOWN, 'missing', `${cut.cgroup} has no memory controller`, {
      consequence: 'the cgroups of pods below it have no memory file: nothing can be written there',
      remedy: `write +memory to cgroup.subtree_control of ${above === '' ? 'the root cgroup' : above}, which the kubelet and systemd do by themselves`,
    });
  }
  const pods = levels.find(({ role }) => role === 'kubepods');
  if (pods?.isThere !== true) {
    return amiss(HANDED_DOWN, 'warning', `there is no cgroup ${kubepods}`, {
      consequence:
        'no pod runs under the cgroup driver and cgroupRoot that are gone by, so there is nothing to write yet',
      remedy: 'start the kubelet, or give --cgroup-driver and the KubeletConfiguration that it runs with',
    });
  }
  const there = levels.filter(({ role, isThere }) => isThere && (role === 'kubepods' || role === 'tier'));
  return there.every(isKnownToHaveMemory)
    ? fine(HANDED_DOWN, there.map(({ cgroup }) => baseName(cgroup)).join(', '))
    : amiss(HANDED_DOWN, 'not-known', `cgroup.controllers below ${kubepods} cannot be read`, {
        consequence: 'where memory is not handed down, cgroups of pods have no memory file',
        remedy: 'run the doctor as a user who may read the cgroup tree',
      });
}

/** A cgroup has the controllers that its parent hands down; either file tells, and a tree from somewhere may have one alone. */
function lacksMemory({ isThere, role, controllers }: CgroupLevel, parent: CgroupLevel | undefined): boolean {
  const known = controllers ?? parent?.handsDown;
  return isThere && role !== 'root' && known?.includes('memory') === false;
}

function parentOf({ cgroup }: CgroupLevel, levels: readonly CgroupLevel[]): CgroupLevel | undefined {
  const above = folderOf(cgroup);
  return levels.find((level) => level.cgroup === above);
}

function folderOf(cgroup: string): string {
  return cgroup.includes('/') ? cgroup.slice(0, cgroup.lastIndexOf('/')) : '';
}

function isKnownToHaveMemory({ controllers }: CgroupLevel): boolean {
  return controllers?.includes('memory') === true;
}

function baseName(cgroup: string): string {
  return cgroup.slice(cgroup.lastIndexOf('/') + 1);
}

function recursiveCheck(cgroup: CgroupFacts): DoctorCheck {
  return optionCheck(RECURSIVE, 'memory_recursiveprot', cgroup, {
    on: 'protection that a cgroup does not claim goes to those inside it',
    consequence:
      'without it memory.min and memory.low protect the cgroup that has them and nothing inside it that has none of its own',
    since: 'kernel 5.7 or newer; systemd does it at boot',
  });
}

function delegationCheck(cgroup: CgroupFacts): DoctorCheck {
  return optionCheck(DELEGATION, 'nsdelegate', cgroup, {
    on: 'a cgroup namespace cannot change the limits of its own root',
    consequence: 'without it a container with a writable cgroup mount can change its own limits',
    since: 'systemd does it at boot',
  });
}

interface OptionWords {
  /** What it is good for. */
  readonly on: string;
  readonly consequence: string;
  readonly since: string;
}

function optionCheck(
  subject: Subject,
  option: string,
  { options, hierarchy }: CgroupFacts,
  { on, consequence, since }: OptionWords,
): DoctorCheck {
  if (options === undefined) {
    return isOnV1(hierarchy)
      ? amiss(subject, 'missing', 'no cgroup2 mount is in use', { consequence, remedy: UNIFIED_REMEDY })
      : amiss(subject, 'not-known', 'the options of the mount are not known', {
          consequence,
          remedy: 'look at the line of cgroup2 in /proc/mounts on the node',
        });
  }
  return options.includes(option)
    ? fine(subject, `on: ${on}`)
    : amiss(subject, 'warning', 'off', {
        consequence,
        remedy: `mount -o remount,${option} /sys/fs/cgroup (${since})`,
      });
}

interface FileSubject {
  readonly file: CgroupFile;
  /** The kernel that brought it. */
  readonly since: KernelVersion;
  readonly consequence: string;
}

const FILES: readonly FileSubject[] = [
  {
    file: 'cgroup.kill',
    since: [5, 14],
    consequence: 'a pod is ended by signalling each of its processes, and a fork can get away from that',
  },
  {
    file: 'cgroup.freeze',
    since: [5, 2],
    consequence: 'processes are signalled while they run and fork',
  },
  {
    file: 'memory.reclaim',
    since: [5, 19],
    consequence: 'nobody can take page cache back from a pod without lowering its limits',
  },
  {
    file: 'memory.peak',
    since: [5, 19],
    consequence: 'the most that a pod ever used is not known',
  },
];

/** A file that a user may only write is in no capture: there the kernel's version tells. */
function fileCheck(
  { file, since, consequence }: FileSubject,
  { files }: CgroupFacts,
  version: KernelVersion | undefined,
): DoctorCheck {
  const subject: Subject = { id: file.replace('.', '-'), group, title: file };
  const sinceText = since.join('.');
  if (files[file] === true) return fine(subject, 'there');
  if (files[file] === false) {
    return amiss(subject, 'missing', 'not there', {
      consequence,
      remedy: `use kernel ${sinceText} or newer`,
    });
  }
  if (version === undefined) {
    return amiss(subject, 'not-known', 'no cgroup tells', {
      consequence,
      remedy: `look at ${file} of any cgroup on the node; kernel ${sinceText} or newer has it`,
    });
  }
  return isAtLeast(version, since)
    ? fine(subject, `this kernel has it (from ${sinceText})`)
    : amiss(subject, 'missing', `this kernel does not have it (from ${sinceText})`, {
        consequence,
        remedy: `use kernel ${sinceText} or newer`,
      });
}
