import { type Warning, warning } from '../../../cgroup/warning.ts';
import { evictionThresholds } from '../../../config/policy.ts';
import { evictionPolicy } from '../../decide/eviction/policy.ts';
import { planWarnings } from '../../decide/plan-warnings.ts';
import { hostFactsOf } from '../../observe/host.ts';
import { present } from '../../observe/present.ts';
import { podsHere } from '../inputs/inputs.ts';
import type { RunSetup, SetupParts } from './setup.ts';

/** What a person who starts the agent should know, besides what its configurations warn of. */
export function startWarnings({ node, settings, pods }: RunSetup, { clock }: SetupParts): readonly Warning[] {
  const { kubelet, policy, machine, nodeObject, layout, machineWarnings, driverWarnings } = node;
  const inputs = {
    pods: pods.look(clock.nowMs()).pods ?? [],
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
  return [...machineWarnings, ...(podsHere(node)?.warnings ?? []), ...driverWarnings, ...ofPlan];
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
    ...present('system', await hostFactsOf(root)),
  };
}
