import type { Evictor } from '../../ports.ts';

/** The evictor that does nothing, and says so. */
export const dryEvictor: Evictor = {
  name: 'dry',
  evict: () => Promise.resolve({ kind: 'dry-run' }),
};
