import type { KnownLimitPlace, LimitFailure, LimitPlace, LimitVanished } from '../../../cgroup/limit-port.ts';
import type { UnitFailure, UnitLook } from '../../../cgroup/units/unit-port.ts';

/** Why a value was not set through systemd; `code` is as a system's. */
export interface NotThrough {
  readonly kind: 'not-through';
  readonly code: string;
  readonly because: string;
}

/** What became of setting a value through systemd. */
export type Attempt = { readonly kind: 'written' } | LimitVanished | LimitFailure | NotThrough;

/** systemd, or the way to it, did not do what was asked. */
export function notThrough({ why, error }: UnitFailure): NotThrough {
  return { kind: 'not-through', code: CODES[why], because: error };
}

const CODES: Readonly<Record<UnitFailure['why'], string>> = {
  away: 'ECONNREFUSED',
  denied: 'EACCES',
  refused: 'EINVAL',
  'no-unit': 'ENOENT',
};

/** The unit has another cgroup than the one that is to be written. */
export function elsewhere(unit: string, { cgroup }: UnitLook): NotThrough {
  const where = cgroup === '' ? 'has no cgroup' : `has the cgroup ${cgroup}`;
  return {
    kind: 'not-through',
    code: 'ENOTSUP',
    because: `${unit} of systemd ${where}, which is another one`,
  };
}

/** The cgroup is not the one that was meant. */
export function vanished(place: KnownLimitPlace): LimitVanished {
  return { kind: 'vanished', error: `${place.cgroup} is gone, or was made anew meanwhile` };
}

/** What a person calls a limit file here. */
export function nameOf({ cgroup, file }: LimitPlace): string {
  return `${cgroup}/${file}`;
}
