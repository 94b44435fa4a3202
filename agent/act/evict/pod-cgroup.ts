import type { ControlFiles, HeldCgroup } from '../../../cgroup/control-port.ts';
import { parseCgroupEvents, parseProcs } from '../../../cgroup/parse.ts';
import { parsePodCgroup } from '../../../cgroup/paths.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodPlace } from '../../ports.ts';

/** A container may have a tree of its own inside (an init system does); deeper than this is nobody's. */
const DEEPEST_CONTAINER_TREE = 8;

/** A pod's cgroup with those of its containers, all held. */
export interface PodCgroup {
  readonly whole: HeldCgroup;
  /** Those who are asked to end: the containers; all cgroups of the pod where none of its containers is known by ID. */
  readonly containers: readonly HeldCgroup[];
  release(): void;
}

export type PodCgroupHeld =
  | { readonly kind: 'held'; readonly podCgroup: PodCgroup }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly why: string };

/** Whether a cgroup is named after the pod. Under systemd the name has underscores where the UID has dashes. */
export function isCgroupOf(cgroup: string, { cgroupUid }: Pod): boolean {
  const named = parsePodCgroup(cgroup)?.cgroupUid;
  return (
    named !== undefined &&
    cgroupUid !== undefined &&
    named.replaceAll('_', '-') === cgroupUid.replaceAll('_', '-')
  );
}

/** Holds the cgroup with that inode and the cgroups of the pod's containers in it. */
export function holdPodCgroup(control: ControlFiles, pod: Pod, place: PodPlace): PodCgroupHeld {
  const opened = control.hold(place.cgroup, place.inode);
  if (opened.kind !== 'held') {
    const isGone = opened.kind === 'vanished' && !opened.remade;
    return isGone ? { kind: 'gone' } : { kind: 'refused', why: opened.error };
  }
  const whole = opened.held;
  const children = whole.children();
  if (children.kind !== 'read') {
    whole.release();
    return children.kind === 'vanished' ? { kind: 'gone' } : { kind: 'refused', why: children.error };
  }
  const containers = containerNames(children.names, pod).flatMap((name) => {
    const child = whole.child(name);
    return child.kind === 'held' ? [child.held] : [];
  });
  const release = (): void => {
    for (const held of [...containers, whole]) {
      held.release();
    }
  };
  return { kind: 'held', podCgroup: { whole, containers, release } };
}

/**
 * The cgroups of the pod's containers among those in its cgroup: their names end in the container's ID (containerd, CRI-O,
 * cri-dockerd, under both drivers). The sandbox has an ID of its own, which nobody tells; CRI-O's conmon watches over a
 * container from a cgroup that has the container's ID too, and is not the container.
 */
function containerNames(names: readonly string[], pod: Pod): readonly string[] {
  const ids = pod.containers.flatMap(({ containerId }) => (containerId?.id ? [containerId.id] : []));
  const known = names.filter((name) => {
    const bare = name.replace(/\.scope$/, '');
    return (
      !bare.includes('conmon') &&
      ids.some((id) => bare === id || bare.endsWith(`-${id}`) || bare.endsWith(`:${id}`))
    );
  });
  return known.length > 0 ? known : names;
}

/** Whether nothing runs in a cgroup any more: it is removed, or it says so itself. What cannot be read is taken to run. */
export function isEmpty(cgroup: HeldCgroup): boolean {
  const events = cgroup.read('cgroup.events');
  return (
    events.kind === 'vanished' ||
    (events.kind === 'read' && parseCgroupEvents(events.text).populated === false)
  );
}

/** The PIDs in a cgroup and below it, in ascending order; those of other PID namespaces are not seen. */
export function processesIn(cgroup: HeldCgroup, depth = 0): readonly number[] {
  const procs = cgroup.read('cgroup.procs');
  const pids = new Set(procs.kind === 'read' ? parseProcs(procs.text) : []);
  const children = depth < DEEPEST_CONTAINER_TREE ? cgroup.children() : undefined;
  for (const name of children?.kind === 'read' ? children.names : []) {
    const child = cgroup.child(name);
    if (child.kind === 'held') {
      for (const pid of processesIn(child.held, depth + 1)) {
        pids.add(pid);
      }
      child.held.release();
    }
  }
  return [...pids].sort((a, b) => a - b);
}
