import { type Amount, isSignal, type Threshold } from '../../../config/signal.ts';
import type {
  EvictionCause,
  PendingRelease,
  Shortage,
  StorageLimit,
  UnfinishedEviction,
} from '../../model/eviction.ts';
import type { PodUsage } from '../../model/pod.ts';
import { USAGE_NUMBERS } from '../../model/usage-fields.ts';

type Json = Readonly<Record<string, unknown>>;

const STORAGE_LIMITS: readonly StorageLimit[] = [
  'emptydirfs.limit',
  'ephemeralpodfs.limit',
  'ephemeralcontainerfs.limit',
];

/** A pending release as plain JSON. Integers are text, since readers of JSON keep them exact only up to 2^53. */
export function printPending(pending: PendingRelease): Json {
  const { usage, unfinished, shortage, ...rest } = pending;
  return {
    ...rest,
    ...(shortage === undefined ? {} : { shortage: printShortage(shortage) }),
    ...(usage === undefined ? {} : { usage: printUsage(usage) }),
    ...(unfinished === undefined ? {} : { unfinished: printUnfinished(unfinished) }),
  };
}

/** Reads what printPending wrote; undefined for anything else. */
export function parsePending(value: unknown): PendingRelease | undefined {
  const fields = asObject(value);
  const told = fields === undefined ? undefined : parseTold(fields);
  const usage = optional(fields?.['usage'], parseUsage);
  const unfinished = optional(fields?.['unfinished'], parseUnfinished);
  const shortage = optional(fields?.['shortage'], parseShortage);
  if (told === undefined || !usage.ok || !unfinished.ok || !shortage.ok) {
    return undefined;
  }
  return {
    ...told,
    usage: usage.value,
    ...(unfinished.value === undefined ? {} : { unfinished: unfinished.value }),
    ...(shortage.value === undefined ? {} : { shortage: shortage.value }),
  };
}

type Optional<T> = { readonly ok: true; readonly value: T | undefined } | { readonly ok: false };

/** What may be absent, and must be right where it is there. */
function optional<T>(field: unknown, parse: (field: unknown) => T | undefined): Optional<T> {
  if (field === undefined) {
    return { ok: true, value: undefined };
  }
  const value = parse(field);
  return value === undefined ? { ok: false } : { ok: true, value };
}

/** Which pod was told to go, and when. */
function parseTold(fields: Json): Omit<PendingRelease, 'usage' | 'unfinished' | 'shortage'> | undefined {
  const { namespace, name, uid, cgroupUid, evictedAtMs, gracePeriodSeconds, goneAtMs } = fields;
  if (!isText(namespace) || !isText(name) || !isNumber(evictedAtMs) || !isNumber(gracePeriodSeconds)) {
    return undefined;
  }
  return {
    namespace,
    name,
    ...(isText(uid) ? { uid } : {}),
    ...(isText(cgroupUid) ? { cgroupUid } : {}),
    evictedAtMs,
    gracePeriodSeconds,
    ...(isNumber(goneAtMs) ? { goneAtMs } : {}),
  };
}

function printShortage({ signal, available, back }: Shortage): Json {
  return { signal, available: `${available}`, back: `${back}` };
}

function parseShortage(value: unknown): Shortage | undefined {
  const fields = asObject(value);
  const signal = fields?.['signal'];
  const available = parseInteger(fields?.['available']);
  const back = parseInteger(fields?.['back']);
  return isText(signal) && isSignal(signal) && available !== undefined && back !== undefined
    ? { signal, available, back }
    : undefined;
}

/** Those by container and by volume are not kept: a release is not measured by them. */
function printUsage(usage: PodUsage): Json {
  return Object.fromEntries(
    USAGE_NUMBERS.flatMap((key) => (usage[key] === undefined ? [] : [[key, `${usage[key]}`]])),
  );
}

