import { EXIT } from '../exit.ts';
import { defineCommand } from './command.ts';
import { MACHINE_OPTIONS, OUTPUT_OPTIONS, POD_OPTIONS, ROOT_OPTIONS } from './options.ts';

export const qosCommand = defineCommand({
  signature: 'qos',
  summary: 'Classes and effective resources of pods',
  positionals: {},
  options: { ...ROOT_OPTIONS, ...POD_OPTIONS, ...MACHINE_OPTIONS, ...OUTPUT_OPTIONS },
  run: () => Promise.resolve(EXIT.ok),
});
