import { type Warning, warning } from '../../../cgroup/warning.ts';
import type { ClusterNode } from '../../model/cluster.ts';

/** What nodes do not say of themselves, and what is made of that. */
export function nodeWarnings(nodes: readonly ClusterNode[]): readonly Warning[] {
  const silent = nodes.filter(({ allocatable }) => allocatable === undefined);
  const uncounted = nodes.filter(({ allocatable }) => allocatable?.has('pods') === false);
  return [
    ...about(
      silent,
      'allocatable-unknown',
      'no status.allocatable is given, so that nothing is known to fit',
    ),
    ...about(
      uncounted,
      'pods-not-limited',
      'status.allocatable names no pods, so that any number of them is taken to fit',
    ),
  ];
}

function about(nodes: readonly ClusterNode[], code: string, what: string): readonly Warning[] {
  if (nodes.length === 0) return [];
  const names = nodes.map(({ name }) => name).sort();
  const shown =
    names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
  return [warning(code, `${names.length === 1 ? 'node' : 'nodes'} ${shown}: ${what}`)];
}
