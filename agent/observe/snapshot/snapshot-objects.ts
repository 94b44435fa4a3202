import type { KeyPath, StructuredDocument } from '../../../config/text/document.ts';
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
 * their kind. A document of nothing holds none. Throws FieldFault where it is no Kubernetes object.
 */
export function snapshotObjects(document: StructuredDocument): readonly SnapshotObject[] {
  if (document.value === null) return [];
  const root = new Fields(document.value);
  const kind = kindOf(root, undefined);
  const [, itemKind] = /^(.*)List$/.exec(kind) ?? [];
  return itemKind === undefined || !root.has('items')
    ? [objectOf(document.value, [], kind)]
    : root.items('items').map((value, at) => {
        const path = ['items', at];
        return objectOf(value, path, kindOf(new Fields(value, path), itemKind));
      });
}

function objectOf(value: PlainValue, path: KeyPath, kind: string): SnapshotObject {
  const apiVersion = new Fields(value, path).text('apiVersion');
  return { kind, ...(apiVersion === undefined ? {} : { apiVersion }), value, path };
}

function kindOf(object: Fields, fallback: string | undefined): string {
  const kind = object.text('kind') ?? (fallback === '' ? undefined : fallback);
  if (kind === undefined) {
    throw new FieldFault([...object.path, 'kind'], `the object has no kind; ${SNAPSHOT_WANTED}`);
  }
  return kind;
}
