import { type Parsed, parsed, refused } from '../../../config/result.ts';
import type { DeviceName, DeviceTaint, DeviceTaintEffect, DeviceTaintRule } from '../../model/device.ts';
import type { Toleration } from '../../model/pod.ts';
import { tolerates } from '../tolerate.ts';

/**
 * The effect of a device's taint. PreferNoSchedule is refused, as the API does; one that nobody knows does nothing, as it
 * does in the scheduler (KEP-5055).
 */
export function deviceTaintEffect(text: string): Parsed<DeviceTaintEffect> {
  switch (text) {
    case '':
    case 'PreferNoSchedule':
      return refused(
        `${text === '' ? 'no effect' : text} is not for devices; there are None, NoSchedule and NoExecute`,
      );
    case 'NoSchedule':
    case 'NoExecute':
      return parsed(text);
    default:
      return parsed('None');
  }
}

/**
 * All taints of a device: its own, then those of the rules that select it, in their order. They add up, also those of one
 * key and effect.
 */
export function taintsOfDevice(
  device: DeviceName & { readonly taints: readonly DeviceTaint[] },
  rules: readonly DeviceTaintRule[],
): readonly DeviceTaint[] {
  return [...device.taints, ...rules.filter((rule) => selects(rule, device)).map(({ taint }) => taint)];
}

/** Whether a rule is about a device: one without a selector is about none, one with an empty selector about all. */
export function selects({ selector }: DeviceTaintRule, name: DeviceName): boolean {
  if (selector === undefined) return false;
  return (['driver', 'pool', 'device'] as const).every(
    (part) => selector[part] === undefined || selector[part] === name[part],
  );
}

/**
 * Whether a toleration of a claim's request matches a device's taint: as for nodes, without comparisons of numbers. Its
 * seconds do not matter here, and are ignored with another effect than NoExecute (KEP-5055).
 */
export function toleratesDevice(toleration: Toleration, taint: DeviceTaint): boolean {
  const { key, operator, value, effect } = toleration;
  return operator !== 'Gt' && operator !== 'Lt' && tolerates({ key, operator, value, effect }, taint);
}

/**
 * The first taint that keeps a device from being allocated, and a claim that holds it from being reserved for another pod;
 * undefined where there is none.
 */
export function untoleratedOfDevice(
  taints: readonly DeviceTaint[],
  tolerations: readonly Toleration[],
): DeviceTaint | undefined {
  return taints.find(
    (taint) => taint.effect !== 'None' && !tolerations.some((one) => toleratesDevice(one, taint)),
  );
}
