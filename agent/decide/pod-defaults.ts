import type { Pod } from '../model/pod.ts';

/** STUB */
export function withDefaults(pod: Pod): Pod {
  return pod;
}
