/** Milliseconds that each of several ways takes, as medians over rounds in which they take turns: noise hits all alike. */
export function medians(
  rounds: number,
  ways: Readonly<Record<string, () => void>>,
): Readonly<Record<string, number>> {
  const names = Object.keys(ways);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round++) {
    for (const name of names) {
      globalThis.gc?.();
      const start = process.hrtime.bigint();
      ways[name]?.();
      const tookMs = Number(process.hrtime.bigint() - start) / 1e6;
      // The first two rounds are for the compiler.
      if (round >= 0) times.get(name)?.push(tookMs);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, medianOf(all)]));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A ratio against its aim, as a line. */
export function ratioLine(what: string, ratio: number, aim: number): string {
  return `  ${what.padEnd(66)} ${ratio.toFixed(2).padStart(7)} (aim: at most ${aim})${ratio <= aim ? '' : '  MISSED'}`;
}
