import { type Warning, warning } from '../../../cgroup/warning.ts';
import { formatFinding, type TextFile } from '../../../config/finding.ts';
import type { StructuredDocument } from '../../../config/text/document.ts';
import { asRecord, asString, valueAt } from '../../../config/text/plain-value.ts';
import { firstOf } from '../../decide/first-of.ts';
import { resolvedGroup } from '../../decide/group-priority.ts';
import { knownClasses } from '../../decide/priority.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { ClusterSnapshot } from '../../model/cluster.ts';
import { FieldFault } from '../fields.ts';
import { readInputFile } from '../input-file.ts';
import { findingOf } from '../pods/manifest-objects.ts';
import { Gathered } from './gathered.ts';
import { resolvedPod } from './pod-priority.ts';
import { saturatedAmounts } from './saturated-amounts.ts';
import { BrokenPiece, snapshotDocuments } from './snapshot-documents.ts';
import { SNAPSHOT_WANTED, type SnapshotObject, snapshotObjects } from './snapshot-objects.ts';

/** A snapshot, and what a person should know about what it was made of. */
export interface SnapshotRead {
  readonly snapshot: ClusterSnapshot;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the files of a snapshot: objects, Lists, several documents, JSON or YAML. Kinds that a plan does not look at are
 * left out with a warning. Throws Failure: 66 and 77 for files that cannot be read, 65 for what cannot be what it should
 * be: malformed objects, and names or UIDs that are there twice.
 */
export function readSnapshot(paths: readonly string[], wanted = SNAPSHOT_WANTED): SnapshotRead {
  return readSnapshotTexts(
    paths.map((path) => readInputFile(path)),
    wanted,
  );
}

/** The same of texts that are read already. */
export function readSnapshotTexts(inputs: readonly TextFile[], wanted = SNAPSHOT_WANTED): SnapshotRead {
  try {
    return readAll(inputs, { how: 'by-pieces', wanted });
  } catch (error) {
    if (error instanceof BrokenPiece) return readAll(inputs, { how: 'whole', wanted });
    throw error;
  }
}

/** How texts are read, and what a refusal says is wanted. */
interface Reading {
  readonly how: 'by-pieces' | 'whole';
  readonly wanted: string;
}

function readAll(inputs: readonly TextFile[], reading: Reading): SnapshotRead {
  const gathered = new Gathered();
  const warnings = inputs.flatMap((input) => gatherFile(input, reading, gathered));
  const classes = knownClasses(gathered.priorityClasses);
  const pods = gathered.pods.map((pod) => resolvedPod(pod, classes));
  const podGroups = gathered.podGroups.map((group) => resolvedGroup(group, classes));
  const compositePodGroups = gathered.compositePodGroups.map((group) => resolvedGroup(group, classes));
  return {
    snapshot: {
      nodes: gathered.nodes,
      pods: pods.map(({ value }) => value),
      budgets: gathered.budgets,
      priorityClasses: gathered.priorityClasses,
      podGroups: podGroups.map(({ value }) => value),
      compositePodGroups: compositePodGroups.map(({ value }) => value),
    },
    warnings: [
      ...warnings,
      ...[pods, podGroups, compositePodGroups].flat().flatMap((resolved) => resolved.warnings),
      ...unknownNodes(gathered),
      ...saturatedAmounts(gathered.nodes, gathered.pods),
    ],
  };
}

function gatherFile(input: TextFile, { how, wanted }: Reading, gathered: Gathered): readonly Warning[] {
  const leftOut: string[] = [];
  const documents = snapshotDocuments(input, how);
  if (documents.every(({ document }) => document.value === null)) {
    throw new Failure(EXIT.badData, `${input.file}: the file is empty; ${wanted}`);
  }
  for (const { document, items } of documents) {
    placed({ input, document, wanted }, () => {
      for (const object of snapshotObjects(document.value, items, wanted)) {
        if (!addNamed(gathered, object)) leftOut.push(object.kind);
      }
    });
  }
  if (leftOut.length === 0) return [];
  const kinds = [...new Set(leftOut)].sort().join(', ');
  const objects = leftOut.length === 1 ? '1 object was' : `${leftOut.length} objects were`;
  const message = `${input.file}: ${objects} left out, for a plan does not look at such kinds (${kinds})`;
  return [warning('objects-left-out', message)];
}

/** Does something with a document; a fault in it becomes a Failure that says where. */
function placed(
  { input, document, wanted }: { input: TextFile; document: StructuredDocument; wanted: string },
  work: () => void,
): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    const remedy = error.path.length === 0 ? `; ${wanted}` : '';
    const fault = new FieldFault(error.path, `${error.message}${remedy}`);
    throw new Failure(EXIT.badData, formatFinding(findingOf(input.file, document, fault)));
  }
}

/** Faults inside an object say whose they are, as far as it has a name. */
function addNamed(gathered: Gathered, object: SnapshotObject): boolean {
  try {
    return gathered.add(object);
  } catch (error) {
    const called = nameForPeople(object);
    if (!(error instanceof FieldFault) || called === undefined) throw error;
    throw new FieldFault(error.path, `${object.kind} ${called}: ${error.message}`);
  }
}

function nameForPeople({ value }: SnapshotObject): string | undefined {
  const metadata = asRecord(valueAt(asRecord(value), 'metadata'));
  const namespace = asString(valueAt(metadata, 'namespace'));
  const name = asString(valueAt(metadata, 'name'));
  return namespace === undefined || name === undefined ? name : `${namespace}/${name}`;
}

/** Pods on nodes that the snapshot does not hold: they count in groups and budgets, and hold nothing of any node. */
function unknownNodes({ nodes, pods }: Gathered): readonly Warning[] {
  const known = new Set(nodes.map(({ name }) => name));
  const elsewhere = pods.filter(({ nodeName }) => nodeName !== undefined && !known.has(nodeName));
  if (elsewhere.length === 0) return [];
  const shown = firstOf([...new Set(elsewhere.map(({ nodeName }) => nodeName ?? ''))].sort());
  const count = elsewhere.length === 1 ? '1 pod is' : `${elsewhere.length} pods are`;
  const message = `${count} on nodes that the snapshot does not hold (${shown}): they count in groups and budgets only`;
  return [warning('node-not-in-snapshot', message)];
}
