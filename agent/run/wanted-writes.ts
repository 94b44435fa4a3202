import { placeKey } from '../../cgroup/journal.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import type { Announcer } from './announcer.ts';

/** Tells, in dry-run, what would be written: each value once, until something else is wanted or found there. */
export class WantedWrites {
  readonly #announcer: Announcer;
  #told = new Map<string, string>();

  constructor(announcer: Announcer) {
    this.#announcer = announcer;
  }

  async tell(differing: readonly PlanEntry[]): Promise<void> {
    const before = this.#told;
    this.#told = new Map();
    let wanted = 0;
    for (const { cgroup, file, current, desired, reason } of differing) {
      if (cgroup === null) continue;
      const key = placeKey({ cgroup, file });
      const what = `${current ?? 'unknown'} -> ${desired}`;
      this.#told.set(key, what);
      if (before.get(key) === what) continue;
      wanted += 1;
      await this.#announcer.event({
        kind: 'write',
        cgroup,
        file,
        from: current,
        to: desired,
        reason,
        outcome: 'wanted',
      });
    }
    if (wanted > 0) await this.#announcer.event({ kind: 'plan-applied', written: 0, failed: 0, wanted });
  }
}
