import type { Quantity } from '../../config/quantity.ts';
import type { Container, Pod } from '../model/pod.ts';

/** Whose answers are wanted: nodeqos' own, or the kubelet's with its known faults. */
export type Compatibility = 'nodeqos' | 'kubelet';

export function podRequest(_pod: Pod, _resource: string): Quantity {
  throw new Error('not built yet');
}
export function podMemoryLimitBytes(_pod: Pod): bigint | null {
  throw new Error('not built yet');
}
export function rankingRequest(_pod: Pod, _resource: string, _compatibility: Compatibility): Quantity {
  throw new Error('not built yet');
}
export function memoryRequestBytes(_container: Container): bigint {
  throw new Error('not built yet');
}
export function memoryLimitBytes(_container: Container): bigint | null {
  throw new Error('not built yet');
}
