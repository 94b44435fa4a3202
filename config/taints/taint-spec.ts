import { type Parsed, parsed, refused } from '../result.ts';
import { labelValueFault, qualifiedNameFault } from './label-syntax.ts';
import { TAINT_EFFECTS, type Taint } from './taint.ts';

/** Which taints are to be taken away: those of the key, or the one of key and effect. */
export interface TaintRemoval {
  readonly key: string;
  /** Absent: every effect of the key. */
  readonly effect?: string;
}

/** A taint as `kubectl taint` takes it, before it is known whether it is added or taken away. */
interface TaintSpec {
  readonly key: string;
  readonly value: string;
  readonly effect?: string;
}

/** Reads `key[=value]:Effect`, the way `kubectl taint` adds one. Refused: anything else, a removal too. */
export function parseTaintAddition(text: string): Parsed<Taint> {
  if (text.endsWith('-')) {
    return refused(
      `${shown(text)} takes a taint away, as its last dash says; give it as a removal, without the dash if you like`,
    );
  }
  const spec = parseSpec(text, text);
  if (!spec.ok) return spec;
  const { key, value, effect } = spec.value;
  return effect === undefined
    ? refused(
        `${shown(text)} has no effect, which a taint needs; write key=value:NoSchedule or key:NoSchedule`,
      )
    : parsed({ key, value, effect });
}

/**
 * Reads `key`, `key:Effect` or `key=value:Effect`, each with or without a dash at the end, the way `kubectl taint` takes
 * taints away. A value has to be one, and says nothing: key and effect tell which taint is meant.
 */
export function parseTaintRemoval(text: string): Parsed<TaintRemoval> {
  const spec = parseSpec(text.endsWith('-') ? text.slice(0, -1) : text, text);
  if (!spec.ok) return spec;
  const { key, effect } = spec.value;
  return parsed(effect === undefined ? { key } : { key, effect });
}

/**
 * Split at `:` into at most two parts; without one the whole text is a key, so that `k=v` is a bad key. `text` is what was
 * written, for a sentence.
 */
function parseSpec(spec: string, text: string): Parsed<TaintSpec> {
  const [left = '', effect, ...more] = spec.split(':');
  if (more.length > 0) return refused(`${shown(text)} is no taint: it has more than one colon`);
  if (effect === undefined) return withGoodNames(text, { key: left, value: '' });
  if (!TAINT_EFFECTS.includes(effect)) {
    return refused(
      `${shown(text)} is no taint: ${shown(effect)} is no effect; give ${TAINT_EFFECTS.join(', ')}, written like that`,
    );
  }
  const [key = '', value = '', ...rest] = left.split('=');
  if (rest.length > 0) return refused(`${shown(text)} is no taint: it has more than one equals sign`);
  return withGoodNames(text, { key, value, effect });
}

function withGoodNames(text: string, spec: TaintSpec): Parsed<TaintSpec> {
  const key = qualifiedNameFault(spec.key);
  if (key !== undefined) return refused(`${shown(text)} is no taint: ${shown(spec.key)} is no key: ${key}`);
  const value = labelValueFault(spec.value);
  return value === undefined
    ? parsed(spec)
    : refused(`${shown(text)} is no taint: ${shown(spec.value)} is no value: ${value}`);
}

function shown(text: string): string {
  return JSON.stringify(text);
}
