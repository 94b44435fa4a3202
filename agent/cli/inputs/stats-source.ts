import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';

/** Where usage comes from; `path` is one of this machine. */
export type StatsSource = { readonly kind: 'cgroup' } | { readonly kind: 'summary'; readonly path: string };

/** Where a source can be named. */
export interface StatsPlaces {
  readonly root: Pick<NodeRoot, 'files' | 'capture'> | undefined;
  readonly nodeqos: Pick<NodeQosSettings, 'stats'>;
}

/**
 * The source that `--stats` names, else the one of nodeqos.yaml, whose path is inside the root. A captured node's own source
 * stayed where it was captured: there it is the tree, and the summary that came along goes before that. Throws Failure 64 for
 * a source that nobody knows, 69 for one that this version does not read.
 */
export function statsSource(named: string | undefined, { root, nodeqos }: StatsPlaces): StatsSource {
  if (named !== undefined) return parsedSource(named, '--stats');
  if (root?.capture !== undefined) return { kind: 'cgroup' };
  const source = parsedSource(nodeqos.stats.source, 'stats.source');
  return source.kind === 'cgroup' || root === undefined
    ? source
    : { kind: 'summary', path: root.files.nameOf(source.path.replace(/^\/+/, '')) };
}

function parsedSource(text: string, from: '--stats' | 'stats.source'): StatsSource {
  if (text === 'cgroup') return { kind: 'cgroup' };
  const path = text.startsWith('summary:') ? text.slice('summary:'.length) : '';
  if (path !== '') return { kind: 'summary', path };
  if (text.startsWith('kubelet:')) {
    throw new Failure(
      EXIT.unavailable,
      `${from} ${text}: a kubelet is not asked in this version; save its /stats/summary and give --stats summary:PATH`,
    );
  }
  throw new Failure(
    EXIT.usage,
    `${from} ${text}: give cgroup or summary:PATH (a saved kubelet /stats/summary)`,
  );
}
