import type { Pod } from '../model/pod.ts';

/** What is known of whose statistics should be read. */
export interface StatisticsOf {
  readonly pods: readonly Pod[];
  /** The name of the node where somebody said it. */
  readonly nodeName: string | undefined;
}

/**
 * The sentence for statistics of another node than this one, whose name is the one that was said, else the only one that the
 * pods name. undefined where they are of this node, or where one of the names is not known.
 */
export function foreignStatistics(
  ofNode: string | undefined,
  { pods, nodeName }: StatisticsOf,
): string | undefined {
  const here = nodeName ?? onlyNodeOf(pods);
  if (ofNode === undefined || ofNode === '' || here === undefined || here === ofNode) return undefined;
  return `these are the statistics of node ${ofNode}, and this is ${here}; check stats.source or --stats`;
}

function onlyNodeOf(pods: readonly Pod[]): string | undefined {
  const [name, ...others] = new Set(pods.flatMap((pod) => pod.nodeName ?? []));
  return others.length === 0 ? name : undefined;
}
