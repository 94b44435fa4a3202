import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../../agent/peers/api/api-client.ts';
import { BUDGET, NEEDED, POD, play, TOLD } from '../../fakes/played-eviction.ts';
import { refusal } from '../../fakes/scripted-api.ts';

describe('a budget that refuses', () => {
  it('pass-over: is a refusal in the budget’s words', async () => {
    const { outcome, asked } = await play({ tell: [BUDGET] });
    expect(outcome).toEqual({ kind: 'refused', why: `a PodDisruptionBudget refuses it: ${NEEDED}` });
    expect(asked).toEqual(['POST/eviction 0']);
  });

  it.each<[string, ApiAnswer, string]>([
    [
      'without a message of the cause',
      refusal(429, { message: 'Cannot evict pod.', details: { causes: [{ reason: 'DisruptionBudget' }] } }),
      'a PodDisruptionBudget refuses it: Cannot evict pod',
    ],
    [
      'where two cover the pod, which the server calls an error of its own',
      refusal(500, {
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      }),
      'a PodDisruptionBudget refuses it: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support',
    ],
  ])('is one %s', async (_, answer, why) => {
    const { outcome } = await play({ tell: [answer] });
    expect(outcome).toEqual({ kind: 'refused', why });
  });

  it('retry: is asked every three seconds for fifteen, and then it is a refusal', async () => {
    const { outcome, asked } = await play({ tell: [BUDGET], budgetRefused: 'retry' });
    expect(asked).toEqual([0, 3, 6, 9, 12, 15].map((second) => `POST/eviction ${second}`));
    expect(outcome).toEqual({
      kind: 'refused',
      why: `a PodDisruptionBudget refuses it, asked 6 times: ${NEEDED}`,
    });
  });

  it('retry: is asked when the server says, and for all of a longer grace', async () => {
    const later = { ...BUDGET, retryAfterMs: 10_000 };
    const { outcome, asked } = await play({ tell: [later], budgetRefused: 'retry', grace: 25 });
    expect(asked).toEqual([0, 10, 20].map((second) => `POST/eviction ${second}`));
    expect(outcome).toMatchObject({ kind: 'refused' });
  });

  it('retry: goes by the number in the body where there is no header', async () => {
    const body = refusal(429, {
      details: { retryAfterSeconds: 4, causes: [{ reason: 'DisruptionBudget', message: 'wait' }] },
    });
    const { outcome, asked } = await play({ tell: [body, TOLD], budgetRefused: 'retry' });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'POST/eviction 4', 'GET 4']);
  });

  it('retry: does not ask without a pause, whatever the server says', async () => {
    const { asked } = await play({ tell: [{ ...BUDGET, retryAfterMs: 0 }, TOLD], budgetRefused: 'retry' });
    expect(asked).toEqual(['POST/eviction 0', 'POST/eviction 1', 'GET 1']);
  });

  it('delete: is not asked a second time, and the pod is deleted with its grace and its UID', async () => {
    const { outcome, api, asked } = await play({ tell: [BUDGET], budgetRefused: 'delete', grace: 20 });
    expect(outcome).toEqual({ kind: 'gone' });
    expect(asked).toEqual(['POST/eviction 0', 'DELETE 0', 'GET 0']);
    expect(api.requests[1]).toEqual({
      atMs: 0,
      method: 'DELETE',
      path: POD,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 20, preconditions: { uid: 'u1' } },
    });
  });

  it('delete: names what the role lacks', async () => {
    const { outcome } = await play({ tell: [BUDGET], remove: [refusal(403)], budgetRefused: 'delete' });
    const why =
      'the API server at https://10.0.0.1:443 does not let nodeqos delete pods; allow it the verb "delete" on pods in a ClusterRole';
    expect(outcome).toEqual({ kind: 'refused', why });
  });

  it('delete: a server that speaks of budgets there too is not asked for ever', async () => {
    const { outcome } = await play({ tell: [BUDGET], remove: [BUDGET], budgetRefused: 'delete' });
    expect(outcome).toMatchObject({ kind: 'refused' });
  });
});
