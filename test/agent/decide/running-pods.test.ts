import { expect, it } from 'vitest';
import { runningPodsOnly } from '../../../agent/decide/running-pods.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { podOf } from '../../fakes/pods.ts';

const A = podOf({ name: 'a', metadata: { uid: 'uid-a' } });
const B = podOf({ name: 'b', metadata: { uid: 'uid-b' } });
const MANIFEST = podOf({ name: 'manifest' });

function seen(pods: readonly Pod[], measured: readonly string[] | undefined): Observation {
  const usage = measured && new Map(measured.map((uid) => [uid, { processCount: 1n }]));
  return { atMs: 5, readings: new Map(), pods, usage, layout: 'single' };
}

it('keeps the pods that have statistics, and nothing else changes', () => {
  const now = seen([A, B, MANIFEST], ['uid-a']);
  expect(runningPodsOnly(undefined, now)).toEqual({ ...now, pods: [A] });
});

it('keeps all where there are no statistics to tell by', () => {
  const now = seen([A, B], undefined);
  expect(runningPodsOnly(undefined, now)).toBe(now);
});

it('gives the list of before as long as the same pods run', () => {
  const before = runningPodsOnly(undefined, seen([A, B], ['uid-a', 'uid-b']));
  expect(runningPodsOnly(before, seen([A, B], ['uid-a', 'uid-b'])).pods).toBe(before.pods);
  expect(runningPodsOnly(before, seen([A, B], ['uid-b'])).pods).toEqual([B]);
  expect(runningPodsOnly(before, seen([{ ...A }, B], ['uid-a', 'uid-b'])).pods).not.toBe(before.pods);
});
