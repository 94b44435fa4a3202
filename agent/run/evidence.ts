import type { EvictionDecision, EvictionEvidence, EvictionOrder } from '../model/eviction.ts';
import type { Clock, SignalLook } from '../ports.ts';

/** What was seen at the look that a decision was made at. */
interface Look {
  readonly signals: Pick<SignalLook, 'psi' | 'memAvailableBytes'>;
}

/**
 * The decision with what else was seen of the node in each of its evictions: whoever reads later why a pod had to go finds
 * the kernel's number and the pressure beside the one that the threshold goes by.
 */
export function withEvidence(decision: EvictionDecision, look: Look, clock: Clock): EvictionDecision {
  const evictions = decision.evictions.map((order) => ({
    ...order,
    evidence: evidenceOf(order, decision, look, clock),
  }));
  return { ...decision, evictions };
}

function evidenceOf(
  { cause }: EvictionOrder,
  { thresholds }: EvictionDecision,
  { signals: { psi, memAvailableBytes } }: Look,
  clock: Clock,
): EvictionEvidence {
  const status =
    cause.kind === 'threshold'
      ? thresholds.find(({ threshold }) => threshold.id === cause.threshold.id)
      : undefined;
  return {
    ...(memAvailableBytes === undefined ? {} : { memAvailableBytes }),
    ...(psi === undefined ? {} : { psi }),
    ...(status?.metSinceMs === undefined
      ? {}
      : { metSinceMs: Math.round(clock.wallMs() - (clock.nowMs() - status.metSinceMs)) }),
  };
}
