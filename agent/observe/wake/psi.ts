import type { Native, NativeLack } from '../../native/native.ts';
import type { WakeSource } from '../../ports.ts';

/** Wakes when memory pressure builds up, by a PSI trigger on `path`. */
export function pressureWake(_native: Native | NativeLack, _path: string): WakeSource {
  throw new Error('not yet');
}
