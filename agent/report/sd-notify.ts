import type { Native, NativeLack } from '../native/native.ts';
import type { ServiceManager } from '../ports.ts';

/** The service manager that the environment names, told through the native part. */
export function serviceManager(
  _env: Readonly<Record<string, string | undefined>>,
  _native: Native | NativeLack,
): ServiceManager {
  throw new Error('not yet');
}
