import type { Kept, UnitProperty } from './unit-properties.ts';

/** A unit as systemd has it. */
export interface UnitLook {
  /** The unit's cgroup as systemd has it, relative to the mount, without a leading slash. */
  readonly cgroup: string;
  readonly kept: Kept;
}

/** systemd, or the way to it, did not do what was asked. */
export interface UnitFailure {
  readonly kind: 'failed';
  /** `away`: nobody answers. `denied`: this user may not. `refused`: systemd says no. `no-unit`: it has no such unit. */
  readonly why: 'away' | 'denied' | 'refused' | 'no-unit';
  /** A sentence for a person. */
  readonly error: string;
}

/** systemd as far as limits of its units go. Nothing throws for what a bus can do to its peers. */
export interface UnitManager {
  /** Whether systemd answers on the bus: undefined if so. */
  lack(): Promise<UnitFailure | undefined>;
  look(unit: string): Promise<({ readonly kind: 'unit' } & UnitLook) | UnitFailure>;
  /** Sets properties until the next boot (SetUnitProperties with runtime); other properties stay. */
  set(unit: string, properties: readonly UnitProperty[]): Promise<{ readonly kind: 'set' } | UnitFailure>;
  /** Lets go of the bus. */
  close(): void;
}
