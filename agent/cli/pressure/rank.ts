import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import { SIGNALS, type Signal } from '../../../config/signal.ts';
import { standingWarnings } from '../../decide/pod-standing.ts';
import { rankPods } from '../../decide/rank.ts';
import { starvedResource } from '../../decide/usage.ts';
import { EXIT, Failure } from '../../exit.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import { NODE_OPTIONS, OUTPUT_OPTIONS, STATS_OPTIONS } from '../console/options.ts';
import { printDocument } from '../console/print.ts';
import type { NodeInputs } from '../inputs/inputs.ts';
import { loadInputs } from '../inputs/inputs.ts';
import { loadUsage, storageWarning } from '../inputs/statistics.ts';
import { type StatsSource, statsSource } from '../inputs/stats-source.ts';
import { rankingTable } from './rank-table.ts';

export const rankCommand = defineCommand({
  signature: 'rank',
  summary: 'Who would be evicted under a signal, in order, and why',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...STATS_OPTIONS,
    ...OUTPUT_OPTIONS,
    signal: {
      choices: SIGNALS,
      default: 'memory.available',
      requiresArg: true,
      describe: 'The eviction signal that is low',
    },
    compat: {
      choices: ['nodeqos', 'kubelet'],
      default: 'nodeqos',
      requiresArg: true,
      describe: "Whose order: nodeqos' own, or the kubelet's with its known faults",
    },
    groups: {
      choices: ['ignore', 'count'],
      requiresArg: true,
      describe: 'Whether a pod of a group counts with the priority of the group [default: eviction.groups]',
    },
  },
  run: async (args, io) => {
    if (args.groups === 'count' && args.compat === 'kubelet') {
      throw new Failure(
        EXIT.usage,
        '--groups count does not go with --compat kubelet, which knows no groups',
      );
    }
    const inputs = await loadInputs(args, io, {
      pods: 'required',
      cgroups: 'unless-summary',
      statistics: 'required',
    });
    const source = statsSource(args.stats, inputs);
    const { signal } = args;
    const usage = loadUsage(source, inputs);
    const { unmeasured, groups, protected: protectedPods } = inputs.nodeqos.eviction;
    const rules = {
      signal,
      layout: usage.layout,
      compat: args.compat,
      unmeasured,
      groups: args.groups ?? groups,
      protected: protectedPods,
    };
    const warnings = [
      ...inputs.warnings,
      ...usage.warnings,
      ...diskWarnings(signal, source, inputs),
      ...standingWarnings(inputs.pods, rules),
    ];
    sayWarnings(io, warnings);
    const order = rankPods(inputs.pods, usage.usage, rules);
    const document = { apiVersion: API_VERSION, kind: 'EvictionRanking', signal, order, warnings };
    printDocument(io, args.output, document, () => rankingTable(signal, order, io.columns));
    return EXIT.ok;
  },
});

function diskWarnings(signal: Signal, source: StatsSource, inputs: NodeInputs): readonly Warning[] {
  const resource = starvedResource(signal);
  return resource === 'disk' || resource === 'inodes' ? storageWarning(source, inputs) : [];
}
