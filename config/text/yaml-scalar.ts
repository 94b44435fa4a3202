import { type Parsed, parsed, refused } from '../result.ts';

type YamlScalar = null | boolean | number | bigint | string;

const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
const NO_NUMBER = /^(?:\.nan|\.NaN|\.NAN|[+-]?\.(?:inf|Inf|INF))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const UINT64_MAX = 18446744073709551615n;
const INT64_MIN = -9223372036854775808n;
const CORE_TAG = 'tag:yaml.org,2002:';

/**
 * What a plain scalar without a tag is, in YAML 1.1 as go-yaml v2 reads it: yes and off are booleans, 010 is 8, 1_000 is
 * 1000, 1:30 is a text, and so is a date, since JSON has none. Not-a-number and infinity are refused: JSON has none either.
 */
export function plainScalar(text: string): Parsed<YamlScalar> {
  const word = WORDS.get(text);
  if (word !== undefined) {
    return parsed(word);
  }
  if (NO_NUMBER.test(text)) {
    return refused(`${text} is not a number that a configuration can hold`);
  }
  return parsed(/^[-+.0-9]/.test(text) ? (numberIn(text) ?? text) : text);
}

function numberIn(text: string): number | bigint | undefined {
  const bare = text.startsWith('.') ? text : text.replaceAll('_', '');
  const integer = text.startsWith('.') ? undefined : integerIn(bare);
  if (integer !== undefined) {
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  const float = FLOAT.test(bare) ? Number(bare) : Number.NaN;
  return Number.isFinite(float) ? float + 0 : undefined;
}

/** An integer in Go's notation with base 0, where it fits 64 bits: 0x, 0o, 0b and a leading 0 name the base. */
function integerIn(text: string): bigint | undefined {
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/.exec(text);
  const [, sign = '', digits = ''] = match ?? [];
  if (match === null) {
    return undefined;
  }
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const magnitude = BigInt(octal.toLowerCase());
  const value = sign === '-' ? -magnitude : magnitude;
  return value >= INT64_MIN && value <= UINT64_MAX ? value : undefined;
}

/** What a scalar with a tag is. A tag of somebody's own leaves the text as it is, as go-yaml does. */
export function taggedScalar(tag: string, text: string): Parsed<YamlScalar> {
  const kind = tag.startsWith(CORE_TAG) ? tag.slice(CORE_TAG.length) : '';
  if (!['int', 'float', 'bool', 'null'].includes(kind)) {
    return kind === 'binary' ? binary(text) : parsed(text);
  }
  const plain = plainScalar(text);
  if (plain.ok && kindsOf(plain.value).includes(kind)) {
    return plain;
  }
  return refused(`${JSON.stringify(text)} is not what its tag !!${kind} says`);
}

function kindsOf(value: YamlScalar): readonly string[] {
  if (value === null) {
    return ['null'];
  }
  switch (typeof value) {
    case 'boolean':
      return ['bool'];
    case 'string':
      return [];
    default:
      return Number.isInteger(Number(value)) ? ['int', 'float'] : ['float'];
  }
}

function binary(text: string): Parsed<string> {
  return refused(
    `!!binary ${JSON.stringify(text.slice(0, 20))} is not something that a configuration can hold; write the text itself`,
  );
}
