import { conditionOf, type NodeCondition, type Threshold } from '../../config/signal.ts';
import type { Taint } from '../model/node.ts';

/**
 * The conditions that met thresholds stand for, each once, sorted. A soft threshold counts at once, before its grace is
 * over (kubelet eviction manager).
 */
export function conditionsOf(met: readonly Threshold[]): readonly NodeCondition[] {
  return [...new Set(met.map((threshold) => conditionOf(threshold.signal)))].toSorted();
}

/** The taints that the node lifecycle controller puts on a node for these conditions, in their order. */
export function pressureTaints(conditions: readonly NodeCondition[]): readonly Taint[] {
  return conditions.map((condition) => ({ key: taintKey(condition), value: '', effect: 'NoSchedule' }));
}

function taintKey(condition: NodeCondition): string {
  switch (condition) {
    case 'MemoryPressure':
      return 'node.kubernetes.io/memory-pressure';
    case 'DiskPressure':
      return 'node.kubernetes.io/disk-pressure';
    case 'PIDPressure':
      return 'node.kubernetes.io/pid-pressure';
  }
}
