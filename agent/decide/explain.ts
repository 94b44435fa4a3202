import type { EffectiveProtection } from '../../cgroup/effective.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import type { Signal } from '../../config/signal.ts';
import type { Pod, QosClass } from '../model/pod.ts';
import { humanBytes } from './human.ts';
import type { ContainerEntry, PodEntry } from './pod-entry.ts';
import type { RankedPod } from './rank.ts';
import { taintSentences } from './taint-sentences.ts';
import type { PodTaintEntry } from './tolerate.ts';

/** An entry of the plan with the protection that its cgroup really has; absent where the tree was not read. */
export interface ExplainedCgroup extends PlanEntry {
  readonly effective?: { readonly min: bigint; readonly low: bigint };
}

/** All that is known of one pod; PodExplanation without its envelope. */
export interface PodFacts {
  readonly pod: PodEntry;
  readonly cgroups: readonly ExplainedCgroup[];
  readonly rankings: Readonly<Partial<Record<Signal, RankedPod>>>;
  /** null: no node is known. */
  readonly taints: PodTaintEntry | null;
  /** At a graceful shutdown of the node; absent where the kubelet's configuration states none by priority. */
  readonly shutdownGraceSeconds?: number;
}

/** The plan's entries of a pod, each with what its cgroup is really protected from in reclaim of the whole node. */
export function cgroupsOfPod(
  pod: Pick<Pod, 'namespace' | 'name'> & { readonly uid?: string },
  entries: readonly PlanEntry[],
  effective: readonly EffectiveProtection[] | undefined,
): readonly ExplainedCgroup[] {
  const protection = new Map((effective ?? []).map((one) => [one.cgroup, one]));
  return entries
    .filter(
      (entry) =>
        entry.namespace === pod.namespace && entry.pod === pod.name && entry.uid === (pod.uid ?? null),
    )
    .map((entry) => {
      const own = entry.cgroup === null ? undefined : protection.get(entry.cgroup);
      return own === undefined ? entry : { ...entry, effective: { min: own.min, low: own.low } };
    });
}

/** What is known of a pod in sentences, for somebody who has to act on them. */
export function explanationSentences(facts: PodFacts): readonly string[] {
  return [
    classSentence(facts.pod),
    resourceSentence(facts.pod),
    ...facts.cgroups.map(cgroupSentence),
    ...protectionSentences(facts),
    ...facts.pod.containers.flatMap(oomSentence),
    ...rankingSentences(facts.rankings),
    ...(facts.taints === null ? [] : taintSentences(facts.taints)),
    ...shutdownSentence(facts),
  ];
}

function classSentence(pod: PodEntry): string {
  const sentence = `${pod.namespace}/${pod.name} is ${pod.qosClass}: ${classReason(pod.qosClass)}`;
  return pod.reportedQosClass === null || pod.reportedQosClass === pod.qosClass
    ? `${sentence}.`
    : `${sentence}; its status says ${pod.reportedQosClass}, and plan and ranking go by that.`;
}

function classReason(qosClass: QosClass): string {
  switch (qosClass) {
    case 'Guaranteed':
      return 'its limits of cpu and memory are all there and equal the requests';
    case 'Burstable':
      return 'it requests or limits something, but not every limit is there and equal to its request';
    case 'BestEffort':
      return 'it neither requests nor limits cpu or memory';
  }
}

function resourceSentence(pod: PodEntry): string {
  const limit =
    pod.memoryLimitBytes === null
      ? 'has no memory limit as a whole'
      : `may use ${humanBytes(pod.memoryLimitBytes)} at most`;
  return `It requests ${humanBytes(pod.memoryRequestBytes)} of memory and ${pod.cpuRequestMilli}m of cpu, and ${limit}.`;
}

function cgroupSentence(entry: ExplainedCgroup): string {
  const whose = entry.container === null ? 'the pod' : `container ${entry.container}`;
  const prefix = `${entry.desired}: `;
  const reason = entry.reason.startsWith(prefix) ? entry.reason.slice(prefix.length) : entry.reason;
  return `${entry.file} of ${whose} should be ${limitText(entry.desired)}${actionText(entry)}: ${reason}.`;
}

function actionText(entry: ExplainedCgroup): string {
  switch (entry.action) {
    case 'keep':
      return ', and is';
    case 'missing':
      return ', but its cgroup is not there';
    case 'write':
      return entry.current === null ? '' : `, and is ${limitText(entry.current)}`;
  }
}

/** A limit file's content with its size for a person: 993210368 (947.2Mi), 0, max. */
function limitText(text: string): string {
  return /^[0-9]{4,}$/.test(text) ? `${text} (${humanBytes(BigInt(text))})` : text;
}

/** One sentence for each cgroup, though it has three files. */
function protectionSentences(facts: PodFacts): readonly string[] {
  const seen = new Map<string, string>();
  for (const { cgroup, container, effective } of facts.cgroups) {
    if (cgroup === null || effective === undefined || seen.has(cgroup)) continue;
    const whose = container === null ? 'the pod' : `container ${container}`;
    seen.set(cgroup, `When the whole node reclaims, ${whose} keeps ${keptText(effective)}.`);
  }
  return [...seen.values()];
}

/** What memory.min keeps is kept in any case, so memory.low says more only where it is higher. */
function keptText({ min, low }: { readonly min: bigint; readonly low: bigint }): string {
  if (low > min) return `${humanBytes(low)} while others can give, and ${humanBytes(min)} in any case`;
  return min === 0n ? 'nothing for certain' : `${humanBytes(min)} in any case`;
}

/** Signals under which the pod stands equally share a sentence. */
function rankingSentences(rankings: PodFacts['rankings']): readonly string[] {
  const signals = new Map<string, string[]>();
  for (const [signal, entry] of Object.entries(rankings)) {
    const place = `it is number ${entry.rank}: ${entry.why}.`;
    signals.set(place, [...(signals.get(place) ?? []), signal]);
  }
  return [...signals].map(([place, names]) => `When ${names.join(' or ')} is low ${place}`);
}

function shutdownSentence({ shutdownGraceSeconds: seconds, pod }: PodFacts): readonly string[] {
  if (seconds === undefined) return [];
  const time = seconds === 0 ? 'no time at all' : `${seconds} s`;
  return [`When the node shuts down gracefully it has ${time} to end, by its priority ${pod.priority}.`];
}

function oomSentence(container: ContainerEntry): readonly string[] {
  if (container.oomScoreAdj === null) return [];
  return [
    `Container ${container.name} has oom_score_adj ${container.oomScoreAdj}: the higher, up to 1000, the sooner the kernel kills it when memory runs out.`,
  ];
}
