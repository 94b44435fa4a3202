import { type Quantity, quantityToInteger } from '../config/numbers/quantity.ts';
import type { CgroupLayout } from './paths.ts';
import type { ReservedCgroup } from './qos-pod.ts';

/** What the kubelet's configuration says of its reservations. */
export interface ReservationSettings {
  readonly enforceNodeAllocatable: readonly string[];
  readonly kubeReserved: ReadonlyMap<string, Quantity>;
  readonly systemReserved: ReadonlyMap<string, Quantity>;
  readonly kubeReservedCgroup?: string;
  readonly systemReservedCgroup?: string;
}

/**
 * The cgroups whose memory.min is their memory reservation: those that enforceNodeAllocatable names, with memory in the
 * reservation, whatever the reservation policy is. The `-compressible` keys touch cpu alone (kubelet:
 * enforceExistingCgroup).
 */
export function reservedCgroups(
  settings: ReservationSettings,
  layout: CgroupLayout,
): readonly ReservedCgroup[] {
  const candidates = [
    { name: 'kube-reserved', cgroup: settings.kubeReservedCgroup, reserved: settings.kubeReserved },
    { name: 'system-reserved', cgroup: settings.systemReservedCgroup, reserved: settings.systemReserved },
  ] as const;
  return candidates.flatMap(({ name, cgroup, reserved }) => {
    const memory = reserved.get('memory');
    const folder = cgroup === undefined ? undefined : layout.reservedCgroup(cgroup);
    if (!settings.enforceNodeAllocatable.includes(name) || memory === undefined || folder === undefined) {
      return [];
    }
    return [{ name, cgroup: folder, bytes: quantityToInteger(memory) }];
  });
}
