import type { Amount, Signal } from '../../config/signal.ts';
import { humanBytes } from './human.ts';
import { starvedResource } from './usage.ts';

/** What a signal measures, for a person: bytes in binary units, inodes and process IDs as they are. */
export function amountText(signal: Signal, amount: bigint): string {
  return isInBytes(signal) ? humanBytes(amount) : String(amount);
}

/** A threshold's value for a person; the kubelet's share is a 32-bit number: 10% is 0.10000000149, and 10% was written. */
export function valueText(signal: Signal, value: Amount): string {
  return 'quantity' in value
    ? amountText(signal, value.quantity)
    : `${Number((value.percentage * 100).toPrecision(6))}%`;
}

/** Whether a signal counts bytes, as opposed to inodes or process IDs. */
export function isInBytes(signal: Signal): boolean {
  const resource = starvedResource(signal);
  return resource === 'memory' || resource === 'disk';
}
