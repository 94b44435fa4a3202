import { describe, expect, it } from 'vitest';
import type { EvictionOutcome } from '../../../../agent/model/eviction.ts';
import { eventLine } from '../../../../agent/report/log/event-line.ts';
import { podOf } from '../../../fakes/pods.ts';
import { evictionOrder, WALL_MS } from '../../../fakes/tick-records.ts';

const ORDER = { ...evictionOrder(), candidates: [] };
const ALONE = { ...ORDER, pod: podOf({ metadata: { namespace: 'shop', name: 'cache', uid: 'uid-cache' } }) };
const WHY = 'shop/cache, grace 1 s: memory.available is 48Mi, below its hard threshold of 100Mi';

describe('the line of an eviction', () => {
  it('says of a pod that nothing controls it, and what that means', () => {
    expect(lineOf(ALONE)).toBe(`evicting ${WHY}; nothing controls it, so it does not come back`);
    expect(lineOf(ORDER)).toBe(`evicting ${WHY}`);
  });

  it('says so before anything happens too', () => {
    const outcome = { kind: 'dry-run' } as const;
    expect(lineOf(ALONE, outcome)).toBe(`would evict ${WHY}; nothing controls it, so it does not come back`);
    expect(lineOf(ORDER, outcome)).toBe(`would evict ${WHY}`);
  });
});

function lineOf(order: typeof ORDER, outcome?: EvictionOutcome): string {
  const event =
    outcome === undefined
      ? ({ kind: 'evicting', order, evictor: 'api' } as const)
      : ({ kind: 'eviction', order, evictor: 'dry', outcome, reactionMs: undefined, tookMs: 0 } as const);
  return eventLine({ event, wallMs: WALL_MS, mode: 'enforce' }).line;
}
