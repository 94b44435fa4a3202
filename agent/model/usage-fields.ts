import type { PodUsage } from './pod.ts';

/** The fields of a pod's usage that are one number each. */
export const USAGE_NUMBERS = [
  'memoryWorkingSetBytes',
  'activeFileBytes',
  'processCount',
  'ephemeralStorageBytes',
  'inodes',
  'rootfsBytes',
  'logsBytes',
  'localVolumesBytes',
  'rootfsInodes',
  'logsInodes',
  'localVolumesInodes',
] as const satisfies readonly (keyof PodUsage)[];
