import { defineCommand } from './command.ts';
import { CONFIGURATION_OPTIONS, MACHINE_OPTIONS, OUTPUT_OPTIONS, ROOT_OPTIONS } from './options.ts';

export const resetCommand = defineCommand({
  signature: 'reset',
  summary: 'Put back every value that the journal holds',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    'cgroup-driver': MACHINE_OPTIONS['cgroup-driver'],
    ...OUTPUT_OPTIONS,
    neutral: {
      type: 'boolean',
      default: false,
      describe: 'Set min and low to 0 and high to max on every kubepods cgroup, with or without a journal',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'Print what would be written, write nothing' },
  },
  run: () => Promise.reject(new Error('not yet')),
});
