import { isDeepStrictEqual } from 'node:util';
import type { ToldStanding } from '../../model/agent-event.ts';
import type { AgentSetup } from '../../run/agent.ts';
import type { Announcer } from '../../run/announcer.ts';

/** How evictions stand under a setup. */
export function toldStanding({
  eviction: { evictions, because, taints },
}: Pick<AgentSetup, 'eviction'>): ToldStanding {
  return {
    evictions,
    ...(because === undefined ? {} : { because }),
    ...(taints === undefined
      ? {}
      : {
          taints: {
            evictions: taints.evictions,
            ...(taints.because === undefined ? {} : { because: taints.because }),
          },
        }),
  };
}

/**
 * Tells how evictions stand in enforce, once per change, and at the start where they are not what the mode says. In dry-run
 * the mode says it all.
 */
export class StandingNews {
  readonly #announcer: Announcer;
  #last: ToldStanding | undefined;

  constructor(announcer: Announcer) {
    this.#announcer = announcer;
  }

  async tell({ mode, ...setup }: Pick<AgentSetup, 'mode' | 'eviction'>): Promise<void> {
    const now = toldStanding(setup);
    const before = this.#last;
    this.#last = now;
    const isReal = now.evictions === 'on' && now.taints?.evictions !== 'dry';
    if (mode === 'dry-run' || isDeepStrictEqual(now, before) || (before === undefined && isReal)) return;
    await this.#announcer.event({ kind: 'standing', ...now });
  }
}
