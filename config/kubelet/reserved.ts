import type { Fault } from '../fault.ts';
import { parseQuantity, type Quantity } from '../numbers/quantity.ts';
import { asRecord, type PlainRecord } from '../text/plain-value.ts';

const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

export interface ReservedReading {
  readonly amounts: ReadonlyMap<string, Quantity>;
  readonly errors: readonly Fault[];
}

/** Reads kubeReserved or systemReserved: four resources, exact amounts that are not negative (kubelet: parseResourceList). */
export function readReserved(
  configuration: PlainRecord,
  field: 'kubeReserved' | 'systemReserved',
): ReservedReading {
  const amounts = new Map<string, Quantity>();
  const errors: Fault[] = [];
  for (const [resource, value] of Object.entries(asRecord(configuration[field]) ?? {})) {
    const path = [field, resource];
    if (!RESERVABLE.includes(resource)) {
      const message = `cannot reserve ${JSON.stringify(resource)}; what can be reserved is ${RESERVABLE.join(', ')}`;
      errors.push({ path, message });
    } else if (typeof value === 'string' || value === null) {
      const quantity = parseQuantity(value ?? '');
      if (!quantity.ok) {
        errors.push({ path, message: quantity.message });
      } else if (quantity.value.unscaled < 0n) {
        errors.push({ path, message: `${value ?? ''} is negative; reserve 0 or more` });
      } else {
        amounts.set(resource, quantity.value);
      }
    }
  }
  return { amounts, errors };
}
