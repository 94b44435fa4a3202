import { type Warning, warning } from '../../../cgroup/warning.ts';
import { firstOf } from '../../decide/first-of.ts';
import type { ClusterNode } from '../../model/cluster.ts';

/** A node, and what pods may request of it; absent where it does not say that. */
type SaidNode = Pick<ClusterNode, 'name' | 'allocatable'>;

/** What nodes do not say of themselves, and what is made of that. */
export function nodeWarnings(nodes: readonly SaidNode[]): readonly Warning[] {
  const silent = nodes.filter(({ allocatable }) => allocatable === undefined);
  const uncounted = nodes.filter(({ allocatable }) => allocatable?.has('pods') === false);
  return [
    ...about(
      silent,
      'allocatable-unknown',
      'neither status.allocatable nor status.capacity is given, so that nothing is known to fit',
    ),
    ...about(
      uncounted,
      'pods-not-limited',
      'it is not given how many pods there may be, so that any number of them is taken to fit',
    ),
  ];
}

function about(nodes: readonly SaidNode[], code: string, what: string): readonly Warning[] {
  if (nodes.length === 0) return [];
  const names = nodes.map(({ name }) => name).sort();
  return [warning(code, `${names.length === 1 ? 'node' : 'nodes'} ${firstOf(names)}: ${what}`)];
}
