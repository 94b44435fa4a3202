import type { Taint } from '../../model/node.ts';

/** A taint as kubectl writes it: key=value:Effect, or key:Effect without a value. */
export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

/** Whether two taints are one: a node has a key at most once with an effect, whatever the value. */
export function isSameTaint(a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean {
  return a.key === b.key && a.effect === b.effect;
}
