import * as client from '@kubernetes/client-node';

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}
interface ModelClass {
  getAttributeTypeMap(): readonly Attribute[];
}

const MODELS = client as unknown as Readonly<Record<string, Partial<ModelClass> | undefined>>;

/**
 * The fields of a value that the API's schema does not have, as paths; the server would drop them or refuse them. `model` is
 * the name of the schema's class in the client, such as V1DaemonSet.
 */
export function unknownFields(value: unknown, model: string, path = ''): readonly string[] {
  const [, element] = /^Array<(.+)>$/.exec(model) ?? [];
  if (element !== undefined && Array.isArray(value)) {
    return value.flatMap((one, index) => unknownFields(one, element, `${path}[${index}]`));
  }
  const attributes = MODELS[model]?.getAttributeTypeMap?.();
  if (attributes === undefined || typeof value !== 'object' || value === null) return [];
  const types = new Map(attributes.map(({ baseName, type }) => [baseName, type]));
  return Object.entries(value).flatMap(([name, field]) => {
    const type = types.get(name);
    return type === undefined ? [`${path}.${name}`] : unknownFields(field, type, `${path}.${name}`);
  });
}
