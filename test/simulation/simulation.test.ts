import { describe, expect, it } from 'vitest';
import { type SimOptions, type SimResult, simulate } from './simulation.ts';

/** The seeds of every run; together at least 100,000 ticks. */
const SHORT_RUN = numberFrom('NODEQOS_SIM_SEEDS');
const SEEDS = Array.from({ length: SHORT_RUN ?? 50 }, (_, index) => index + 1);
const TICKS = numberFrom('NODEQOS_SIM_TICKS') ?? 2000;
const ONE_SEED = numberFrom('NODEQOS_SIM_SEED');
/** One more each time: what nobody has tried yet. */
const CHANCE_SEED = 1000 + Math.floor(Math.random() * 1_000_000);

function numberFrom(name: string): number | undefined {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
}

/** Lives a seed through; fails with the story of the first broken promise, and with how to see it again. */
async function keepsItsPromises(options: SimOptions): Promise<SimResult> {
  const result = await simulate(options);
  if (result.broken !== undefined) {
    const { seed, ticks, isDry } = options;
    const dry = isDry === true ? ' NODEQOS_SIM_DRY=1' : '';
    const again = `NODEQOS_SIM_SEED=${seed} NODEQOS_SIM_TICKS=${ticks}${dry} npx vitest run test/simulation`;
    throw new Error(`seed ${seed}: ${result.broken}\nagain: ${again}`);
  }
  return result;
}

describe.skipIf(ONE_SEED !== undefined)('a node that is made up', () => {
  it(`keeps every promise over ${SEEDS.length} seeds`, { timeout: 300_000 }, async () => {
    const counts: Record<string, number> = {};
    let ticks = 0;
    const before = performance.now();
    for (const seed of SEEDS) {
      const result = await keepsItsPromises({ seed, ticks: TICKS });
      ticks += result.ticks;
      for (const [what, count] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + count;
    }
    const seconds = (performance.now() - before) / 1000;
    console.log(
      `${ticks} ticks in ${seconds.toFixed(1)} s: ${(ticks / seconds).toFixed(0)} ticks per second`,
    );
    console.log(JSON.stringify(counts));
    expect(ticks).toBeGreaterThanOrEqual(SEEDS.length * TICKS);
    for (const what of SHORT_RUN === undefined ? MET : []) expect(counts[what] ?? 0, what).toBeGreaterThan(0);
  });

  it.skipIf(SHORT_RUN !== undefined)(
    `keeps every promise with a seed of chance, ${CHANCE_SEED}`,
    { timeout: 60_000 },
    async () => {
      console.log(`seed of chance: ${CHANCE_SEED}`);
      await keepsItsPromises({ seed: CHANCE_SEED, ticks: TICKS });
    },
  );

  it('leaves the same record for the same seed, byte for byte, in whatever order the pods are listed', async () => {
    for (const seed of SEEDS.slice(0, SHORT_RUN === undefined ? 3 : 1)) {
      const [first, second, reversed] = [
        await simulate({ seed, ticks: TICKS }),
        await simulate({ seed, ticks: TICKS }),
        await simulate({ seed, ticks: TICKS, isReversed: true }),
      ];
      expect(second).toEqual(first);
      expect(reversed).toEqual(first);
    }
  });

  it('leaves another record for another seed', async () => {
    const [one, other] = [await simulate({ seed: 1, ticks: 200 }), await simulate({ seed: 2, ticks: 200 })];
    expect(one.digest).not.toBe(other.digest);
  });

  it('touches nothing in dry-run', async () => {
    for (const seed of SEEDS.slice(0, 5)) {
      const { counts } = await keepsItsPromises({ seed, ticks: TICKS, isDry: true });
      expect(counts['evicting'] ?? 0).toBe(0);
      expect(counts['touches'] ?? 0).toBe(0);
      expect(counts['write written'] ?? 0).toBe(0);
    }
  });
});

/** What a run has to have met to be worth anything. */
const MET = [
  'condition',
  'deaths',
  'drift',
  'drift left alone',
  'ends',
  'eviction dry-run',
  'eviction gone',
  'eviction refused',
  'eviction still-there',
  'no-eviction',
  'pauses',
  'reload',
  'touches',
  'write failed',
  'write vanished',
  'write wanted',
  'write written',
] as const;

if (ONE_SEED !== undefined) {
  it(`keeps every promise with seed ${ONE_SEED}`, { timeout: 300_000 }, async () => {
    await keepsItsPromises({ seed: ONE_SEED, ticks: TICKS, isDry: numberFrom('NODEQOS_SIM_DRY') === 1 });
  });
}
