import type { EffectiveProtection } from './effective.ts';
import type { DesiredValue } from './qos.ts';
import type { Warning } from './warning.ts';

export type PlanAction = 'write' | 'keep' | 'missing';

/** One line of a plan: what a file has, what it should have, and what follows. */
export interface PlanEntry extends Omit<DesiredValue, 'desired'> {
  /** As the kernel has it; null when offline, missing or unreadable. */
  readonly current: string | null;
  /** As it is to be written. */
  readonly desired: string;
  readonly action: PlanAction;
}

/** Entries in write order; `effective` is absent offline. */
export interface Plan {
  readonly entries: readonly PlanEntry[];
  readonly summary: { readonly write: number; readonly keep: number; readonly missing: number };
  readonly warnings: readonly Warning[];
  readonly effective?: readonly EffectiveProtection[];
}
