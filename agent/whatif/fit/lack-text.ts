import { formatQuantity, quantityOf } from '../../../config/numbers/quantity.ts';
import type { Lack } from './node-room.ts';

/** What a node lacks, for people: `cpu: 300m wanted, 100m free`. */
export function lackText(lack: Lack): string {
  switch (lack.kind) {
    case 'resource':
      return `${lack.resource}: ${amountText(lack.resource, lack.wanted)} wanted, ${amountText(lack.resource, lack.free)} free`;
    case 'pods':
      return `no place for another pod: it takes ${lack.allowed}`;
    case 'port':
      return `host port ${lack.port.port}/${lack.port.protocol} is taken`;
  }
}

/** An amount as plans count it, as a quantity: thousandths of cpu, else whole units. */
export function amountText(resource: string, amount: bigint): string {
  if (resource === 'cpu') return formatQuantity({ unscaled: amount, exponent: -3, format: 'DecimalSI' });
  return formatQuantity(quantityOf(amount, isInBytes(resource) ? 'BinarySI' : 'DecimalSI'));
}

function isInBytes(resource: string): boolean {
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-');
}
