import { asTheKernelKeeps, floorToPage, type Limit } from './memory-files.ts';

/**
 * memory.high in bytes for a request and a limit (or what stands in for one): request + factor x (limit - request) in
 * float64, floored, then floored to a page. Undefined unless it is above the request and not 0 (KEP-2570; kubelet:
 * kuberuntime memory QoS). The binary arithmetic is the kubelet's own and can be a page below the exact result.
 */
export function memoryHighBytes(
  requestBytes: bigint,
  limitBytes: bigint,
  factor: number,
  pageSizeBytes: number,
): bigint | undefined {
  const high = throttlingBytes(requestBytes, limitBytes, factor, pageSizeBytes);
  return high > requestBytes && high > 0n ? high : undefined;
}

function throttlingBytes(
  requestBytes: bigint,
  limitBytes: bigint,
  factor: number,
  pageSizeBytes: number,
): bigint {
  const request = Number(requestBytes);
  const high = Math.floor(request + (Number(limitBytes) - request) * factor);
  return floorToPage(BigInt(high), pageSizeBytes);
}

/** A limit and the words that say so. */
export interface Reasoned {
  readonly limit: Limit;
  readonly reason: string;
}

export interface ThrottlingRule {
  readonly factor: number;
  readonly pageSizeBytes: number;
}

/** The formula of memory.high as a limit, with its numbers as the reason; `basis` names what stands in for a limit. */
export function throttlingLimit(
  requestBytes: bigint,
  limitBytes: bigint,
  rule: ThrottlingRule,
  basis: string,
): Reasoned {
  const { factor, pageSizeBytes } = rule;
  const value = throttlingBytes(requestBytes, limitBytes, factor, pageSizeBytes);
  const formula = `floor_page(${requestBytes} + ${factor} x (${limitBytes} - ${requestBytes})) = ${value}${basis}`;
  const high = memoryHighBytes(requestBytes, limitBytes, factor, pageSizeBytes);
  if (high === undefined) {
    const why = value > 0n ? `not above the request ${requestBytes}` : 'nothing to run in';
    return { limit: 'max', reason: `${formula}, ${why}: max` };
  }
  return { limit: asTheKernelKeeps(high, pageSizeBytes), reason: formula };
}
