const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** Bytes for a person: 400Mi, 22.1Mi, -1.5Gi, 512 bytes. One decimal, rounded to the nearest; exact where it is whole. */
export function humanBytes(bytes: bigint): string {
  if (bytes < 0n) return `-${humanBytes(-bytes)}`;
  if (bytes === 1n) return '1 byte';
  if (bytes < 1024n) return `${bytes} bytes`;
  let unit = 0;
  while (unit < UNITS.length - 1 && tenths(bytes, unit) >= 10240n) unit += 1;
  const rounded = tenths(bytes, unit);
  const fraction = rounded % 10n === 0n ? '' : `.${rounded % 10n}`;
  return `${rounded / 10n}${fraction}${UNITS[unit] ?? ''}`;
}

function tenths(bytes: bigint, unit: number): bigint {
  const size = 1024n ** BigInt(unit + 1);
  return (bytes * 20n + size) / (size * 2n);
}

/** A duration for a person, from milliseconds: 250 ms, 1.5 s, 45 s, 12 min, 5 h; cut, not rounded, so never more than it was. */
export function humanDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 1) return `${Math.floor(ms)} ms`;
  if (seconds < 10) return `${Math.floor(seconds * 10) / 10} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

/** A count with its noun: 1 process, 2 processes. */
export function counted(count: bigint, one: string, many: string): string {
  return `${count} ${count === 1n ? one : many}`;
}

const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
] as const;

/** Place from 1 as a word: first to tenth, then 11th, 21st, 102nd. */
export function ordinal(place: number): string {
  const word = ORDINALS[place - 1];
  if (word !== undefined) return word;
  const teens = place % 100;
  if (teens >= 11 && teens <= 13) return `${place}th`;
  return `${place}${(['th', 'st', 'nd', 'rd'] as const)[place % 10] ?? 'th'}`;
}
