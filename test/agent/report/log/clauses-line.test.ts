import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../agent/model/agent-event.ts';
import type { EvictionCause, EvictionOutcome } from '../../../../agent/model/eviction.ts';
import { eventLine } from '../../../../agent/report/log/event-line.ts';
import { podOf } from '../../../fakes/pods.ts';
import { evictionOrder, WALL_MS } from '../../../fakes/tick-records.ts';

const ALONE = podOf({ metadata: { namespace: 'shop', name: 'cache', uid: 'uid-cache' } });
const { pod: CONTROLLED } = evictionOrder();
const LOST = 'nothing controls it, so it does not come back';
const TAINT: EvictionCause = {
  kind: 'taint',
  taint: { key: 'a', value: '', effect: 'NoExecute' },
  message: 'The node has the taint a:NoExecute, which the pod does not tolerate.',
};
const STORAGE: EvictionCause = {
  kind: 'storage-limit',
  limit: 'emptydirfs.limit',
  message: 'Usage of EmptyDir volume "a" exceeds the limit "1Gi". ',
};

describe('a line that goes on after a whole sentence has no full stop in its middle', () => {
  it.each([
    [TAINT, 'The node has the taint a:NoExecute, which the pod does not tolerate'],
    [STORAGE, 'Usage of EmptyDir volume "a" exceeds the limit "1Gi"'],
  ])('about why a pod goes', (cause, why) => {
    const order = { ...evictionOrder(), cause, candidates: [] };
    const [evicting, evictor] = ['evicting', 'cgroup'] as const;
    const line = `evicting shop/cache, grace 1 s: `;
    expect(told({ kind: evicting, evictor, order: { ...order, pod: ALONE } })).toBe(`${line}${why}; ${LOST}`);
    expect(told({ kind: evicting, evictor, order: { ...order, pod: CONTROLLED } })).toBe(
      `${line}${cause.message}`,
    );
  });

  it.each<[EvictionOutcome, string]>([
    [
      { kind: 'refused', why: 'Cannot evict it.' },
      'shop/cache was not evicted: Cannot evict it (evictor api)',
    ],
    [{ kind: 'still-there', why: 'It hangs.' }, 'shop/cache is still there: It hangs (evictor api)'],
  ])('about why it stays', (outcome, line) => {
    const order = evictionOrder();
    const event = {
      kind: 'eviction',
      evictor: 'api',
      order,
      outcome,
      reactionMs: undefined,
      tookMs: 0,
    } as const;
    expect(told(event)).toBe(line);
  });
});

function told(event: AgentEvent): string {
  return eventLine({ event, wallMs: WALL_MS, mode: 'enforce' }).line;
}
