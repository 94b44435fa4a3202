import { API_VERSION } from '../../config/api-version.ts';
import { evictionThresholds } from '../../config/policy.ts';
import { type NodeLook, nodeStatus } from '../decide/node-status.ts';
import { EXIT } from '../exit.ts';
import { hostFactsOf } from '../observe/host.ts';
import { readMemoryPressure } from '../observe/proc.ts';
import { defineCommand } from './command.ts';
import { sayWarnings } from './document.ts';
import { loadInputs, type NodeInputs } from './inputs.ts';
import { NODE_OPTIONS, OUTPUT_OPTIONS, STATS_OPTIONS } from './options.ts';
import { printDocument } from './print.ts';
import { loadReadings, statsSource } from './statistics.ts';
import { statusTable } from './status-table.ts';

export const statusCommand = defineCommand({
  signature: 'status',
  summary: 'Signals, thresholds and conditions of a node at this moment',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...STATS_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: async (args, io) => {
    const source = statsSource(args.stats);
    const cgroups = source.kind === 'cgroup' ? 'required' : 'if-there';
    const inputs = await loadInputs(args, io, { pods: 'if-known', cgroups });
    const { readings, warnings } = loadReadings(source, inputs);
    sayWarnings(io, [...inputs.warnings, ...warnings]);
    const status = nodeStatus(readings, evictionThresholds(inputs.kubelet, inputs.nodeqos), lookAt(inputs));
    const host = inputs.root && (await hostFactsOf(inputs.root));
    const document = {
      apiVersion: API_VERSION,
      kind: 'NodeStatus',
      ...status,
      ...(host === undefined ? {} : { host }),
      warnings: [...inputs.warnings, ...warnings],
    };
    printDocument(io, args.output, document, () =>
      statusTable({ columns: io.columns, status, host, hugepagesBytes: inputs.machine.hugepagesBytes }),
    );
    return EXIT.ok;
  },
});

function lookAt(inputs: NodeInputs): NodeLook {
  const { root, machine } = inputs;
  return {
    ...(root === undefined ? {} : { psi: readMemoryPressure(root.files) ?? null }),
    ...(machine.memAvailableBytes === undefined ? {} : { memAvailableBytes: machine.memAvailableBytes }),
  };
}
