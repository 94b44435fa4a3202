import type { Finding } from '../../../config/finding.ts';
import type { KeyPath, StructuredDocument } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { FieldFault, Fields } from '../fields.ts';

/** One Kubernetes object of a file: its kind, and where it is. */
export interface ManifestObject {
  readonly kind: string;
  readonly value: PlainValue;
  /** Below the document: empty for a document that is the object, `items`, 3 for one in a list. */
  readonly path: KeyPath;
}

/** What one document of a file holds. */
export interface DocumentObjects {
  readonly objects: readonly ManifestObject[];
  /** Whether the document is a list that may be empty: no pods is then an answer, not a mistake. */
  readonly isEmptyList: boolean;
}

/** What is expected of a file with pods, and how to get one: the remedy of every refusal here. */
export const POD_FILE_WANTED =
  'expected a Pod, a PodList or a List with pods, as printed by: kubectl get pods --all-namespaces -o yaml';

/**
 * The objects of one document: itself, or the items of a List or PodList (which need no kind in a PodList). An empty
 * document holds none. Throws FieldFault where it is no Kubernetes object.
 */
export function objectsOf(document: StructuredDocument): DocumentObjects {
  if (document.value === null) {
    return { objects: [], isEmptyList: false };
  }
  const root = new Fields(document.value);
  const kind = kindOf(root);
  if (kind !== 'List' && kind !== 'PodList') {
    return { objects: [{ kind, value: document.value, path: [] }], isEmptyList: false };
  }
  requireV1(root, kind);
  const items = root.items('items');
  const objects = items.map((value, at): ManifestObject => {
    const path = ['items', at];
    const item = new Fields(value, path);
    return { kind: kind === 'PodList' && !item.has('kind') ? 'Pod' : kindOf(item), value, path };
  });
  return { objects, isEmptyList: items.length === 0 };
}

/** Refuses an object of another version of the API than v1, where it says which one it is of. */
export function requireV1(object: Fields, kind: string): void {
  const apiVersion = object.text('apiVersion');
  if (apiVersion !== undefined && apiVersion !== 'v1') {
    throw new FieldFault([...object.path, 'apiVersion'], `${kind} is read in version v1, not ${apiVersion}`);
  }
}

/** The fault as a finding: at the field's place, or that of the nearest thing around it that is there. */
export function findingOf(file: string, document: StructuredDocument, fault: FieldFault): Finding {
  const place = nearestPlace(document, fault.path);
  return { file, ...place, path: keyPathText(fault.path), message: fault.message };
}

/** A path as people write it: `items[3].metadata.annotations["kubernetes.io/config.hash"]`. */
function keyPathText(path: KeyPath): string {
  return path.map(keyText).join('').replace(/^\./, '');
}

function keyText(key: string | number): string {
  if (typeof key === 'number') {
    return `[${key}]`;
  }
  return /^[A-Za-z0-9_-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function nearestPlace(
  document: StructuredDocument,
  path: KeyPath,
): { line: number; column: number } | undefined {
  const place = document.placeOf(path);
  return place !== undefined || path.length === 0 ? place : nearestPlace(document, path.slice(0, -1));
}

function kindOf(object: Fields): string {
  const kind = object.text('kind');
  if (kind === undefined) {
    throw new FieldFault([...object.path, 'kind'], `the object has no kind; ${POD_FILE_WANTED}`);
  }
  return kind;
}
