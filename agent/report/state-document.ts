import type { TickRecord } from '../model/tick.ts';

/** What the record of a tick does not say. */
export interface StatePlaces {
  /** The state folder of this agent, which tells it from an agent of another root. */
  readonly stateDir: string;
}

export function stateDocument(_record: TickRecord, _places: StatePlaces): object {
  throw new Error('not there yet');
}
