import { describe, expect, it } from 'vitest';
import type { TickRecord } from '../../../../agent/model/tick.ts';
import { type HealthLook, health, readiness } from '../../../../agent/report/answers/health.ts';
import { tickRecord } from '../../../fakes/tick-records.ts';

/** A tick that finished at 100 008 ms. */
function record(
  blindTicks: number,
  troubles: readonly string[] = [],
  ownBlindTicks = blindTicks,
): TickRecord {
  return tickRecord({ agent: { ...tickRecord().agent, blindTicks, ownBlindTicks, troubles } });
}

function look(parts: Partial<HealthLook>): HealthLook {
  return { record: record(0), startedAtMs: 50_000, nowMs: 100_500, intervalMs: 1000, ...parts };
}

describe('health', () => {
  it.each<[string, Partial<HealthLook>]>([
    ['ticks finish and see something', {}],
    ['the last tick finished ten intervals ago', { nowMs: 110_008 }],
    ['the interval is short and the last tick finished 5 s ago', { intervalMs: 10, nowMs: 105_008 }],
    ['no tick has finished yet, ten intervals after the start', { record: undefined, nowMs: 60_000 }],
    ['the agent has been blind for four ticks', { record: record(4) }],
  ])('is good where %s', (_, parts) => {
    expect(health(look(parts))).toEqual({ ok: true });
  });

  it.each<[string, Partial<HealthLook>, string]>([
    [
      'the last tick finished more than ten intervals ago',
      { nowMs: 110_009 },
      'no tick has finished for 10 s',
    ],
    [
      'the interval is short and the last tick finished more than 5 s ago',
      { intervalMs: 10, nowMs: 105_009 },
      'no tick has finished for 5 s',
    ],
    [
      'no tick has finished since the start',
      { record: undefined, nowMs: 60_001 },
      'no tick has finished since the start, 10 s ago',
    ],
    [
      'the agent has been blind for five ticks',
      { record: record(5) },
      'blind for 5 ticks: memory.available or the list of pods is missing',
    ],
    [
      'the agent is blind and knows why',
      { record: record(7, ['pods: no list', 'statistics: none']) },
      'blind for 7 ticks: pods: no list; statistics: none',
    ],
  ])('is bad where %s', (_, parts, why) => {
    expect(health(look(parts))).toEqual({ ok: false, why });
    expect(readiness(look(parts))).toEqual({ ok: false, why });
  });
});

describe('readiness', () => {
  it('needs a tick that saw memory and pods', () => {
    expect(readiness(look({}))).toEqual({ ok: true });
    expect(readiness(look({ record: undefined, nowMs: 50_100 }))).toEqual({
      ok: false,
      why: 'no tick has finished yet',
    });
    const ofPeer = look({ record: record(500, ['pods: the API server does not answer'], 0) });
    expect(health(ofPeer)).toEqual({ ok: true });
    expect(readiness(ofPeer)).toEqual({ ok: false, why: 'blind: pods: the API server does not answer' });
    expect(readiness(look({ record: record(1, ['pods: no list']) }))).toEqual({
      ok: false,
      why: 'blind: pods: no list',
    });
  });
});
