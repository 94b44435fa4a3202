import { nodeQosJsonSchema } from '../../config/nodeqos/schema.ts';
import { roffText, taggedParagraph } from './roff.ts';

/** What is used of the JSON schema of nodeqos.yaml. */
interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One key that takes a value. */
export interface SettingKey {
  /** As `memoryQos.onStop`. */
  readonly path: string;
  readonly description: string | undefined;
  /** What can be written there, such as `integer, 1 or more`. */
  readonly values: string;
  /** As it would be written; undefined where leaving it out means something of its own. */
  readonly default: string | undefined;
}

/** A bound that only says what fits into the number is not told. */
const NO_BOUND = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31 - 1, -(2 ** 31)];

/** Every key of nodeqos.yaml that takes a value, in the order of the schema. */
export function settingKeys(): readonly SettingKey[] {
  return keysBelow(nodeQosJsonSchema(), []);
}

/** A paragraph a key. */
export function settingParagraphs(keys: readonly SettingKey[]): string {
  return keys
    .map((key) =>
      taggedParagraph(
        `.B ${roffText(key.path)}`,
        [
          `${roffText(key.description ?? '')}.`,
          `(${roffText(key.values)}${key.default === undefined ? '' : `; default ${roffText(key.default)}`})`,
        ].join('\n'),
      ),
    )
    .join('');
}

function keysBelow(node: SchemaNode, path: readonly string[]): readonly SettingKey[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const below = [...path, name];
    if (child.properties !== undefined) return keysBelow(child, below);
    return [
      {
        path: below.join('.'),
        description: child.description,
        values: valuesOf(child),
        default: child.default === undefined ? undefined : written(child.default),
      },
    ];
  });
}

function valuesOf(node: SchemaNode): string {
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return node.enum.join(', ');
  if (node.anyOf !== undefined) return 'quantity';
  if (node.type === 'array') return 'list of strings';
  if (typeof node.additionalProperties === 'object') return 'map of strings';
  return `${node.type ?? 'value'}${atLeast(node)}`;
}

function atLeast({ minimum }: SchemaNode): string {
  return minimum === undefined || NO_BOUND.includes(minimum) ? '' : `, ${minimum} or more`;
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
