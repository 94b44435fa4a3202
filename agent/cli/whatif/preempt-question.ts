import type { Parsed } from '../../../config/result.ts';
import { EXIT, Failure } from '../../exit.ts';
import { parsePlacement } from '../../whatif/group/given-placement.ts';
import type { GroupQuestion } from '../../whatif/group/plan-group.ts';
import type { PodReference } from '../../whatif/preempt/pending-pod.ts';
import type { SchedulerRelease } from '../../whatif/preempt/scheduler-release.ts';

/** What is asked about preemption: who goes for a pod, for a group, or at the kubelet of one node. */
export type PreemptionQuestion =
  | { readonly kind: 'pod'; readonly pod: PodReference; readonly release: SchedulerRelease }
  | ({ readonly kind: 'group' } & GroupQuestion)
  | { readonly kind: 'kubelet'; readonly pod: PodReference; readonly node: string };

interface QuestionArguments {
  readonly pod?: string | undefined;
  readonly group?: string | undefined;
  readonly kubelet?: string | undefined;
  readonly compat?: string | undefined;
  readonly placement?: string | undefined;
}

/** Reads what is asked from the command line. Throws Failure 64 where options do not go together or are no names. */
export function preemptionQuestion(args: QuestionArguments): PreemptionQuestion {
  refuseMixtures(args);
  const release = args.compat === '1.36' ? '1.36' : '1.37';
  if (args.group !== undefined) {
    const group = referenceOf('group', args.group);
    if (args.placement === undefined) return { kind: 'group', group, release };
    return { kind: 'group', group, release, placement: given('placement', parsePlacement(args.placement)) };
  }
  const pod = referenceOf('pod', args.pod ?? '');
  return args.kubelet === undefined
    ? { kind: 'pod', pod, release }
    : { kind: 'kubelet', pod, node: args.kubelet };
}

function refuseMixtures({ pod, group, kubelet, compat, placement }: QuestionArguments): void {
  if ((pod === undefined) === (group === undefined)) {
    throw new Failure(EXIT.usage, 'give either --pod or --group: who is looking for a place');
  }
  if (kubelet !== undefined && pod === undefined) {
    throw new Failure(EXIT.usage, '--kubelet goes with --pod: a kubelet lets pods in one by one');
  }
  if (kubelet !== undefined && compat !== undefined) {
    throw new Failure(EXIT.usage, '--compat is about the scheduler and does not go with --kubelet');
  }
  if (placement !== undefined && group === undefined) {
    throw new Failure(EXIT.usage, '--placement goes with --group: a single pod is tried on every node');
  }
}

function referenceOf(option: string, text: string): PodReference {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (namespace !== '' && name !== '' && more.length === 0) return { namespace, name };
  throw new Failure(EXIT.usage, `--${option}: ${JSON.stringify(text)} is not NAMESPACE/NAME`);
}

function given<T>(option: string, reading: Parsed<T>): T {
  if (reading.ok) return reading.value;
  throw new Failure(EXIT.usage, `--${option}: ${reading.message}`);
}
