import { priorityClassRefusal } from '../../decide/priority-class.ts';
import type {
  ClusterNode,
  CompositePodGroup,
  PodDisruptionBudget,
  PodGroup,
  PriorityClass,
  SchedulingPod,
} from '../../model/cluster.ts';
import { FieldFault, Fields, SharedAmounts } from '../fields.ts';
import { readBudget } from './budget.ts';
import { readClusterNode } from './cluster-node.ts';
import { readCompositePodGroup, readPodGroup } from './groups.ts';
import { readPriorityClass } from './priority-class.ts';
import { readSchedulingPod } from './scheduling-pod.ts';
import type { SnapshotObject } from './snapshot-objects.ts';

/** What the files of a snapshot hold, as it is gathered: each name of a kind once. */
export class Gathered {
  readonly nodes: ClusterNode[] = [];
  readonly pods: SchedulingPod[] = [];
  readonly budgets: PodDisruptionBudget[] = [];
  readonly priorityClasses: PriorityClass[] = [];
  readonly podGroups: PodGroup[] = [];
  readonly compositePodGroups: CompositePodGroup[] = [];
  /** Names by kind and namespace. */
  readonly #names = new Map<string, Set<string>>();
  readonly #uids = new Set<string>();
  readonly #amounts = new SharedAmounts();

  /** Takes an object in; false where it is of a kind that a plan does not look at. Throws FieldFault. */
  add(object: SnapshotObject): boolean {
    const { kind, apiVersion } = object;
    const group = API_GROUPS.get(kind);
    if (group === undefined || (apiVersion !== undefined && !isOfGroup(apiVersion, group))) return false;
    this.#addKnown(object);
    return true;
  }

  #addKnown({ kind, value, path }: SnapshotObject): void {
    const fields = new Fields(value, path);
    switch (kind) {
      case 'Pod':
        this.#addPod(readSchedulingPod(value, path, this.#amounts), fields);
        break;
      case 'Node':
        this.nodes.push(this.#once('Node', readClusterNode(fields), fields));
        break;
      case 'PodDisruptionBudget':
        this.budgets.push(this.#once(kind, readBudget(fields), fields));
        break;
      case 'PriorityClass':
        this.priorityClasses.push(this.#once(kind, validClass(fields), fields));
        break;
      case 'PodGroup':
        this.podGroups.push(this.#once(kind, readPodGroup(fields), fields));
        break;
      case 'CompositePodGroup':
        this.compositePodGroups.push(this.#once(kind, readCompositePodGroup(fields), fields));
        break;
    }
  }

  #addPod(pod: SchedulingPod, fields: Fields): void {
    this.pods.push(this.#once('Pod', pod, fields));
    if (pod.uid === undefined) return;
    if (this.#uids.has(pod.uid)) {
      throw new FieldFault(
        [...fields.path, 'metadata', 'uid'],
        'its UID is that of another pod too; each pod must be there once',
      );
    }
    this.#uids.add(pod.uid);
  }

  #once<T extends Named>(kind: string, object: T, fields: Fields): T {
    const place = object.namespace === undefined ? kind : `${kind} ${object.namespace}`;
    const names = this.#names.get(place) ?? new Set();
    if (names.has(object.name)) {
      throw new FieldFault(
        [...fields.path, 'metadata', 'name'],
        'it is there twice; a snapshot of one moment holds each object once',
      );
    }
    this.#names.set(place, names.add(object.name));
    return object;
  }
}

interface Named {
  readonly namespace?: string;
  readonly name: string;
}

/** The API group of each kind that counts; other groups have kinds of the same names. */
const API_GROUPS: ReadonlyMap<string, string> = new Map([
  ['Pod', ''],
  ['Node', ''],
  ['PodDisruptionBudget', 'policy'],
  ['PriorityClass', 'scheduling.k8s.io'],
  ['PodGroup', 'scheduling.k8s.io'],
  ['CompositePodGroup', 'scheduling.k8s.io'],
]);

function isOfGroup(apiVersion: string, group: string): boolean {
  return group === '' ? apiVersion === 'v1' : apiVersion.startsWith(`${group}/`);
}

function validClass(fields: Fields): PriorityClass {
  const one = readPriorityClass(fields);
  const refusal = priorityClassRefusal(one);
  if (refusal === undefined) return one;
  throw new FieldFault(
    [...fields.path, ...refusal.field.split('.')],
    `the API would not take it: ${refusal.message}`,
  );
}
