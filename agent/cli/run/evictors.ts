import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { createApiEvictor } from '../../act/evict/evict-api.ts';
import { createCgroupEvictor } from '../../act/evict/evict-cgroup.ts';
import { createCriEvictor } from '../../act/evict/evict-cri.ts';
import { dryEvictor } from '../../act/evict/evict-dry.ts';
import type { Processes } from '../../act/evict/processes.ts';
import type { ChosenEvictor } from '../../decide/evictor-choice.ts';
import { Failure } from '../../exit.ts';
import { liveKubelet } from '../../observe/kubelet-process.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { Clock, Evictor } from '../../ports.ts';
import type { Peers } from '../inputs/peers.ts';
import type { NodeHold } from './node-hold.ts';

/** How long a single tick on a fake node waits for whoever plays the kernel there. */
const QUICK_DYING_MS = 2000;

const MOUNT_NOT_OPEN = 'the cgroup mount cannot be opened';

/** What evictors are made of. */
export interface EvictorParts {
  readonly root: NodeRoot;
  readonly clock: Clock;
  /** undefined: a fake tree, whose PIDs mean nobody here. */
  readonly processes: Processes | undefined;
  readonly peers: Peers;
  readonly hold: NodeHold;
  readonly budgetRefused: NodeQosSettings['eviction']['budgetRefused'];
  /** Whether somebody waits for the end of a single tick. */
  readonly isOnce: boolean;
}

/** The evictor of that name. Whom it asks is looked up, and connected to, when it is first wanted. */
export function evictorNamed(name: ChosenEvictor['name'], parts: EvictorParts): Evictor {
  switch (name) {
    case 'dry':
      return dryEvictor;
    case 'cgroup':
      return cgroupEvictor(parts);
    case 'cri':
      return lazyEvictor('cri', () => Promise.resolve(criEvictor(parts)));
    case 'api':
      return lazyEvictor('api', async () => await apiEvictor(parts));
  }
}

/** Evicts through the mount as it is held when the time comes: it may have become available after the start. */
function cgroupEvictor({ isOnce, processes, clock, hold }: EvictorParts): Evictor {
  // On a fake node whose kernel nobody plays, a single tick should not take half a minute.
  const isQuick = isOnce && processes === undefined;
  const patience = isQuick ? { longestDyingMs: QUICK_DYING_MS } : {};
  return {
    name: 'cgroup',
    evict: async (target, signal) => {
      const { control } = hold;
      return control === undefined
        ? { kind: 'refused', why: MOUNT_NOT_OPEN }
        : await createCgroupEvictor({ control, processes, clock, ...patience }).evict(target, signal);
    },
  };
}

function criEvictor({ peers, clock, root, hold: { control } }: EvictorParts): Evictor | string {
  const socket = peers.runtimeSocket;
  if (socket === undefined) return 'no socket of a container runtime is known; name one in runtime.endpoint';
  if (control === undefined) return MOUNT_NOT_OPEN;
  // A kubelet removes what its pods leave behind; without one nobody else does.
  const removes = liveKubelet(root) === undefined;
  return createCriEvictor({ client: peers.runtime(socket), control, ownPid: process.pid, clock, removes });
}

async function apiEvictor({ peers, clock, budgetRefused }: EvictorParts): Promise<Evictor | string> {
  try {
    const client = await peers.api();
    return createApiEvictor({ client, clock, budgetRefused });
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

function lazyEvictor(name: 'cri' | 'api', make: () => Promise<Evictor | string>): Evictor {
  return {
    name,
    evict: async (target, signal) => {
      const made = await make();
      return typeof made === 'string' ? { kind: 'refused', why: made } : await made.evict(target, signal);
    },
  };
}
