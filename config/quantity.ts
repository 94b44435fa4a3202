import type { Parsed } from './result.ts';

export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** An exact amount: `unscaled` x 10^`exponent`. 0.1Gi is 1073741824 x 10^-1. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

export const ZERO: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI' };

export function parseQuantity(text: string): Parsed<Quantity> {
  throw new Error(`not there yet: ${text}`);
}
export function quantityOf(integer: bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: integer, exponent: 0, format };
}
export function formatQuantity(quantity: Quantity): string {
  throw new Error(`not there yet: ${quantity.format}`);
}
export function quantityToInteger(quantity: Quantity): bigint {
  throw new Error(`not there yet: ${quantity.format}`);
}
export function quantityToMilli(quantity: Quantity): bigint {
  throw new Error(`not there yet: ${quantity.format}`);
}
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  throw new Error(`not there yet: ${a.format} ${b.format}`);
}
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  throw new Error(`not there yet: ${a.format} ${b.format}`);
}
export function maxQuantity(a: Quantity, b: Quantity): Quantity {
  return compareQuantities(a, b) < 0 ? b : a;
}
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  throw new Error(`not there yet: ${a.format} ${b.format}`);
}
export function isPositive(quantity: Quantity): boolean {
  return quantity.unscaled > 0n;
}
