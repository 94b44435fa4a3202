import { defineCommand } from './command.ts';
import {
  CONFIGURATION_OPTIONS,
  MACHINE_OPTIONS,
  OUTPUT_OPTIONS,
  POD_OPTIONS,
  ROOT_OPTIONS,
  WHAT_IF_OPTIONS,
} from './options.ts';

export const applyCommand = defineCommand({
  signature: 'apply',
  summary: 'Write the plan once, whatever the mode says; old values go into the journal first',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...POD_OPTIONS,
    ...MACHINE_OPTIONS,
    ...WHAT_IF_OPTIONS,
    ...OUTPUT_OPTIONS,
    'dry-run': { type: 'boolean', default: false, describe: 'Print the plan, write nothing' },
  },
  run: () => Promise.reject(new Error('not yet')),
});
