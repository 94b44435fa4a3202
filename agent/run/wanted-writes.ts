import { placeKey } from '../../cgroup/journal.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import type { Announcer } from './announcer.ts';
import { wantedWrite } from './limit-events.ts';

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
    for (const entry of differing) {
      const { cgroup, file, current, desired } = entry;
      if (cgroup === null) continue;
      const key = placeKey({ cgroup, file });
      const what = `${current ?? 'unknown'} -> ${desired}`;
      this.#told.set(key, what);
      if (before.get(key) === what) continue;
      wanted += 1;
      await this.#announcer.event(wantedWrite({ ...entry, cgroup }));
    }
    if (wanted > 0) await this.#announcer.event({ kind: 'plan-applied', written: 0, failed: 0, wanted });
  }
}
