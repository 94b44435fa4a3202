import { FieldFault, type Fields } from '../fields.ts';

/** The name of an object; `kind` is for the sentence. Throws FieldFault where it has none. */
export function requiredName(object: Fields, kind: string): string {
  const metadata = object.map('metadata');
  const name = metadata.text('name');
  if (name === undefined) throw new FieldFault([...metadata.path, 'name'], `a ${kind} needs a name`);
  return name;
}

/** Namespace and name of an object that lives in a namespace; without one it is in `default`, as for kubectl. */
export function namespacedName(
  object: Fields,
  kind: string,
): { readonly namespace: string; readonly name: string } {
  return {
    namespace: object.map('metadata').text('namespace') ?? 'default',
    name: requiredName(object, kind),
  };
}
