import { expect, it } from 'vitest';
import type { AgentSetup } from '../../../agent/run/agent.ts';
import { Announcer } from '../../../agent/run/announcer.ts';
import { type Loading, Reload } from '../../../agent/run/reload.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { RecordingManager } from '../../fakes/recording-manager.ts';

function reloading(...answers: readonly Loading[]) {
  const clock = new FakeClock(1000);
  const events: unknown[] = [];
  const used: string[] = [];
  const sink = {
    name: 'a',
    event: ({ event, mode }: { readonly event: object; readonly mode: string }) => {
      events.push({ ...event, mode });
    },
  };
  const manager = new RecordingManager();
  let reads = 0;
  const agent = {
    use: (setup: AgentSetup) => {
      used.push(setup.mode);
    },
  };
  const load = (): Promise<Loading> => {
    const answer = answers[reads];
    reads += 1;
    return answer === undefined ? Promise.reject(new Error('read too often')) : Promise.resolve(answer);
  };
  const announcer = new Announcer([sink], clock, 'dry-run');
  const reload = new Reload({ agent, announcer, manager, clock, load }, { mode: 'dry-run', a: 1 });
  return { reload, events, used, manager, clock, reads: () => reads };
}

function good(
  settings: object,
  mode: 'dry-run' | 'enforce' = 'dry-run',
  later: readonly string[] = [],
): Loading {
  return { kind: 'loaded', loaded: { setup: { mode } as AgentSetup, settings, later } };
}

it('does nothing unless it was asked to', async () => {
  const { reload, reads, manager } = reloading();
  const isReloaded = await reload.ifWanted();
  expect([isReloaded, reads(), manager.told]).toEqual([false, 0, []]);
});

it('takes a good configuration, says what changed, and counts from then on as of its mode', async () => {
  const { reload, events, used, manager, clock } = reloading(good({ mode: 'enforce', a: 1 }, 'enforce'));
  await clock.advance(500);
  reload.want();
  reload.want();
  const isReloaded = [await reload.ifWanted(), await reload.ifWanted()];
  expect(isReloaded).toEqual([true, false]);
  expect(used).toEqual(['enforce']);
  expect(events).toEqual([
    { kind: 'reload', ok: true, changes: ['mode: "dry-run" -> "enforce"'], mode: 'enforce' },
  ]);
  // That it is over is said when there was a look that goes by it.
  expect(manager.told).toEqual(['reloading 1500000']);
  expect(reload.figures).toEqual({ configurationValid: true, configurationLoadedAtMs: 1_700_000_001_500 });
});

it('keeps what is in force when the new one is refused, says so once, and stays visible until a good one comes', async () => {
  const refused: Loading = { kind: 'refused', sentence: 'nodeqos.yaml:1:1: no' };
  const { reload, events, used, clock } = reloading(refused, refused, good({ mode: 'dry-run', a: 1 }));
  reload.want();
  await reload.ifWanted();
  reload.want();
  expect(await reload.ifWanted()).toBe(true);
  expect(used).toEqual([]);
  expect(reload.figures).toEqual({
    configurationValid: false,
    configurationError: 'nodeqos.yaml:1:1: no',
    configurationLoadedAtMs: 1_700_000_001_000,
  });
  expect(events).toEqual([
    { kind: 'reload', ok: false, changes: [], error: 'nodeqos.yaml:1:1: no', mode: 'dry-run' },
  ]);
  await clock.advance(9000);
  reload.want();
  await reload.ifWanted();
  expect(used).toEqual(['dry-run']);
  expect(events.slice(1)).toEqual([{ kind: 'reload', ok: true, changes: [], mode: 'dry-run' }]);
  expect(reload.figures).toEqual({ configurationValid: true, configurationLoadedAtMs: 1_700_000_010_000 });
});

it('says of what changed which settings are taken at the next start only', async () => {
  const changed = { mode: 'dry-run', a: 2, listen: 'none', listening: 1 };
  const { reload, events } = reloading(good(changed, 'dry-run', ['listen']));
  reload.want();
  await reload.ifWanted();
  expect(events).toEqual([
    {
      kind: 'reload',
      ok: true,
      changes: ['a: 1 -> 2', 'listen: none -> "none" (at the next start)', 'listening: none -> 1'],
      mode: 'dry-run',
    },
  ]);
});
