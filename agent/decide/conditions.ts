import type { NodeCondition, Threshold } from '../../config/signal.ts';
import type { Taint } from '../model/node.ts';

/** The conditions that met thresholds stand for, each once, sorted. */
export function conditionsOf(_met: readonly Threshold[]): readonly NodeCondition[] {
  throw new Error('not yet');
}

/** The taints that the node lifecycle controller puts on a node for these conditions, in their order. */
export function pressureTaints(_conditions: readonly NodeCondition[]): readonly Taint[] {
  throw new Error('not yet');
}
