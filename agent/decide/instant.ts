/** RFC 3339 as Kubernetes reads it, with whatever part of a second; a leap second is none. */
const RFC_3339 =
  /^(\d{4}-\d{2}-(\d{2}))[Tt]((?:[01]\d|2[0-3]):\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/;

const DIGITS_OF_NANOSECONDS = 9;

/** The nanoseconds from the epoch to a time such as 2026-03-01T10:00:00.5Z; finer digits do not count. Undefined for no time. */
export function instantOf(text: string): bigint | undefined {
  const [, date = '', day = '', time = '', fraction = '', zone = ''] = RFC_3339.exec(text) ?? [];
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(ms) || !isDay(date, Number(day))) return undefined;
  const nanoseconds = fraction.slice(0, DIGITS_OF_NANOSECONDS).padEnd(DIGITS_OF_NANOSECONDS, '0');
  return BigInt(ms) * 1_000_000n + BigInt(nanoseconds);
}

/** A day that a month does not have would be read as one of the next month. */
function isDay(date: string, day: number): boolean {
  return day <= 28 || new Date(date).getUTCDate() === day;
}
