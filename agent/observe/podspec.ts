import type { PlainValue } from '../../config/plain-value.ts';
import type { Pod } from '../model/pod.ts';

/** A pod, or what is wrong with it and where below the pod: assignable to Parsed<Pod>. */
export type PodReading =
  | { readonly ok: true; readonly value: Pod }
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly message: string };

export function readPod(_value: PlainValue): PodReading {
  throw new Error('not built yet');
}
