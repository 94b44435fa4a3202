import { isNative, type Native, type NativeLack } from '../../native/native.ts';
import type { WakeSource } from '../../ports.ts';

/**
 * 150 ms of stall within a second, as the kernel's own documentation has it in its example: sooner than any average shows.
 * Without CAP_SYS_RESOURCE the window has to be a multiple of 2 s (kernel: psi_trigger_create, since 6.5).
 */
export const PRESSURE_TRIGGERS = [
  { trigger: 'some 150000 1000000', windowSeconds: 1 },
  { trigger: 'some 150000 2000000', windowSeconds: 2 },
] as const;

/** Wakes when tasks stall on memory, by a PSI trigger on `path`, /proc/pressure/memory of the machine that nodeqos runs on. */
export function pressureWake(native: Native | NativeLack, path: string): WakeSource {
  return {
    name: 'psi',
    start: (wake, signal) => (isNative(native) ? arm(native, path, wake, signal) : native.lack),
  };
}

function arm(native: Native, path: string, wake: () => void, signal: AbortSignal): string | undefined {
  let code = '';
  for (const { trigger } of PRESSURE_TRIGGERS) {
    const armed = native.armPressureTrigger(path, trigger, wake);
    if (armed.ok) {
      signal.addEventListener(
        'abort',
        () => {
          armed.value.disarm();
        },
        { once: true },
      );
      return undefined;
    }
    ({ code } = armed);
    if (code !== 'EINVAL') {
      break;
    }
  }
  return `memory pressure wakes nobody between two ticks: ${whyNot(path, code)}`;
}

function whyNot(path: string, code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'EOPNOTSUPP':
      return `${path} is not there or off, so this kernel has no PSI (boot with psi=1)`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `${path} may not be written to (${code})`;
    default:
      return `the kernel refused a trigger on ${path} (${code})`;
  }
}
