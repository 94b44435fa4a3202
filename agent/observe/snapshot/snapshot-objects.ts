import type { KeyPath } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';
import { FieldFault, Fields } from '../fields.ts';

/** One Kubernetes object of a snapshot. */
export interface SnapshotObject {
  readonly kind: string;
  /** Absent where it says none, as items of a list of one kind do not have to. */
  readonly apiVersion?: string;
  readonly value: PlainValue;
  /** Below the document: empty for a document that is the object. */
  readonly path: KeyPath;
}

/** How to get a snapshot: the remedy of every refusal here. */
export const SNAPSHOT_WANTED =
  'a snapshot is what this prints: kubectl get nodes,pods,pdb,priorityclasses -A -o json';

/**
 * The objects of one document: itself, or the items of a List or of a list of one kind (PodList), which need not say
 * their kind. A document of nothing holds none. `wanted` is the remedy of refusals; `items`, where given, are the list's own, which are read one by one. Throws
 * FieldFault, also while objects are taken, where something is no Kubernetes object.
 */
export function* snapshotObjects(
  value: PlainValue,
  items?: Iterable<PlainValue>,
  wanted = SNAPSHOT_WANTED,
): Generator<SnapshotObject> {
  if (value === null) return;
  const root = new Fields(value);
  const kind = kindOf(root, undefined, wanted);
  const [, itemKind] = /^(.*)List$/.exec(kind) ?? [];
  if (itemKind === undefined || !root.has('items')) {
    yield objectOf(value, [], kind);
    return;
  }
  let at = 0;
  for (const item of items ?? root.items('items')) {
    const path = ['items', at];
    yield objectOf(item, path, kindOf(new Fields(item, path), itemKind, wanted));
    at += 1;
  }
}

function objectOf(value: PlainValue, path: KeyPath, kind: string): SnapshotObject {
  const apiVersion = new Fields(value, path).text('apiVersion');
  return { kind, ...(apiVersion === undefined ? {} : { apiVersion }), value, path };
}

function kindOf(object: Fields, fallback: string | undefined, wanted: string): string {
  const kind = object.text('kind') ?? (fallback === '' ? undefined : fallback);
  if (kind === undefined) {
    throw new FieldFault([...object.path, 'kind'], `the object has no kind; ${wanted}`);
  }
  return kind;
}
