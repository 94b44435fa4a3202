import { labelValueFault, qualifiedNameFault } from './label-syntax.ts';

/** A taint of a node, its parts as they are written. */
export interface Taint {
  readonly key: string;
  /** '' where it has none. */
  readonly value: string;
  readonly effect: string;
}

/** The effects a node's taint can have, as they are written: case counts. */
export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** What is wrong with a taint of a Node, and with which of its fields. */
interface TaintFault {
  readonly field: keyof Taint;
  /** A sentence without its end, which names the value and a remedy. */
  readonly message: string;
}

/** Why the API would not take a taint into a Node (validation of NodeSpec.taints), or undefined where it would. */
export function taintFault({ key, value, effect }: Taint): TaintFault | undefined {
  const ofKey = qualifiedNameFault(key);
  if (ofKey !== undefined) return { field: 'key', message: `${shown(key)} is no key of a taint: ${ofKey}` };
  const ofValue = labelValueFault(value);
  if (ofValue !== undefined) {
    return { field: 'value', message: `${shown(value)} is no value of a taint: ${ofValue}` };
  }
  if (TAINT_EFFECTS.includes(effect)) return undefined;
  const what = effect === '' ? 'a taint needs an effect' : `${shown(effect)} is no effect of a taint`;
  return { field: 'effect', message: `${what}; give ${TAINT_EFFECTS.join(', ')}, written like that` };
}

function shown(text: string): string {
  return JSON.stringify(text);
}
