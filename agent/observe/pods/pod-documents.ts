import { type Warning, warning } from '../../../cgroup/warning.ts';
import { type Finding, formatFinding, type TextFile } from '../../../config/finding.ts';
import { readDocuments, type StructuredDocument } from '../../../config/text/document.ts';
import { asRecord, asString, type PlainValue, valueAt } from '../../../config/text/plain-value.ts';
import { podName } from '../../decide/pod-name.ts';
import { withStanding } from '../../decide/pod-standing.ts';
import { knownClasses, resolvePriority } from '../../decide/priority.ts';
import type { PriorityClass } from '../../model/cluster.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { FieldFault, Fields } from '../fields.ts';
import { GroupsBeside } from './groups-beside.ts';
import { findingOf, type ManifestObject, objectsOf, POD_FILE_WANTED, requireV1 } from './manifest-objects.ts';
import { readPod } from './podspec.ts';

/** Pods, or the first thing that is wrong: `message` is the finding as a sentence. Assignable to Parsed<PodsRead>. */
export type PodDocumentsReading =
  | { readonly ok: true; readonly value: PodsRead }
  | { readonly ok: false; readonly message: string; readonly finding: Finding };

/** What a file's documents hold, as it is gathered. */
interface Gathered {
  readonly pods: Pod[];
  readonly priorityClasses: Map<string, PriorityClass>;
  readonly groups: GroupsBeside;
  readonly others: { readonly document: StructuredDocument; readonly object: ManifestObject }[];
  holdsEmptyList: boolean;
}

/**
 * Reads the pods of a file: a Pod, a PodList, a List, or several documents of these. PriorityClass objects beside them
 * give their number to pods that name a class and have no priority, and where there are any, the two system classes do
 * (the global default does not: it is for pods that are made after it). PodGroup and CompositePodGroup objects say what the
 * pods in them count for, where groups count. Nodes are passed over; other kinds are left out
 * with a warning where there are pods too, and are refused where there are none. One malformed pod refuses the file.
 */
export function readPodDocuments(input: TextFile): PodDocumentsReading {
  const reading = readDocuments(input);
  if ('finding' in reading) {
    return refusal(reading.finding);
  }
  const gathered: Gathered = {
    pods: [],
    priorityClasses: new Map(),
    groups: new GroupsBeside(),
    others: [],
    holdsEmptyList: false,
  };
  for (const document of reading.documents) {
    const finding = gather(input.file, document, gathered);
    if (finding !== undefined) {
      return refusal(finding);
    }
  }
  if (gathered.pods.length === 0 && !gathered.holdsEmptyList) {
    return refusal(noPods(input.file, gathered));
  }
  const classes = knownClasses([...gathered.priorityClasses.values()]);
  const tree = gathered.groups.tree(classes);
  const pods = gathered.pods.map((pod) => withStanding(withPriority(pod, classes), tree.value));
  return { ok: true, value: { pods, warnings: [...leftOut(input.file, gathered), ...tree.warnings] } };
}

/** Reads the pod that one document is: what the kubelet wants of a manifest. Throws FieldFault. */
export function podOfDocument(value: PlainValue): Pod {
  const root = new Fields(value);
  const kind = root.text('kind');
  if (kind !== 'Pod') {
    throw new FieldFault(['kind'], `a manifest holds one Pod, not ${kind ?? 'an object without kind'}`);
  }
  return podOf({ kind, value, path: [] });
}

function refusal(finding: Finding): PodDocumentsReading {
  return { ok: false, message: formatFinding(finding), finding };
}

function gather(file: string, document: StructuredDocument, gathered: Gathered): Finding | undefined {
  try {
    const { objects, isEmptyList } = objectsOf(document);
    gathered.holdsEmptyList ||= isEmptyList;
    for (const object of objects) {
      gatherObject(object, document, gathered);
    }
    return undefined;
  } catch (error) {
    if (error instanceof FieldFault) {
      // A document that is no object at all: what it should have been helps more than where.
      const wanted = error.path.length === 0 ? `; ${POD_FILE_WANTED}` : '';
      return findingOf(file, document, new FieldFault(error.path, `${error.message}${wanted}`));
    }
    throw error;
  }
}

function gatherObject(object: ManifestObject, document: StructuredDocument, gathered: Gathered): void {
  switch (object.kind) {
    case 'Pod':
      gathered.pods.push(podOf(object));
      break;
    case 'PriorityClass':
      gatherPriorityClass(new Fields(object.value, object.path), gathered);
      break;
    default:
      if (!gathered.groups.add(object)) gathered.others.push({ document, object });
  }
}

function podOf({ value, path }: ManifestObject): Pod {
  requireV1(new Fields(value, path), 'Pod');
  const pod = readPod(value);
  if (!pod.ok) {
    throw new FieldFault([...path, ...pod.path], `${nameForPeople(value)}${pod.message}`);
  }
  return pod.value;
}

/** `pod namespace/name: ` as far as the broken pod says it. */
function nameForPeople(value: PlainValue): string {
  const metadata = asRecord(valueAt(asRecord(value), 'metadata'));
  const name = asString(valueAt(metadata, 'name'));
  const namespace = asString(valueAt(metadata, 'namespace')) ?? 'default';
  return name === undefined ? '' : `pod ${namespace}/${name}: `;
}

function gatherPriorityClass(object: Fields, gathered: Gathered): void {
  const name = object.map('metadata').text('name');
  const value = object.integer('value', 32);
  if (name !== undefined && value !== undefined) {
    gathered.priorityClasses.set(name, { name, value: Number(value), globalDefault: false });
  }
}

/** Only the number counts here; a class that is not known is a warning of the pod (decide/pod-warnings.ts). */
function withPriority(pod: Pod, classes: readonly PriorityClass[]): Pod {
  const { priority } = resolvePriority(pod, { called: () => podName(pod), isNew: false }, classes).value;
  return priority === undefined ? pod : { ...pod, priority };
}

/** Why a file without pods is refused, at the first thing in it that is something else. */
function noPods(file: string, gathered: Gathered): Finding {
  const [first] = gathered.others;
  if (first === undefined) {
    const isNothing = gathered.priorityClasses.size === 0 && gathered.groups.isEmpty;
    const holds = isNothing ? 'is empty' : 'holds no pods';
    return { file, path: '', message: `the file ${holds}; ${POD_FILE_WANTED}` };
  }
  const { document, object } = first;
  const fault = new FieldFault([...object.path, 'kind'], `found a ${object.kind}; ${POD_FILE_WANTED}`);
  return findingOf(file, document, fault);
}

/** One warning for all objects of a file that nodeqos has no use for. */
function leftOut(file: string, gathered: Gathered): readonly Warning[] {
  const kinds = gathered.others.map(({ object }) => object.kind).filter((kind) => kind !== 'Node');
  if (kinds.length === 0) {
    return [];
  }
  const objects =
    kinds.length === 1 ? '1 object that is no pod was' : `${kinds.length} objects that are no pods were`;
  const message = `${file}: ${objects} left out (${[...new Set(kinds)].sort().join(', ')})`;
  return [warning('objects-left-out', message)];
}
