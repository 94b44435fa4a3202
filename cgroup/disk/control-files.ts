import type { ControlFiles } from '../control-port.ts';
import type { Mount } from './mount.ts';

/** The control files of an open mount. */
export function controlFiles(_mount: Mount): ControlFiles {
  throw new Error('not yet');
}
