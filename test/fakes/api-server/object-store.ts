import { type ApiObject, objectKey, RESOURCE_KINDS } from './objects.ts';

/** A change of one object, as etcd has it. */
export interface StoreChange {
  readonly revision: number;
  readonly resource: string;
  /** undefined: it is gone with this change. */
  readonly object: ApiObject | undefined;
  /** undefined: it is new. */
  readonly before: ApiObject | undefined;
}

/** What an API server keeps: objects, one revision for all of them, and what changed since it last forgot. */
export class ObjectStore {
  /** Told of every change, in order. */
  readonly followers = new Set<(change: StoreChange) => void>();
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #changes: StoreChange[] = [];
  #revision = 1;
  #oldest = 1;
  #made = 0;

  /** The resourceVersion of a list made now. */
  get revision(): number {
    return this.#revision;
  }

  /** Changes after a revision; undefined where they are forgotten, or where the revision has not been yet. */
  changesAfter(revision: number): readonly StoreChange[] | undefined {
    if (revision < this.#oldest || revision > this.#revision) return undefined;
    return this.#changes.filter((change) => change.revision > revision);
  }

  /** All objects of a kind, by namespace and name. */
  all(resource: string): readonly ApiObject[] {
    const objects = [...this.#of(resource)];
    return objects.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  get(resource: string, name: string, namespace?: string): ApiObject | undefined {
    return this.#of(resource).get(namespace === undefined ? name : `${namespace}/${name}`);
  }

  /** Makes an object, or puts another state in its place; a new one gets a UID unless it has one. */
  put(resource: string, object: ApiObject): ApiObject {
    const key = objectKey(object);
    const before = this.#of(resource).get(key);
    const kind = RESOURCE_KINDS.find(({ plural }) => plural === resource);
    const made = before?.metadata ?? this.#birth();
    const stored: ApiObject = {
      ...(kind === undefined ? {} : { apiVersion: kind.apiVersion, kind: kind.kind }),
      ...object,
      metadata: {
        uid: made['uid'] as string,
        creationTimestamp: made['creationTimestamp'],
        ...object.metadata,
        resourceVersion: this.#next(),
      },
    };
    this.#of(resource).set(key, stored);
    this.#changed({ revision: this.#revision, resource, object: stored, before });
    return stored;
  }

  /** Takes an object away; its last state then has the revision of that. undefined: there is none. */
  remove(resource: string, name: string, namespace?: string): ApiObject | undefined {
    const before = this.get(resource, name, namespace);
    if (before === undefined) return undefined;
    this.#of(resource).delete(objectKey(before));
    this.#next();
    this.#changed({ revision: this.#revision, resource, object: undefined, before });
    return before;
  }

  /** Moves the revision on, as changes of other kinds do. */
  advance(): void {
    this.#next();
  }

  /** Forgets what has changed until now: a watch from before is answered with 410. */
  compact(): void {
    this.#changes.length = 0;
    this.#oldest = this.#revision;
  }

  #birth(): Readonly<Record<string, unknown>> {
    this.#made += 1;
    const number = String(this.#made).padStart(12, '0');
    return { uid: `00000000-0000-4000-8000-${number}`, creationTimestamp: '2026-01-01T00:00:00Z' };
  }

  #of(resource: string): Map<string, ApiObject> {
    const objects = this.#objects.get(resource) ?? new Map<string, ApiObject>();
    this.#objects.set(resource, objects);
    return objects;
  }

  #next(): string {
    this.#revision += 1;
    return String(this.#revision);
  }

  #changed(change: StoreChange): void {
    this.#changes.push(change);
    for (const follower of [...this.followers]) follower(change);
  }
}
