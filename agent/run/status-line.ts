import type { TickRecord } from '../model/tick.ts';

/** A look takes milliseconds; one that takes this long waits for a machine that hardly answers. */
const SLOW_MS = 1000;

/** The agent in one line, for whoever asks the service manager how it is. It changes only when there is something to say. */
export function statusLine({ agent, decision, memoryQos, podCount, tookMs }: TickRecord): string {
  const mode = agent.evictions === 'on' ? agent.mode : `${agent.mode}, evictions ${agent.evictions}`;
  const conditions = decision.conditions.length === 0 ? 'no pressure' : decision.conditions.join(', ');
  const blind = agent.blindTicks === 0 ? [] : ['blind'];
  const slow = tookMs < SLOW_MS ? [] : [`slow: the last look took ${Math.round(tookMs / 1000)} s`];
  const configuration = agent.configurationValid ? [] : ['the configuration on disk is refused'];
  const values =
    memoryQos === undefined
      ? []
      : [`${memoryQos.keep + memoryQos.write} values, ${memoryQos.write} to write`];
  const troubles = agent.troubles.length === 0 ? [] : [`trouble: ${agent.troubles.join('; ')}`];
  return [
    mode,
    conditions,
    ...blind,
    ...slow,
    `${podCount} pods`,
    ...values,
    ...configuration,
    ...troubles,
  ].join('; ');
}
