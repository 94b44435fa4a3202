import type { ControlFiles } from '../../cgroup/control-port.ts';
import type { CgroupLayout } from '../../cgroup/paths.ts';
import type { Clock, Evictor } from '../ports.ts';
import type { Processes } from './processes.ts';

/** What the cgroup evictor works with. */
export interface CgroupEvictorParts {
  readonly control: ControlFiles;
  readonly layout: CgroupLayout;
  /** undefined: no process of this machine is meant by the tree's PIDs (a fake tree), so none is signalled. */
  readonly processes: Processes | undefined;
  readonly clock: Clock;
}

/** Makes pods go through the files of their cgroups. */
export function createCgroupEvictor(_parts: CgroupEvictorParts): Evictor {
  throw new Error('not yet');
}
