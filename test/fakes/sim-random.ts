/** Chance that comes out the same for the same seed (mulberry32: 32 bits of state, enough to tell stories apart). */
export class SimRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  /** A whole number from `least` to `most`, both among them. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  /** One of them; undefined where there is none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.share() * items.length)];
  }

  /** One of them, as often as its weight says. */
  weighted<T>(items: readonly (readonly [number, T])[], otherwise: T): T {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.share() * total;
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return otherwise;
  }
}
