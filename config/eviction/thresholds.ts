import type { Fault } from '../fault.ts';
import { parseDuration } from '../numbers/duration.ts';
import { type Parsed, refused } from '../result.ts';
import { type Amount, isSignal, SIGNALS, type Signal, type Threshold } from '../signal.ts';
import type { KeyPath } from '../text/place.ts';
import { asRecord, type PlainRecord, type PlainValue } from '../text/plain-value.ts';
import { readAmount, readReclaim } from './amount.ts';

/** The four maps that state thresholds; a map that is absent or of a wrong type states nothing. */
export interface ThresholdMaps {
  readonly hard: PlainValue | undefined;
  readonly soft: PlainValue | undefined;
  readonly softGracePeriod: PlainValue | undefined;
  readonly minimumReclaim: PlainValue | undefined;
}

/** Where the maps stand, for messages: evictionHard or eviction.thresholds.hard. */
export type ThresholdPaths = Readonly<Record<keyof ThresholdMaps, KeyPath>>;

export interface ThresholdReading {
  /** Without the allocatableMemory.available copies, in no promised order. */
  readonly thresholds: readonly Threshold[];
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
}

interface Context {
  readonly maps: ThresholdMaps;
  readonly paths: ThresholdPaths;
  readonly graces: ReadonlyMap<Signal, number>;
  /** Signals whose grace period is there and wrong: told once, not a second time as missing. */
  readonly badGraces: ReadonlySet<string>;
  readonly reclaims: ReadonlyMap<Signal, Amount>;
  readonly errors: Fault[];
  readonly warnings: Fault[];
}

/**
 * Reads eviction thresholds by the kubelet's rules (eviction: ParseThresholdConfig): nine signals, amounts above 0 or
 * percentages from 0 to 100, exactly "0%" and "100%" turn a threshold off, a soft one needs a grace period, and one with a
 * grace of 0s counts as hard.
 */
export function readThresholds(maps: ThresholdMaps, paths: ThresholdPaths): ThresholdReading {
  const errors: Fault[] = [];
  const warnings: Fault[] = [];
  const graces = readMap(maps.softGracePeriod, paths.softGracePeriod, readGrace, errors);
  const context: Context = {
    maps,
    paths,
    graces,
    badGraces: new Set(
      Object.keys(asRecord(maps.softGracePeriod) ?? {}).filter(
        (key) => !(graces as ReadonlyMap<string, number>).has(key),
      ),
    ),
    reclaims: readMap(maps.minimumReclaim, paths.minimumReclaim, readReclaim, errors),
    errors,
    warnings,
  };
  const hard = readKind('hard', context);
  const soft = readKind('soft', context);
  warnAboutIdleEntries(context);
  return { thresholds: [...hard, ...soft], errors, warnings };
}

function readMap<T>(
  map: PlainValue | undefined,
  path: KeyPath,
  read: (text: string) => Parsed<T>,
  errors: Fault[],
): ReadonlyMap<Signal, T> {
  const result = new Map<Signal, T>();
  for (const [key, text] of entriesOf(map)) {
    const value: Parsed<T> = isSignal(key) ? read(text) : unsupported(key);
    if (!value.ok) {
      errors.push({ path: [...path, key], message: value.message });
    } else if (isSignal(key)) {
      result.set(key, value.value);
    }
  }
  return result;
}

/** The texts of a map; null counts as the empty text, as Go decodes it. Values of other types are told of elsewhere. */
function entriesOf(map: PlainValue | undefined): readonly (readonly [string, string])[] {
  return Object.entries(asRecord(map) ?? {}).flatMap(([key, value]): (readonly [string, string])[] =>
    typeof value === 'string' ? [[key, value]] : value === null ? [[key, '']] : [],
  );
}

function unsupported(signal: string): { readonly ok: false; readonly message: string } {
  return refused(
    `${JSON.stringify(signal)} is not an eviction signal; the signals are ${SIGNALS.join(', ')}`,
  );
}

function readGrace(text: string): Parsed<number> {
  const grace = parseDuration(text);
  return grace.ok && grace.value < 0
    ? refused(`the grace period ${text} is negative; write 0s or more`)
    : grace;
}

function readKind(kind: 'hard' | 'soft', context: Context): readonly Threshold[] {
  const thresholds: Threshold[] = [];
  for (const [key, text] of entriesOf(context.maps[kind])) {
    const path = [...context.paths[kind], key];
    const stated = isSignal(key) ? readAmount(text) : unsupported(key);
    if (!stated.ok) {
      context.errors.push({ path, message: stated.message });
    } else if (isSignal(key) && stated.value.amount !== null) {
      const { amount, warning } = stated.value;
      const threshold = makeThreshold({ kind, signal: key, text, amount, path }, context);
      thresholds.push(...(threshold === undefined ? [] : [threshold]));
      context.warnings.push(...(warning === undefined ? [] : [{ path, message: warning }]));
    }
  }
  return thresholds;
}

interface Statement {
  readonly kind: 'hard' | 'soft';
  readonly signal: Signal;
  readonly text: string;
  readonly amount: Amount;
  readonly path: KeyPath;
}

function makeThreshold(statement: Statement, context: Context): Threshold | undefined {
  const { signal, amount, path } = statement;
  const grace = statement.kind === 'hard' ? 0 : context.graces.get(signal);
  if (grace === undefined) {
    if (!context.badGraces.has(signal)) {
      const message = `a soft threshold needs a grace period; add ${signal} to ${context.paths.softGracePeriod.join('.')}`;
      context.errors.push({ path, message });
    }
    return undefined;
  }
  if (signal.startsWith('containerfs.')) {
    const message = 'the kubelet sets containerfs thresholds itself and leaves this one out; remove it';
    context.warnings.push({ path, message });
    return undefined;
  }
  if (statement.kind === 'soft' && grace === 0) {
    const message =
      'a soft threshold with a grace period of 0s acts as a hard one; write it as one or give it a grace period';
    context.warnings.push({ path, message });
  }
  const type = grace === 0 ? 'hard' : 'soft';
  const minReclaim = context.reclaims.get(signal) ?? null;
  const id = `${signal} ${type} ${statement.text}`;
  return { id, signal, type, value: amount, gracePeriodMs: grace, minReclaim, derived: false };
}

function warnAboutIdleEntries(context: Context): void {
  const { maps, paths } = context;
  const hard: PlainRecord = asRecord(maps.hard) ?? {};
  const soft: PlainRecord = asRecord(maps.soft) ?? {};
  for (const signal of context.graces.keys()) {
    if (!Object.hasOwn(soft, signal)) {
      const message = `has no effect: there is no soft threshold for ${signal}; add one or remove this`;
      context.warnings.push({ path: [...paths.softGracePeriod, signal], message });
    }
  }
  for (const signal of context.reclaims.keys()) {
    if (
      !Object.hasOwn(soft, signal) &&
      !Object.hasOwn(hard, signal) &&
      signal !== 'allocatableMemory.available'
    ) {
      const message = `has no effect: there is no threshold for ${signal}; add one or remove this`;
      context.warnings.push({ path: [...paths.minimumReclaim, signal], message });
    }
  }
}
