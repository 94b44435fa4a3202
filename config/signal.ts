/** The kubelet's nine eviction signals. The vocabulary is closed; a switch over it is checked for exhaustiveness. */
export const SIGNALS = [
  'allocatableMemory.available',
  'containerfs.available',
  'containerfs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'pid.available',
] as const;

export type Signal = (typeof SIGNALS)[number];

/** Whether a text names one of the nine signals. */
export function isSignal(text: string): text is Signal {
  return (SIGNALS as readonly string[]).includes(text);
}

export type NodeCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** The node condition that a signal below its threshold stands for (kubelet: signalToNodeCondition). */
export function conditionOf(signal: Signal): NodeCondition {
  switch (signal) {
    case 'memory.available':
    case 'allocatableMemory.available':
      return 'MemoryPressure';
    case 'pid.available':
      return 'PIDPressure';
    case 'containerfs.available':
    case 'containerfs.inodesFree':
    case 'imagefs.available':
    case 'imagefs.inodesFree':
    case 'nodefs.available':
    case 'nodefs.inodesFree':
      return 'DiskPressure';
  }
}

/**
 * An amount in an eviction setting: bytes or a count, or a share of the capacity. `percentage` is the kubelet's float32
 * (parse as 32-bit float, divide by 100 in 32 bits) widened to a double: 10% is 0.10000000149011612.
 */
export type Amount = { readonly quantity: bigint } | { readonly percentage: number };

/** One eviction threshold: met while available < value, strictly. */
export interface Threshold {
  /** Stable across reloads: signal, type and value as text; state is carried under it. */
  readonly id: string;
  readonly signal: Signal;
  readonly type: 'hard' | 'soft';
  readonly value: Amount;
  /** 0 for hard. */
  readonly gracePeriodMs: number;
  readonly minReclaim: Amount | null;
  /** True for the copy of a hard memory.available threshold on allocatableMemory.available. */
  readonly derived: boolean;
}
