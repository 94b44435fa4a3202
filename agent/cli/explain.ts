import { defineCommand } from './command.ts';
import {
  CONFIGURATION_OPTIONS,
  MACHINE_OPTIONS,
  OUTPUT_OPTIONS,
  POD_OPTIONS,
  ROOT_OPTIONS,
  STATS_OPTIONS,
} from './options.ts';

export const explainCommand = defineCommand({
  signature: 'explain <pod>',
  summary: '',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...POD_OPTIONS,
    ...MACHINE_OPTIONS,
    ...STATS_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: () => Promise.reject(new Error('not yet')),
});
