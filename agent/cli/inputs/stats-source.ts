import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';

/** Where usage comes from; `path` is one of this machine. */
export type StatsSource =
  | { readonly kind: 'cgroup' }
  | { readonly kind: 'summary'; readonly path: string }
  | { readonly kind: 'kubelet'; readonly url: string };

/** Where a source can be named. */
export interface StatsPlaces {
  readonly root: Pick<NodeRoot, 'files' | 'capture'> | undefined;
  readonly nodeqos: Pick<NodeQosSettings, 'stats'>;
}

/**
 * The source that `--stats` names, else the one of nodeqos.yaml, whose path is inside the root. A captured node's own source
 * stayed where it was captured: there it is the tree, and the summary that came along goes before that. Throws Failure 64 for
 * a source that nobody knows.
 */
export function statsSource(named: string | undefined, { root, nodeqos }: StatsPlaces): StatsSource {
  if (named !== undefined) return parsedSource(named, '--stats');
  if (root?.capture !== undefined) return { kind: 'cgroup' };
  const source = parsedSource(nodeqos.stats.source, 'stats.source');
  return source.kind === 'summary' && root !== undefined
    ? { kind: 'summary', path: root.files.nameOf(source.path.replace(/^\/+/, '')) }
    : source;
}

function parsedSource(text: string, from: '--stats' | 'stats.source'): StatsSource {
  if (text === 'cgroup') return { kind: 'cgroup' };
  const [, kind, rest = ''] = /^(summary|kubelet):(.+)$/s.exec(text) ?? [];
  if (kind === 'summary') return { kind, path: rest };
  if (kind === 'kubelet') return { kind, url: rest };
  throw new Failure(
    EXIT.usage,
    `${from} ${text}: give cgroup, summary:PATH (a saved kubelet /stats/summary) or kubelet:URL`,
  );
}
