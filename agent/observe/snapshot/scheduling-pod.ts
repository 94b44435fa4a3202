import type { KeyPath } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { instantOf } from '../../decide/instant.ts';
import type { SchedulingPod, UnmodelledUse } from '../../model/cluster.ts';
import type { Pod } from '../../model/pod.ts';
import { FieldFault, Fields, type SharedAmounts } from '../fields.ts';
import { readPod } from '../pods/podspec.ts';
import { readPreemptionPolicy } from './preemption-policy.ts';
import { REQUIRED, readRequiredNodeTerms } from './selectors.ts';

/**
 * Reads a v1 Pod with what its scheduling needs; `path` is where it stands in its document. Throws FieldFault with a path
 * of the document for a field of a wrong type, a malformed quantity, a port that is none and a start time that is none.
 */
export function readSchedulingPod(value: PlainValue, path: KeyPath, amounts: SharedAmounts): SchedulingPod {
  const reading = readPod(value, amounts);
  if (!reading.ok) throw new FieldFault([...path, ...reading.path], reading.message);
  const pod = reading.value;
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
  const osName = spec.map('os').text('name');
  const supplementalGroupsPolicy = spec.map('securityContext').text('supplementalGroupsPolicy');
  return {
    ...readPreemptionPolicy(spec),
    ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    nodeSelector: spec.texts('nodeSelector'),
    ...(requiredNodeTerms === undefined ? {} : { requiredNodeTerms }),
    ...(osName === undefined ? {} : { osName }),
    ...(supplementalGroupsPolicy === undefined ? {} : { supplementalGroupsPolicy }),
    isPreemptedByScheduler: isPreemptedByScheduler(status),
    unmodelledUses: unmodelledUses(spec, affinity),
  };
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

function refuseBadTime(pod: Pod, path: KeyPath): void {
  if (pod.startTime !== undefined && instantOf(pod.startTime) === undefined) {
    const message = `${JSON.stringify(pod.startTime)} is not a time such as 2026-03-01T10:00:00Z`;
    throw new FieldFault([...path, 'status', 'startTime'], message);
  }
}
