import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import type { Parsed } from '../../../config/result.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { ClusterSnapshot } from '../../model/cluster.ts';
import { readSnapshot } from '../../observe/snapshot/read-snapshot.ts';
import { hierarchyWarnings } from '../../whatif/group/hierarchy-warnings.ts';
import { planGroupPreemption } from '../../whatif/group/plan-group.ts';
import { planKubeletPreemption } from '../../whatif/kubelet/plan-preemption.ts';
import { planPodPreemption } from '../../whatif/preempt/plan-pod.ts';
import type { PreemptionPlan } from '../../whatif/preempt/preemption-plan.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { OUTPUT_OPTIONS } from '../console/options.ts';
import { type OutputFormat, printDocument } from '../console/print.ts';
import { askedOnce } from './asked-once.ts';
import { type PreemptionQuestion, preemptionQuestion } from './preempt-question.ts';
import { preemptionText } from './preemption-text.ts';

interface PreemptArguments {
  readonly snapshot: readonly string[];
  readonly pod?: string | undefined;
  readonly group?: string | undefined;
  readonly kubelet?: string | undefined;
  readonly compat?: string | undefined;
  readonly placement?: string | undefined;
  readonly output: OutputFormat;
}

export const preemptCommand = defineCommand({
  signature: 'preempt',
  summary: 'Who would have to go for a pod or a group of pods, and why',
  positionals: {},
  options: {
    snapshot: {
      type: 'string',
      array: true,
      demandOption: true,
      requiresArg: true,
      describe:
        'Files with what kubectl get nodes,pods,pdb,priorityclasses,podgroups -A -o yaml (or json) prints; may be repeated',
    },
    pod: {
      type: 'string',
      requiresArg: true,
      coerce: askedOnce<string | undefined>('pod'),
      describe: 'NAMESPACE/NAME of a pod that is pending',
    },
    group: {
      type: 'string',
      requiresArg: true,
      coerce: askedOnce<string | undefined>('group'),
      describe: 'NAMESPACE/NAME of a PodGroup or CompositePodGroup with pods that are pending',
    },
    kubelet: {
      type: 'string',
      requiresArg: true,
      coerce: askedOnce<string | undefined>('kubelet'),
      describe: 'A node: whom its kubelet would end to let --pod in, rather than the scheduler',
    },
    compat: {
      choices: ['1.37', '1.36'],
      requiresArg: true,
      describe: 'Whose preemption: 1.36 does not honour groups when single pods preempt [default: 1.37]',
    },
    placement: {
      type: 'string',
      requiresArg: true,
      coerce: askedOnce<string | undefined>('placement'),
      describe: 'Where the pods of --group go, POD=NODE,POD=NODE [default: first fit in name order of nodes]',
    },
    ...OUTPUT_OPTIONS,
  },
  run: async (args, io) => Promise.resolve(runPreempt(args, io)),
});

/** Prints a PreemptionPlan; status 1 where there is none. Throws Failure 64, 65, 66 and 77. */
function runPreempt(args: PreemptArguments, io: Io): ExitStatus {
  const question = preemptionQuestion(args);
  const read = readSnapshot(args.snapshot);
  const plan = planFor(question, read.snapshot);
  if (!plan.ok) throw new Failure(EXIT.badData, `${args.snapshot.join(', ')}: ${plan.message}`);
  const warnings = [...read.warnings, ...plan.value.warnings, ...ofGroups(question, read.snapshot)];
  sayWarnings(io, warnings);
  const document = { apiVersion: API_VERSION, kind: 'PreemptionPlan', ...plan.value, warnings };
  printDocument(io, args.output, document, () => preemptionText(question, plan.value, io.columns));
  return plan.value.outcome === 'planned' || plan.value.outcome === 'not-needed' ? EXIT.ok : EXIT.no;
}

/** Groups count where the scheduler of 1.37 preempts; a kubelet knows none. */
function ofGroups(question: PreemptionQuestion, snapshot: ClusterSnapshot): readonly Warning[] {
  return question.kind !== 'kubelet' && question.release === '1.37' ? hierarchyWarnings(snapshot) : [];
}

function planFor(question: PreemptionQuestion, snapshot: ClusterSnapshot): Parsed<PreemptionPlan> {
  switch (question.kind) {
    case 'pod':
      return planPodPreemption(snapshot, question.pod, question.release);
    case 'group':
      return planGroupPreemption(snapshot, question);
    case 'kubelet':
      return planKubeletPreemption(snapshot, question.pod, question.node);
  }
}
