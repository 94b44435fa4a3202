import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import type { Signal } from '../../../config/signal.ts';
import { cgroupsOfPod, explanationSentences, type PodFacts } from '../../decide/explain.ts';
import { nearNames } from '../../decide/near-names.ts';
import { podEntry } from '../../decide/pod-entry.ts';
import { podName } from '../../decide/pod-name.ts';
import { priorityOf } from '../../decide/priority.ts';
import { type RankedPod, rankPods } from '../../decide/rank.ts';
import { shutdownGraceSeconds } from '../../decide/shutdown-grace.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import { podTaintEntry } from '../../decide/tolerate.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import { visible } from '../../report/visible.ts';
import { defineCommand } from '../console/command.ts';
import { sayWarnings } from '../console/document.ts';
import { NODE_OPTIONS, OUTPUT_OPTIONS, STATS_OPTIONS, WHAT_IF_OPTIONS } from '../console/options.ts';
import { printDocument } from '../console/print.ts';
import { wrapText } from '../console/wrap.ts';
import { loadInputs, type NodeInputs } from '../inputs/inputs.ts';
import { loadUsage, storageWarning, type UsageStatistics } from '../inputs/statistics.ts';
import { statsSource } from '../inputs/stats-source.ts';
import { planOfNode } from '../memory-qos/plan-of-node.ts';

/** The rankings that a pod is shown in; writable layers are ranked like images or the node's own disk. */
const EXPLAINED_SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'pid.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
] as const satisfies readonly Signal[];

export const explainCommand = defineCommand({
  signature: 'explain <pod>',
  summary: 'All that nodeqos knows of one pod, in sentences',
  positionals: {
    pod: { type: 'string', demandOption: true, describe: 'NAMESPACE/NAME' },
  },
  options: {
    ...NODE_OPTIONS,
    ...WHAT_IF_OPTIONS,
    ...STATS_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: async (args, io) => {
    const inputs = await loadInputs(args, io, {
      pods: 'required',
      cgroups: 'required',
      statistics: 'required',
    });
    const source = statsSource(args.stats, inputs);
    const pod = podNamed(args.pod, inputs.pods);
    const usage = loadUsage(source, inputs);
    const { plan } = planOfNode(inputs);
    const warnings = [
      ...plan.warnings,
      ...newOnes(usage.warnings, plan.warnings),
      ...storageWarning(source, inputs),
      ...tolerationWarnings(pod),
    ].filter((one) => one.pod === null || one.pod === podName(pod));
    sayWarnings(io, warnings);
    const graceSeconds = shutdownGraceSeconds(priorityOf(pod), inputs.kubelet.shutdownGraceByPriority ?? []);
    const facts: PodFacts = {
      pod: podEntry(pod, inputs.machine.memoryCapacityBytes),
      cgroups: cgroupsOfPod(pod, plan.entries, plan.effective),
      rankings: rankingsOf(pod, inputs, usage),
      taints: inputs.nodeObject === undefined ? null : podTaintEntry(pod, inputs.nodeObject.taints),
      ...(graceSeconds === undefined ? {} : { shutdownGraceSeconds: graceSeconds }),
    };
    const sentences = explanationSentences(facts);
    const document = { apiVersion: API_VERSION, kind: 'PodExplanation', ...facts, sentences, warnings };
    printDocument(
      io,
      args.output,
      document,
      () => `${sentences.map((sentence) => wrapText(visible(sentence), io.columns, 2)).join('\n')}\n`,
    );
    return EXIT.ok;
  },
});

/** Warnings about files and cgroups that others do not name already: plan and usage come from the same tree. */
function newOnes(warnings: readonly Warning[], others: readonly Warning[]): readonly Warning[] {
  const files = new Set(
    others.filter(({ code }) => code === 'unreadable-file').map(({ message }) => message.split(' ', 1)[0]),
  );
  const withoutCgroup = new Set(others.filter(({ code }) => code === 'pod-not-found').map(({ pod }) => pod));
  return warnings.filter(
    ({ code, message, pod }) =>
      !files.has(message.split(' ', 1)[0]) && !(code === 'no-cgroup' && withoutCgroup.has(pod)),
  );
}

/** The pod that is meant; a name alone is one of the namespace default. Throws Failure 65 with names that are near. */
function podNamed(text: string, pods: readonly Pod[]): Pod {
  const wanted = text.includes('/') ? text : `default/${text}`;
  const pod = pods.find((one) => podName(one) === wanted);
  if (pod !== undefined) return pod;
  const near = nearNames(wanted, pods.map(podName));
  const hint =
    near.length === 0
      ? `there are ${pods.length} pods here, none with a name like it`
      : `perhaps ${near.join(' or ')} is meant`;
  throw new Failure(
    EXIT.badData,
    `no pod ${visible(wanted)} counts on this node (finished pods do not); ${visible(hint)}`,
  );
}

function rankingsOf(pod: Pod, inputs: NodeInputs, usage: UsageStatistics): PodFacts['rankings'] {
  const { unmeasured, groups, protected: protectedPods } = inputs.nodeqos.eviction;
  const rankings: Partial<Record<Signal, RankedPod>> = {};
  for (const signal of EXPLAINED_SIGNALS) {
    const order = rankPods(inputs.pods, usage.usage, {
      signal,
      layout: usage.layout,
      compat: 'nodeqos',
      unmeasured,
      groups,
      protected: protectedPods,
    });
    const own = order.find((entry) => isSamePod(entry, pod));
    if (own !== undefined) rankings[signal] = own;
  }
  return rankings;
}

function isSamePod(entry: RankedPod, pod: Pod): boolean {
  return entry.namespace === pod.namespace && entry.name === pod.name && entry.uid === (pod.uid ?? null);
}
