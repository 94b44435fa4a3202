/** Averages in percent of time stalled, and the total in microseconds, as the kernel prints them. */
interface PressureAverages {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  readonly totalUs: bigint;
}

/** One *.pressure file; a line that the kernel does not print is absent (cpu had no `full` before 5.13). */
export interface PressureFile {
  readonly some?: PressureAverages;
  readonly full?: PressureAverages;
}

const LINE =
  /^(some|full) avg10=([0-9]+\.[0-9]+) avg60=([0-9]+\.[0-9]+) avg300=([0-9]+\.[0-9]+) total=([0-9]+)$/;

/** Reads a pressure file (kernel, PSI). Undefined when it holds neither line: no pressure information is not no pressure. */
export function parsePressure(text: string): PressureFile | undefined {
  const lines = text.split('\n').map((line) => LINE.exec(line.trimEnd()));
  const some = averages(lines, 'some');
  const full = averages(lines, 'full');
  if (some === undefined && full === undefined) {
    return undefined;
  }
  return { ...(some === undefined ? {} : { some }), ...(full === undefined ? {} : { full }) };
}

function averages(
  lines: readonly (RegExpExecArray | null)[],
  kind: 'some' | 'full',
): PressureAverages | undefined {
  const line = lines.find((match) => match?.[1] === kind);
  if (line === undefined || line === null) {
    return undefined;
  }
  const [, , avg10 = '', avg60 = '', avg300 = '', total = ''] = line;
  return {
    avg10: Number(avg10),
    avg60: Number(avg60),
    avg300: Number(avg300),
    totalUs: BigInt(total),
  };
}
