import { defineCommand } from './command.ts';
import {
  CONFIGURATION_OPTIONS,
  MACHINE_OPTIONS,
  POD_OPTIONS,
  ROOT_OPTIONS,
  WHAT_IF_OPTIONS,
} from './options.ts';

export const planCommand = defineCommand({
  signature: 'plan',
  summary: 'Every intended cgroup write, nothing written',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...POD_OPTIONS,
    ...MACHINE_OPTIONS,
    ...WHAT_IF_OPTIONS,
    output: {
      alias: 'o',
      choices: ['table', 'json', 'yaml', 'diff', 'sh'],
      default: 'table',
      requiresArg: true,
      describe: 'Output format; diff lists what would change, sh is a script that writes it',
    },
    check: { type: 'boolean', default: false, describe: 'Exit 1 if anything would be written' },
  },
  run: () => Promise.reject(new Error('not yet')),
});
