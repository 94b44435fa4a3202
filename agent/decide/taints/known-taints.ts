import { formatDuration } from '../../../config/numbers/duration.ts';
import type { Taint, TaintedNode } from '../../model/node.ts';
import type { Pod } from '../../model/pod.ts';
import { withClauses } from '../clauses.ts';
import { taintsOfAnotherNode } from './taint-node.ts';

/** Taints as they were read. */
interface ReadTaints {
  /** undefined: they have never been known, or are of another node. */
  readonly taints: readonly Taint[] | undefined;
  /** Milliseconds since they could last be read; 0 while they can. */
  readonly ageMs: number;
  readonly lack?: string;
  readonly node?: TaintedNode;
}

/** Taints that may be gone by, and what there is to say of them. */
export interface KnownTaints {
  /** undefined: none are known, so that nobody may go and nobody's time may end. */
  readonly taints: readonly Taint[] | undefined;
  readonly ageMs: number;
  /** What is wrong with their source, and what follows from it. Changes only with one of both, so that each is told once. */
  readonly lack: string | undefined;
}

/**
 * What is known of this node's taints. A file that cannot be read comes before the Node that was read of it last: that one
 * says nothing of the file as it is. Taints of a Node that the pods here are not on are not known.
 */
export function knownTaints(
  { taints: read, ageMs, lack, node }: ReadTaints,
  pods: readonly Pick<Pod, 'nodeName'>[],
  maxAgeMs: number,
): KnownTaints {
  const foreign = taintsOfAnotherNode(node, pods);
  const taints = foreign === undefined ? read : undefined;
  if (lack === undefined) return { taints, ageMs, lack: foreign };
  const follows = consequence(taints, ageMs, maxAgeMs);
  return { taints, ageMs, lack: withClauses(lack, [follows]) };
}

/** What an unreadable source comes to. */
function consequence(taints: readonly Taint[] | undefined, ageMs: number, maxAgeMs: number): string {
  if (taints === undefined) return 'nobody is evicted for taints until those of this node are known';
  const limit = `${formatDuration(maxAgeMs)} (pods.maxAge)`;
  return ageMs > maxAgeMs
    ? `the taints that were read last are older than ${limit}, so nobody is evicted for taints`
    : `the taints that were read last stay in force for ${limit}`;
}
