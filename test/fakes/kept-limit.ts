const PAGE_BYTES = 4096n;
/** From here on the kernel keeps no number (PAGE_COUNTER_MAX). */
const NO_LIMIT_BYTES = 9223372036854771712n;

/**
 * What a limit file of the kernel reads after a text was written: whole pages, `max`, and a line break. Undefined for what
 * the kernel refuses, or takes for something else than it looks like.
 */
export function keptLimit(text: string): string | undefined {
  const digits = /^(?:max|0|[1-9][0-9]{0,18})(?=\n?$)/.exec(text)?.[0];
  if (digits === undefined) return undefined;
  if (digits === 'max' || BigInt(digits) >= NO_LIMIT_BYTES) return 'max\n';
  return `${BigInt(digits) - (BigInt(digits) % PAGE_BYTES)}\n`;
}
