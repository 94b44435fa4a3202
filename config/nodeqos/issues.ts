import type { z } from 'zod';
import type { Fault } from '../fault.ts';
import type { KeyPath } from '../text/place.ts';
import {
  asList,
  asRecord,
  type PlainRecord,
  type PlainValue,
  typeName,
  valueAt,
} from '../text/plain-value.ts';

/** What the schema found, in the project's words: what is wrong with the value at each path, and what to write. */
export function faultsOf(issues: readonly z.core.$ZodIssue[], configuration: PlainRecord): readonly Fault[] {
  return issues.flatMap((issue): readonly Fault[] => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: 'unknown key; correct its name or remove it',
      }));
    }
    return [{ path, message: sentence(issue, valueIn(configuration, path)) }];
  });
}

function valueIn(configuration: PlainRecord, path: KeyPath): PlainValue | undefined {
  return path.reduce<PlainValue | undefined>(
    (value, part) => (typeof part === 'number' ? asList(value)?.[part] : valueAt(asRecord(value), part)),
    configuration,
  );
}

function sentence(issue: z.core.$ZodIssue, value: PlainValue | undefined): string {
  const got = value === undefined ? 'nothing' : `${typeName(value)}${shown(value)}`;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${EXPECTED[issue.expected] ?? issue.expected}, got ${got}; correct it or remove the key`;
    case 'invalid_union':
      return `expected a quantity or a whole number, got ${got}; correct it or remove the key`;
    case 'invalid_value':
      return `got ${got}; write ${issue.values.map(String).join(' or ')}`;
    case 'too_small':
      return typeof value === 'string'
        ? issue.message
        : `got ${got}; write a number ${issue.inclusive === false ? 'above' : 'of at least'} ${String(issue.minimum)}`;
    case 'too_big':
      return `got ${got}; write a number of at most ${String(issue.maximum)}`;
    default:
      return issue.message;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  object: 'a map',
  record: 'a map',
  array: 'a list',
};

function shown(value: PlainValue): string {
  if (typeof value === 'string') {
    return ` ${JSON.stringify(value.slice(0, 60))}`;
  }
  return typeof value === 'object' ? '' : ` ${String(value)}`;
}
