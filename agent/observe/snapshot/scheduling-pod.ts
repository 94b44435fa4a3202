import { scaledUp } from '../../../config/numbers/decimal.ts';
import type { KeyPath } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import type { HostPort, SchedulingPod, UnmodelledUse } from '../../model/cluster.ts';
import type { Pod, Resources } from '../../model/pod.ts';
import { FieldFault, Fields, type SharedAmounts } from '../fields.ts';
import { readPod } from '../pods/podspec.ts';
import { readPreemptionPolicy } from './preemption-policy.ts';
import { REQUIRED, readRequiredNodeTerms } from './selectors.ts';

/**
 * Reads a v1 Pod with what its scheduling needs; `path` is where it stands in its document. Throws FieldFault with a path
 * of the document for a field of a wrong type, a malformed quantity or one beyond 64 bits, and a start time that is none.
 */
export function readSchedulingPod(value: PlainValue, path: KeyPath, amounts: SharedAmounts): SchedulingPod {
  const reading = readPod(value, amounts);
  if (!reading.ok) throw new FieldFault([...path, ...reading.path], reading.message);
  const pod = reading.value;
  refuseOverflow(pod, [...path, 'spec']);
  refuseBadTime(pod, path);
  const fields = new Fields(value, path);
  // Not a copy: the pod is this reader's own, and there may be many thousands.
  return Object.assign(pod, schedulingOf(fields.map('spec'), fields.map('status')));
}

type Scheduling = Omit<SchedulingPod, keyof Pod>;

function schedulingOf(spec: Fields, status: Fields): Scheduling {
  const affinity = spec.map('affinity');
  const nominatedNodeName = status.text('nominatedNodeName');
  const requiredNodeTerms = readRequiredNodeTerms(affinity);
  return {
    ...readPreemptionPolicy(spec),
    ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    nodeSelector: spec.texts('nodeSelector'),
    ...(requiredNodeTerms === undefined ? {} : { requiredNodeTerms }),
    hostPorts: hostPortsOf(spec),
    isPreemptedByScheduler: isPreemptedByScheduler(status),
    unmodelledUses: unmodelledUses(spec, affinity),
  };
}

/** Ports of regular containers and sidecars; on the host's network every port is one of the host's (API defaulting). */
function hostPortsOf(spec: Fields): readonly HostPort[] {
  const isOnHostNetwork = spec.flag('hostNetwork') === true;
  const ports: HostPort[] = [];
  const sidecars = spec
    .maps('initContainers')
    .filter((container) => container.text('restartPolicy') === 'Always');
  for (const container of [...spec.maps('containers'), ...sidecars]) {
    for (const port of container.maps('ports')) {
      const stated = Number(port.integer('hostPort', 32) ?? 0n);
      const taken =
        stated === 0 && isOnHostNetwork ? Number(port.integer('containerPort', 32) ?? 0n) : stated;
      if (taken > 0) ports.push(hostPort(port, taken));
    }
  }
  return ports.length === 0 ? NO_PORTS : ports;
}

const NO_PORTS: readonly HostPort[] = [];

function hostPort(fields: Fields, port: number): HostPort {
  return { protocol: fields.text('protocol') ?? 'TCP', hostIp: fields.text('hostIP') ?? '0.0.0.0', port };
}

/** A pod that ends for another reason than preemption frees its place too, but does not make others wait for it. */
function isPreemptedByScheduler(status: Fields): boolean {
  return status
    .maps('conditions')
    .some(
      (condition) =>
        condition.text('type') === 'DisruptionTarget' &&
        condition.text('status') === 'True' &&
        condition.text('reason') === 'PreemptionByScheduler',
    );
}

function unmodelledUses(spec: Fields, affinity: Fields): readonly UnmodelledUse[] {
  const uses: UnmodelledUse[] = [];
  const note = (use: UnmodelledUse, isUsed: boolean): void => {
    if (isUsed) uses.push(use);
  };
  note('inter-pod affinity', affinity.map('podAffinity').items(REQUIRED).length > 0);
  note('inter-pod anti-affinity', affinity.map('podAntiAffinity').items(REQUIRED).length > 0);
  note('topology spread constraints', spec.maps('topologySpreadConstraints').some(isHardSpread));
  note(
    'volumes',
    spec.maps('volumes').some((volume) => PLACED_VOLUMES.some((kind) => volume.has(kind))),
  );
  note('resource claims', spec.items('resourceClaims').length > 0);
  note('scheduling gates', spec.items('schedulingGates').length > 0);
  note('another scheduler', (spec.text('schedulerName') ?? DEFAULT_SCHEDULER) !== DEFAULT_SCHEDULER);
  return uses.length === 0 ? NO_USES : uses;
}

const DEFAULT_SCHEDULER = 'default-scheduler';
const NO_USES: readonly UnmodelledUse[] = [];

function isHardSpread(constraint: Fields): boolean {
  return (constraint.text('whenUnsatisfiable') ?? 'DoNotSchedule') === 'DoNotSchedule';
}

/** Volumes that not every node can have, or that a node can have only so many of. */
const PLACED_VOLUMES = [
  'persistentVolumeClaim',
  'ephemeral',
  'csi',
  'awsElasticBlockStore',
  'azureDisk',
  'cinder',
  'gcePersistentDisk',
  'iscsi',
  'rbd',
] as const;

function refuseOverflow(pod: Pod, path: KeyPath): void {
  for (const { name, requests, limits } of pod.containers) {
    // A request may come from the limit, which is then what is to be mended.
    refuseBeyondInt64(limits, path, `container ${name}: its limit`);
    refuseBeyondInt64(requests, path, `container ${name}: its request`);
  }
  refuseBeyondInt64(pod.overhead, path, 'the overhead');
  if (pod.podLevel !== undefined) {
    refuseBeyondInt64(pod.podLevel.requests, path, 'the request of the pod');
    refuseBeyondInt64(pod.podLevel.limits, path, 'the limit of the pod');
  }
}

/** The first amount that 64 bits do not hold, cpu counted in thousandths as the scheduler does, is refused. */
export function refuseBeyondInt64(resources: Resources, path: KeyPath, what: string): void {
  for (const [resource, quantity] of resources) {
    const amount = resource === 'cpu' ? { ...quantity, exponent: quantity.exponent + 3 } : quantity;
    const isSurelySmall = amount.unscaled <= SURELY_SMALL && amount.exponent <= 3;
    if (!isSurelySmall && scaledUp(amount.unscaled, amount.exponent) > INT64_MAX) {
      throw new FieldFault(path, `${what} of ${resource} is more than 64 bits hold`);
    }
  }
}

const INT64_MAX = (1n << 63n) - 1n;
/** A thousand times this is still far from the end of int64. */
const SURELY_SMALL = 1n << 52n;

function refuseBadTime(pod: Pod, path: KeyPath): void {
  if (pod.startTime !== undefined && Number.isNaN(Date.parse(pod.startTime))) {
    const message = `${JSON.stringify(pod.startTime)} is not a time such as 2026-03-01T10:00:00Z`;
    throw new FieldFault([...path, 'status', 'startTime'], message);
  }
}
