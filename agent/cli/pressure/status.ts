import { API_VERSION } from '../../../config/api-version.ts';
import { EXIT } from '../../exit.ts';
import { hostFactsOf } from '../../observe/host.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import { ASK_OPTIONS, NODE_OPTIONS, OUTPUT_OPTIONS, STATS_OPTIONS } from '../console/options.ts';
import { printDocument } from '../console/print.ts';
import { lookAtNode } from './node-look.ts';
import { statusTable } from './status-table.ts';

export const statusCommand = defineCommand({
  signature: 'status',
  summary: 'Signals, thresholds and conditions of a node at this moment',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...STATS_OPTIONS,
    ...ASK_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: async (args, io) => {
    const { status, warnings, root, hugepagesBytes } = await lookAtNode(args, io);
    sayWarnings(io, warnings);
    const host = root && (await hostFactsOf(root));
    const document = {
      apiVersion: API_VERSION,
      kind: 'NodeStatus',
      ...status,
      ...(host === undefined ? {} : { host }),
      warnings,
    };
    printDocument(io, args.output, document, () =>
      statusTable({ columns: io.columns, status, host, hugepagesBytes, nowMs: Date.now() }),
    );
    return EXIT.ok;
  },
});
