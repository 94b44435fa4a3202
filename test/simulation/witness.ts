import type { EvictionOrder, PendingRelease } from '../../agent/model/eviction.ts';
import { amountIn } from '../../config/numbers/percent.ts';
import type { Seen } from '../fakes/sim-eyes.ts';
import { isFinished, nameOf } from './pod-rules.ts';
import { amountOf, atLeast, isOver } from './reference.ts';

/** An order as it stands on record, and since when. */
export interface Recorded {
  readonly order: EvictionOrder;
  readonly atMs: number;
}

/** What survives an agent: who was told to go, what is on record, what the disk has. */
export class Witness {
  /** Pods that were told to go, as the world knows it: whatever the agent remembers. */
  readonly told = new Map<string, PendingRelease>();
  readonly recorded = new Map<string, Recorded>();
  /** What is on disk. */
  stored: readonly PendingRelease[] = [];
  /** What the disk was last asked to keep, whether it could or not. */
  asked: readonly PendingRelease[] = [];
  /** The disk is full. */
  storeFails = false;
  /** What is on disk is not what the agent last asked to be kept. */
  isBehind = false;

  /** Who is not listed has gone, and is another one if it comes back; the others count by the largest numbers there were. */
  look({ pods, usage }: Seen): void {
    if (pods?.pods === undefined) return;
    const listed = new Set(pods.pods.filter((pod) => !isFinished(pod)).map(nameOf));
    for (const [name, release] of this.told) {
      const newer = release.cgroupUid === undefined ? undefined : usage?.get(release.cgroupUid);
      if (!listed.has(name)) this.told.delete(name);
      else if (newer !== undefined) this.told.set(name, { ...release, usage: atLeast(release.usage, newer) });
    }
  }

  /** A new process knows what is on disk and no more; what a full disk did not take is lost. */
  beginAnew(): void {
    const stored = new Map(this.stored.map((release) => [nameOf(release), release]));
    for (const name of this.told.keys()) {
      const release = stored.get(name);
      if (release !== undefined) this.told.set(name, release);
      else if (this.isBehind) this.told.delete(name);
    }
  }

  /** Whoever is on the way out and gives back enough to end the shortage that an order is for; undefined: nobody. */
  whoCovers({ cause }: EvictionOrder, seen: Seen, nowMs: number): string | undefined {
    if (cause.kind !== 'threshold') return undefined;
    const { value, signal } = cause.threshold;
    const reading = seen.signals.at(-1)?.look.readings.get(signal);
    const going = [...this.told].filter(([name]) => this.isGoing(name, seen, nowMs));
    if (going.length === 0 || reading === undefined) return undefined;
    const back = going.reduce((sum, [, { usage }]) => sum + (amountOf(signal, usage) ?? 0n), 0n);
    const isEnough = reading.available + back >= amountIn(value, reading.capacity);
    return isEnough ? going.map(([name]) => name).join(', ') : undefined;
  }

  /** Whether a pod was told to go, is there, and may still take its time. */
  isGoing(name: string, { pods }: Seen, nowMs: number): boolean {
    const release = this.told.get(name);
    const isListed = pods?.pods?.some((pod) => nameOf(pod) === name && !isFinished(pod)) === true;
    return release !== undefined && release.goneAtMs === undefined && isListed && !isOver(release, nowMs);
  }
}
