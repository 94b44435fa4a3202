import { type ApiEvictorParts, createApiEvictor } from '../../agent/act/evict/evict-api.ts';
import type { EvictionOutcome } from '../../agent/model/eviction.ts';
import type { ApiAnswer } from '../../agent/peers/api/api-client.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { FakeClock } from './fake-clock.ts';
import { type PodParts, podOf } from './pods.ts';
import { answered, podNotFound, refusal, type ScriptedAnswer, ScriptedApi } from './scripted-api.ts';

export const POD = '/api/v1/namespaces/shop/pods/cache';
export const TOLD = answered({ kind: 'Status', status: 'Success' }, 201);
export const GONE = podNotFound('cache');
export const NEEDED = 'The disruption budget cache needs 2 healthy pods and has 2 currently';
export const BUDGET = refusal(429, {
  reason: 'TooManyRequests',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: { causes: [{ reason: 'DisruptionBudget', message: NEEDED }] },
});
export const BUSY = refusal(429, {
  reason: 'TooManyRequests',
  message: 'too many requests, please try again later',
});

/** The pod as the API has it. */
export function there(metadata: PlainRecord = {}, phase = 'Running'): ApiAnswer {
  return answered({
    metadata: { namespace: 'shop', name: 'cache', uid: 'u1', ...metadata },
    status: { phase },
  });
}

export const DYING = there({ deletionTimestamp: '2026-03-04T05:06:08Z' });

/** One eviction: what is answered to each kind of request, in order, the last for ever. */
export interface Scene {
  readonly tell?: readonly ScriptedAnswer[];
  readonly look?: readonly ScriptedAnswer[];
  readonly remove?: readonly ScriptedAnswer[];
  readonly metadata?: PlainRecord;
  readonly grace?: number;
  readonly budgetRefused?: ApiEvictorParts['budgetRefused'];
  readonly abortAtMs?: number;
}

export interface Played {
  readonly outcome: EvictionOutcome | undefined;
  /** `method end` at seconds. */
  readonly asked: readonly string[];
  readonly api: ScriptedApi;
  readonly endedAtMs: number | undefined;
}

/** Lets an evictor do its work on a clock that stands where nobody moves it. */
export async function play(scene: Scene, forMs = 120_000): Promise<Played> {
  const clock = new FakeClock();
  const answers = {
    POST: [...(scene.tell ?? [TOLD])],
    GET: [...(scene.look ?? [GONE])],
    DELETE: [...(scene.remove ?? [TOLD])],
  };
  const api = new ScriptedApi(clock, ({ method }) => {
    const left = answers[method as keyof typeof answers];
    return (left.length > 1 ? left.shift() : left[0]) ?? GONE;
  });
  const evictor = createApiEvictor({ client: api, clock, budgetRefused: scene.budgetRefused ?? 'pass-over' });
  const parts: PodParts = { metadata: { namespace: 'shop', name: 'cache', uid: 'u1', ...scene.metadata } };
  const target = { pod: podOf(parts), place: undefined, gracePeriodSeconds: scene.grace ?? 1 };
  const end = new AbortController();
  let outcome: EvictionOutcome | undefined;
  let endedAtMs: number | undefined;
  const evicted = evictor.evict(target, end.signal).then((came) => {
    outcome = came;
    endedAtMs = clock.nowMs();
  });
  if (scene.abortAtMs !== undefined) {
    await clock.advance(scene.abortAtMs);
    end.abort();
  }
  await clock.advance(forMs);
  await evicted;
  const asked = api.requests.map(
    ({ method, path, atMs }) => `${method}${path.slice(POD.length)} ${atMs / 1000}`,
  );
  return { outcome, asked, api, endedAtMs };
}
