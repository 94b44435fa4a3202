import { resolve } from 'node:path';
import type { MemoryQosPlan } from '../../decide/memory-qos-plan.ts';
import { EXIT, type ExitStatus } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { NODE_OPTIONS, WHAT_IF_OPTIONS } from '../console/options.ts';
import { type OutputFormat, printDocument } from '../console/print.ts';
import { loadInputs, type NodeInputs } from '../inputs/inputs.ts';
import { planOfNode } from './plan-of-node.ts';
import { planDiff, planScript } from './plan-script.ts';
import { nothingToWrite, planTable } from './plan-text.ts';

/** Where a cgroup2 mount is unless something else is known. */
const USUAL_MOUNT = '/sys/fs/cgroup';

/** `nodeqos plan`: every intended cgroup write with its formula. Nothing is written. */
export const planCommand = defineCommand({
  signature: 'plan',
  summary: 'Every intended cgroup write, nothing written',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
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
  run: async (args, io) => {
    const inputs = await loadInputs(args, io, { pods: 'required', cgroups: 'required' });
    const { plan } = planOfNode(inputs);
    sayWarnings(io, plan.warnings);
    if (args.check && args.output === 'table' && plan.summary.write === 0) {
      io.out(nothingToWrite(plan));
    } else {
      printPlan(io, args.output, plan, inputs);
    }
    return statusOf(plan, args.check);
  },
});

function printPlan(
  io: Io,
  format: OutputFormat | 'diff' | 'sh',
  plan: MemoryQosPlan,
  inputs: NodeInputs,
): void {
  switch (format) {
    case 'diff':
      io.out(planDiff(plan.entries));
      return;
    case 'sh':
      io.out(planScript(plan.entries, mountOf(inputs.root)));
      return;
    case 'json':
    case 'yaml':
    case 'table':
      printDocument(io, format, plan, () => planTable(plan));
  }
}

/** Where the script is to write: on the node itself, so a captured one keeps its own path. */
function mountOf(root: NodeRoot | undefined): string {
  return root?.capture?.cgroupRoot ?? resolve(root?.cgroupMountPath ?? USUAL_MOUNT);
}

function statusOf(plan: MemoryQosPlan, check: boolean): ExitStatus {
  return check && plan.summary.write > 0 ? EXIT.no : EXIT.ok;
}
