import type { Container, Pod } from '../model/pod.ts';

export function oomScoreAdj(_pod: Pod, _container: Container, _capacityBytes: bigint): number {
  throw new Error('not built yet');
}
