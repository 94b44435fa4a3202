import { applyWrites, type LimitWrite } from '../../../cgroup/apply.ts';
import type { PlanEntry } from '../../../cgroup/plan.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { NODE_OPTIONS, OUTPUT_OPTIONS, WHAT_IF_OPTIONS } from '../console/options.ts';
import type { OutputFormat } from '../console/print.ts';
import { loadInputs } from '../inputs/inputs.ts';
import type { InputArguments } from '../inputs/node-setup.ts';
import { applyResult, printApplyResult, statusOfResults } from './apply-result.ts';
import { planCommand } from './plan.ts';
import { planOfNode } from './plan-of-node.ts';
import { statusOf, type WriteSession, withWriteSession, writablePlaces } from './write-session.ts';

export const applyCommand = defineCommand({
  signature: 'apply',
  summary: 'Write the plan once, whatever the mode says; old values go into the journal first',
  positionals: {},
  options: {
    ...NODE_OPTIONS,
    ...WHAT_IF_OPTIONS,
    ...OUTPUT_OPTIONS,
    'dry-run': { type: 'boolean', default: false, describe: 'Print the plan, write nothing' },
  },
  run: async (args, io) => {
    if (args.dryRun) {
      return await planCommand.run({ ...args, check: false }, io);
    }
    return await applyPlan(args, io);
  },
});

interface ApplyArguments extends InputArguments {
  readonly output: OutputFormat;
}

/**
 * Writes the plan of a node once. The lock is held from before the tree is read until the last write, so that no other
 * nodeqos writes in between. Throws Failure.
 */
async function applyPlan(args: ApplyArguments, io: Io): Promise<ExitStatus> {
  const inputs = await loadInputs(args, io, { pods: 'required', cgroups: 'required' });
  const { root } = inputs;
  if (root === undefined) {
    throw new Failure(EXIT.usage, 'apply writes to a node, so it takes no --offline; use plan --offline');
  }
  const places = writablePlaces(root, inputs.nodeqos.stateDir);
  const { plan, results } = await withWriteSession(
    root,
    places,
    { command: 'apply', signal: io.signal, limitWriter: inputs.nodeqos.memoryQos.writer },
    async (session) => {
      const { plan } = planOfNode(inputs);
      return { plan, results: await writePlan(plan.entries, root, session) };
    },
  );
  const { keep, missing } = plan.summary;
  printApplyResult(io, args.output, applyResult(results, { keep, missing }, plan.warnings));
  return statusOfResults(results);
}

interface PlannedWrite extends LimitWrite {
  readonly entry: PlanEntry;
}

async function writePlan(entries: readonly PlanEntry[], root: NodeRoot, session: WriteSession) {
  const writes = entries.flatMap((entry) => plannedWrite(entry, root));
  const applied = await applyWrites(writes, session);
  if (applied.kind === 'not-journalled') {
    throw new Failure(
      statusOf(applied.code),
      `nothing was written, since the old values cannot be kept: ${applied.message}`,
    );
  }
  return applied.results.map((result) => ({ ...result, write: result.write.entry }));
}

/** The inode is looked at right after planning: a cgroup that is made anew from now on is not the planned one. */
function plannedWrite(entry: PlanEntry, root: NodeRoot): readonly PlannedWrite[] {
  const { cgroup, file, desired, action } = entry;
  if (action !== 'write' || cgroup === null) {
    return [];
  }
  const inode = root.cgroups.inodeOf(cgroup);
  return [{ entry, cgroup, file, desired, ...(inode === undefined ? {} : { inode }) }];
}
