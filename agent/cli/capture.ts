import { EXIT } from '../exit.ts';
import { defineCommand } from './command.ts';
import {
  CONFIGURATION_OPTIONS,
  MACHINE_OPTIONS,
  POD_OPTIONS,
  ROOT_OPTIONS,
  STATS_OPTIONS,
} from './options.ts';

export const captureCommand = defineCommand({
  signature: 'capture <archive>',
  summary: 'Write what a plan needs from this node, and nothing secret, into a .tar.gz for --root',
  positionals: {
    archive: { type: 'string', demandOption: true, describe: 'The archive to write, such as node.tar.gz' },
  },
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...POD_OPTIONS,
    ...MACHINE_OPTIONS,
    ...STATS_OPTIONS,
    force: { type: 'boolean', default: false, describe: 'Replace an archive that is already there' },
  },
  run: () => Promise.resolve(EXIT.bug),
});