function parseUsage(value: unknown): PodUsage | undefined {
  const fields = asObject(value);
  if (fields === undefined) {
    return undefined;
  }
  const usage: Partial<Record<(typeof USAGE_NUMBERS)[number], bigint>> = {};
  for (const key of USAGE_NUMBERS) {
    if (fields[key] !== undefined) {
      const amount = parseInteger(fields[key]);
      if (amount === undefined) {
        return undefined;
      }
      usage[key] = amount;
    }
  }
  return usage;
}

function printUnfinished({ place, cause }: UnfinishedEviction): Json {
  const where = place === undefined ? {} : { cgroup: place.cgroup, inode: `${place.inode}` };
  return { ...where, cause: printCause(cause) };
}

function parseUnfinished(value: unknown): UnfinishedEviction | undefined {
  const fields = asObject(value);
  const { cgroup, inode: digits } = fields ?? {};
  const inode = parseInteger(digits);
  const cause = parseCause(fields?.['cause']);
  if (cause === undefined) return undefined;
  if (cgroup === undefined && digits === undefined) return { cause };
  return isText(cgroup) && inode !== undefined ? { cause, place: { cgroup, inode } } : undefined;
}

function printCause(cause: EvictionCause): Json {
  if (cause.kind !== 'threshold') {
    return { ...cause };
  }
  const { threshold, available, capacity } = cause;
  const { value, minReclaim } = threshold;
  return {
    kind: cause.kind,
    threshold: {
      ...threshold,
      value: printAmount(value),
      minReclaim: minReclaim === null ? null : printAmount(minReclaim),
    },
    available: `${available}`,
    capacity: `${capacity}`,
  };
}

function parseCause(value: unknown): EvictionCause | undefined {
  const fields = asObject(value);
  switch (fields?.['kind']) {
    case 'storage-limit':
      return parseStorageCause(fields);
    case 'taint':
      return parseTaintCause(fields);
    default:
      return parseThresholdCause(fields);
  }
}

function parseStorageCause({ limit: text, message }: Json): EvictionCause | undefined {
  const limit = STORAGE_LIMITS.find((name) => name === text);
  return limit !== undefined && isText(message) ? { kind: 'storage-limit', limit, message } : undefined;
}

function parseThresholdCause(fields: Json | undefined): EvictionCause | undefined {
  const threshold = parseThreshold(fields?.['threshold']);
  const available = parseInteger(fields?.['available']);
  const capacity = parseInteger(fields?.['capacity']);
  return threshold !== undefined && available !== undefined && capacity !== undefined
    ? { kind: 'threshold', threshold, available, capacity }
    : undefined;
}

function parseTaintCause({ taint, message }: Json): EvictionCause | undefined {
  const { key, value, effect } = asObject(taint) ?? {};
  return isText(key) && isText(value) && isText(effect) && isText(message)
    ? { kind: 'taint', taint: { key, value, effect }, message }
    : undefined;
}

function parseThreshold(value: unknown): Threshold | undefined {
  const fields = asObject(value);
  if (fields === undefined) {
    return undefined;
  }
  const { id, signal, type, gracePeriodMs, derived } = fields;
  const amount = parseAmount(fields['value']);
  const minReclaim = fields['minReclaim'] === null ? null : parseAmount(fields['minReclaim']);
  if (!isText(id) || !isText(signal) || !isSignal(signal) || !isNumber(gracePeriodMs)) {
    return undefined;
  }
  const isOfAKind = type === 'hard' || type === 'soft';
  return isOfAKind && amount !== undefined && minReclaim !== undefined
    ? { id, signal, type, value: amount, gracePeriodMs, minReclaim, derived: derived === true }
    : undefined;
}

function printAmount(amount: Amount): Json {
  return 'quantity' in amount ? { quantity: `${amount.quantity}` } : amount;
}

function parseAmount(value: unknown): Amount | undefined {
  const fields = asObject(value);
  const quantity = parseInteger(fields?.['quantity']);
  const percentage = fields?.['percentage'];
  if (quantity !== undefined) {
    return { quantity };
  }
  return isNumber(percentage) ? { percentage } : undefined;
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function parseInteger(value: unknown): bigint | undefined {
  return isText(value) && /^-?[0-9]{1,30}$/.test(value) ? BigInt(value) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
