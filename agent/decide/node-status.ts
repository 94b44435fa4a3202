import type { Amount, NodeCondition, Signal, Threshold } from '../../config/signal.ts';
import type { AgentMemory, AgentView, RememberedThreshold } from '../model/agent-view.ts';
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
  /** null: none runs here. Absent: not known. */
  readonly agent?: AgentView | null;
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

/**
 * A status with what the running agent remembers: conditions as it holds them, with their transition period, and since when
 * thresholds have been met. A threshold that only one of the two sees met is left as this look has it.
 */
export function withAgentMemory(status: NodeStatus, memory: AgentMemory): NodeStatus {
  return {
    ...status,
    thresholds: status.thresholds.map((entry) => remembered(entry, memory.thresholds)),
    conditions: memory.conditions,
    taints: pressureTaints(memory.conditions),
    agent: memory.view,
  };
}

function remembered(entry: ThresholdEntry, memory: readonly RememberedThreshold[]): ThresholdEntry {
  const { signal, type, value, met } = entry;
  const own = memory.find(
    (other) => other.signal === signal && other.type === type && isSameValue(value, other.value),
  );
  return !met || own === undefined || own.metSinceMs === null
    ? entry
    : { signal, type, value, met, metSinceMs: own.metSinceMs, inGrace: own.inGrace };
}

function isSameValue(value: Amount, other: RememberedThreshold['value']): boolean {
  return 'quantity' in value
    ? 'quantity' in other && Number(value.quantity) === other.quantity
    : 'percentage' in other && value.percentage === other.percentage;
}
