/** An object of an API server, as far as the server itself looks into it. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly [field: string]: unknown;
}

/** A kind of objects: its plural name, as in a path, and what lists and objects of it are called. */
export interface ResourceKind {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
}

export const RESOURCE_KINDS: readonly ResourceKind[] = [
  { plural: 'pods', apiVersion: 'v1', kind: 'Pod' },
  { plural: 'nodes', apiVersion: 'v1', kind: 'Node' },
  { plural: 'events', apiVersion: 'v1', kind: 'Event' },
];

/** A field selector such as `spec.nodeName=a,status.phase!=Failed`, as a question to an object. */
export function fieldSelector(text: string): (object: ApiObject) => boolean {
  const terms = text.split(',').filter((term) => term !== '');
  const questions = terms.map((term) => {
    const [, path = '', operator, value] = /^([^=!]+)(!=|==?)(.*)$/.exec(term) ?? [];
    return (object: ApiObject) => (fieldAt(object, path) === value) === (operator !== '!=');
  });
  return (object) => questions.every((holds) => holds(object));
}

function fieldAt(object: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
      object,
    );
  return typeof value === 'string' ? value : '';
}

/** `namespace/name`, or the name alone of what has no namespace. */
export function objectKey({ metadata }: ApiObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}
