import { EXIT, Failure } from '../../exit.ts';
import { requireReadableSource } from '../../observe/pods/pod-source.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { NodeSetup } from '../inputs/inputs.ts';
import { statsSource } from '../inputs/stats-source.ts';
import type { RunArguments } from './run-settings.ts';

/**
 * Refuses sources of pods and statistics that this version never reads: for the service that is a configuration which only a
 * person can mend, and no place that may answer later. Throws Failure 78, and 64 for a source that nobody knows.
 */
export function refuseUnreadableSources({ nodeqos }: NodeSetup, args: RunArguments, root: NodeRoot): void {
  try {
    if (args.pods === undefined) requireReadableSource(nodeqos.pods.source, 'pods.source');
    else requireReadableSource(args.pods, '--pods');
    statsSource(args.stats, { root, nodeqos });
  } catch (error) {
    if (error instanceof Failure && error.status === EXIT.unavailable) {
      throw new Failure(EXIT.badConfiguration, error.message);
    }
    throw error;
  }
}
