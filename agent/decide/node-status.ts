import type { Amount, NodeCondition, Signal, Threshold } from '../../config/signal.ts';
import type { Pressure, Readings, Taint } from '../model/node.ts';
import { conditionsOf, pressureTaints } from './conditions.ts';
import { byText } from './ordered-by.ts';
import { isMet, thresholdsMet } from './thresholds.ts';

/** One observed signal. Bytes, or a count. */
export interface SignalEntry {
  readonly signal: Signal;
  readonly available: bigint;
  readonly capacity: bigint;
  readonly source: string;
}

/** One threshold at this look. */
export interface ThresholdEntry {
  readonly signal: Signal;
  readonly type: 'hard' | 'soft';
  readonly value: Amount;
  readonly met: boolean;
  /** null: not met. Absent while it is met and nobody who watches has told since when. */
  readonly metSinceMs?: number | null;
  /** Met, and waiting for the end of its grace. */
  readonly inGrace: boolean;
}

/** NodeStatus without its envelope, in the field order of the contract. */
export interface NodeStatus {
  readonly signals: readonly SignalEntry[];
  readonly thresholds: readonly ThresholdEntry[];
  readonly conditions: readonly NodeCondition[];
  readonly taints: readonly Taint[];
  /** null: the kernel has none. Absent: not looked. */
  readonly psi?: Pressure | null;
  readonly memAvailableBytes?: bigint;
  readonly agent: null;
}

/** What was seen of a node besides the signals. */
export interface NodeLook {
  readonly psi?: Pressure | null;
  readonly memAvailableBytes?: bigint;
}

/**
 * What one look says of a node: signals by name, thresholds as the configuration sorts them, the conditions of those that are
 * met (soft ones at once, as in the kubelet), and the taints that the control plane puts on for them.
 */
export function nodeStatus(readings: Readings, thresholds: readonly Threshold[], look: NodeLook): NodeStatus {
  const conditions = conditionsOf(thresholdsMet(thresholds, readings));
  return {
    signals: [...readings]
      .map(([signal, { available, capacity, source }]) => ({ signal, available, capacity, source }))
      .toSorted(byText((entry) => entry.signal)),
    thresholds: thresholds.map((threshold) => thresholdEntry(threshold, readings)),
    conditions,
    taints: pressureTaints(conditions),
    ...look,
    agent: null,
  };
}

function thresholdEntry(threshold: Threshold, readings: Readings): ThresholdEntry {
  const { signal, type, value } = threshold;
  const reading = readings.get(signal);
  return reading !== undefined && isMet(threshold, reading)
    ? { signal, type, value, met: true, inGrace: type === 'soft' }
    : { signal, type, value, met: false, metSinceMs: null, inGrace: false };
}
