import { statSync } from 'node:fs';
import { type Warning, warning } from '../../../cgroup/warning.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { evictionThresholds } from '../../../config/policy.ts';
import type { Signal } from '../../../config/signal.ts';
import { alwaysMetWarnings } from '../../decide/always-met.ts';
import { evictionPolicy } from '../../decide/eviction/policy.ts';
import { humanDuration } from '../../decide/human.ts';
import { planWarnings } from '../../decide/plan-warnings.ts';
import { standingWarnings } from '../../decide/pod-standing.ts';
import { tolerationWarnings } from '../../decide/taints/toleration-warnings.ts';
import { hostFactsOf } from '../../observe/host.ts';
import { present } from '../../observe/present.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { NodeEyes } from '../../ports.ts';
import type { NodeSetup } from '../inputs/node-setup.ts';
import { namedPodFile } from '../inputs/pod-input.ts';
import { type WriterStanding, writerStanding } from '../memory-qos/limit-writer.ts';
import type { RunSetup, RunStanding, SetupParts } from './setup.ts';

/** What a person who starts the agent should know, besides what its configurations warn of. */
export function startWarnings(
  { node, settings, pods, taints, standing }: RunSetup,
  { clock }: SetupParts,
  eyes: NodeEyes,
): readonly Warning[] {
  const { kubelet, policy, machine, nodeObject, layout, machineWarnings, driverWarnings } = node;
  const inputs = {
    pods: pods.list.look(clock.nowMs()).pods ?? [],
    kubelet,
    policy,
    thresholds: evictionThresholds(kubelet, settings),
    machine,
    nodeObject,
    layout,
    snapshot: undefined,
    warnings: [],
  };
  const ofPlan = settings.memoryQos.enabled
    ? [...planWarnings(inputs, undefined), ...capacityWarning(machine.memoryCapacityBytes)]
    : [];
  const { readings } = eyes.signals(clock.nowMs());
  const capacityOf = (signal: Signal): bigint | undefined =>
    readings.get(signal)?.capacity ??
    (signal === 'memory.available' ? machine.memoryCapacityBytes : undefined);
  return [
    ...machineWarnings,
    ...pods.warnings(),
    ...oldPodsWarning(node, settings.pods.maxAgeMs, clock.wallMs()),
    ...driverWarnings,
    ...standingWarnings(inputs.pods, { groups: settings.eviction.groups, compat: 'nodeqos' }),
    ...ofPlan,
    ...dryTaintsWarning(settings, standing),
    ...startedAgainWarning(standing),
    ...taints.warnings(),
    ...(settings.taints.evict ? inputs.pods.flatMap(tolerationWarnings) : []),
    ...(settings.eviction.enabled ? alwaysMetWarnings(inputs.thresholds, capacityOf) : []),
  ];
}

/** A list that nobody writes any more never grows old for the agent, which cannot know how it came about. */
function oldPodsWarning(node: NodeSetup, maxAgeMs: number, wallMs: number): readonly Warning[] {
  const file = namedPodFile(node.places, node);
  const changedMs = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (file === undefined || changedMs === undefined || wallMs - changedMs <= maxAgeMs) return [];
  const age = humanDuration(wallMs - changedMs);
  return [warning('pods-file-old', `${file} was last changed ${age} ago; it is taken for what runs now`)];
}

/** Whoever turned them on and is in dry-run has to hear that nobody goes; in enforce it is told how evictions stand. */
function dryTaintsWarning({ mode, taints }: NodeQosSettings, standing: RunStanding): readonly Warning[] {
  const { evictions, because } = standing.taints;
  if (!taints.evict || evictions === 'on' || mode === 'enforce') return [];
  const message = `evictions for taints (taints.evict) stay dry: ${because ?? 'evictions are dry'}`;
  return [warning('taint-evictions-dry', message)];
}

/** The configuration allows it, and a kubelet that is not told starts the containers of such a pod again. */
function startedAgainWarning({ evictions, evictor, kubelet }: RunStanding): readonly Warning[] {
  if (evictions !== 'on' || evictor !== 'cri' || kubelet === undefined) return [];
  const message = `${kubelet}, which starts again what the evictor cri ends; eviction.evictor: api tells whoever owns the pod`;
  return [warning('evictor-beside-kubelet', message)];
}

function capacityWarning(capacityBytes: bigint | undefined): readonly Warning[] {
  const message =
    'the memory capacity of this machine is not known: values that depend on it are not written; give --memory-capacity Q or --node FILE';
  return capacityBytes === undefined ? [warning('capacity-not-known', message)] : [];
}

/** What a reader of the records should know of the host and of what the agent goes by. */
export async function startFacts(
  { node, settings }: RunSetup,
  { root }: SetupParts,
): Promise<Readonly<Record<string, unknown>>> {
  const { machine, layout } = node;
  const { thresholds } = evictionPolicy(node.kubelet, settings, 'nodeqos');
  return {
    root: root.name,
    ...present('kernelRelease', machine.kernelRelease),
    ...present('memoryCapacityBytes', machine.memoryCapacityBytes),
    ...present('bootId', machine.bootId),
    pageSizeBytes: machine.pageSizeBytes,
    cgroupDriver: layout.driver,
    kubepods: layout.kubepods,
    thresholds: thresholds.map(({ id }) => id),
    memoryQos: settings.memoryQos.enabled,
    intervalMs: settings.loop.intervalMs,
    ...(await writerFacts({ node, settings }, root)),
    ...present('system', await hostFactsOf(root)),
  };
}

/** Which way limits will be written; nothing is asked of systemd where none will be. */
async function writerFacts(
  { node, settings }: Pick<RunSetup, 'node' | 'settings'>,
  root: NodeRoot,
): Promise<WriterStanding | Record<string, never>> {
  const { mode, memoryQos } = settings;
  if (mode !== 'enforce' || !memoryQos.enabled) return {};
  return await writerStanding(root, node.layout.kubepods, memoryQos.writer);
}
