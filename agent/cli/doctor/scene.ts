import type { CgroupLayout } from '../../../cgroup/paths.ts';
import type { OwnUser } from '../../observe/doctor/own-user.ts';
import type { ProcessList } from '../../observe/doctor/processes.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { LenientConfiguration } from './configurations.ts';

/** What the parts of the doctor share of a node. */
export interface DoctorScene {
  readonly root: NodeRoot;
  readonly configuration: LenientConfiguration;
  readonly layout: CgroupLayout;
  /** Of this machine; undefined on a root that is not it. */
  readonly processes: ProcessList | undefined;
  readonly user: OwnUser | undefined;
  /** Whether this user may write what its owner alone may (CAP_DAC_OVERRIDE). */
  readonly overrides: boolean;
}
