import { expect, it } from 'vitest';
import type { TimedEvent } from '../../../agent/model/agent-event.ts';
import type { EventSink } from '../../../agent/ports.ts';
import { Announcer } from '../../../agent/run/announcer.ts';
import { FakeClock, settled } from '../../fakes/fake-clock.ts';

function recording(
  name: string,
  heard: string[],
  tell?: (event: TimedEvent) => Promise<void> | void,
): EventSink {
  return {
    name,
    event: async (timed) => {
      await tell?.(timed);
      const { event } = timed;
      heard.push(
        `${name} ${event.kind}${event.kind === 'trouble' ? ` ${event.sentence} ${String(event.over)}` : ''}`,
      );
    },
  };
}

it('tells every sink every event, in order, with the time and the mode', async () => {
  const events: TimedEvent[] = [];
  const clock = new FakeClock(5);
  const sink: EventSink = {
    name: 'a',
    event: (event) => {
      events.push(event);
    },
  };
  const announcer = new Announcer([sink], clock, 'enforce');
  void announcer.event({ kind: 'stop', reason: 'one' });
  await announcer.event({ kind: 'stop', reason: 'two' });
  expect(events).toEqual([
    { event: { kind: 'stop', reason: 'one' }, wallMs: 1_700_000_000_005, mode: 'enforce' },
    { event: { kind: 'stop', reason: 'two' }, wallMs: 1_700_000_000_005, mode: 'enforce' },
  ]);
});

it('waits for the slowest sink before it says that the event is told', async () => {
  const heard: string[] = [];
  let finish: (() => void) | undefined;
  const slow = recording('slow', heard, () => new Promise((resolve) => (finish = resolve)));
  const announcer = new Announcer([slow, recording('fast', heard)], new FakeClock(), 'dry-run');
  let isTold = false;
  void announcer.event({ kind: 'stop', reason: 'r' }).then(() => {
    isTold = true;
  });
  await settled();
  expect({ heard, isTold }).toEqual({ heard: [], isTold: false });
  finish?.();
  await settled();
  expect({ heard, isTold }).toEqual({ heard: ['slow stop', 'fast stop'], isTold: true });
});

it('leaves out a sink that throws, tells the others why, and goes on', async () => {
  const heard: string[] = [];
  const broken = recording('broken', heard, () => {
    throw new Error('no space');
  });
  const announcer = new Announcer([broken, recording('good', heard)], new FakeClock(), 'dry-run');
  await announcer.event({ kind: 'stop', reason: 'one' });
  await announcer.event({ kind: 'stop', reason: 'two' });
  expect(heard).toEqual([
    'good stop',
    'good trouble broken failed and is told nothing more: no space false',
    'good stop',
  ]);
});

it('says a trouble once per change of its sentence, and when it is over', async () => {
  const heard: string[] = [];
  const announcer = new Announcer([recording('a', heard)], new FakeClock(), 'dry-run');
  await announcer.trouble('pods', undefined);
  await announcer.trouble('pods', 'the file is gone');
  await announcer.trouble('pods', 'the file is gone');
  expect(announcer.troubles).toEqual(['pods: the file is gone']);
  await announcer.trouble('pods', 'the file is bad');
  await announcer.trouble('pods', undefined);
  await announcer.trouble('pods', undefined);
  expect(announcer.troubles).toEqual([]);
  expect(heard).toEqual([
    'a trouble the file is gone false',
    'a trouble the file is bad false',
    'a trouble the file is bad true',
  ]);
});

it('does not wait for a sink that takes too long, nor for it again until it has caught up', async () => {
  const heard: string[] = [];
  const finish: (() => void)[] = [];
  const slow = recording('slow', heard, () => new Promise((resolve) => finish.push(resolve)));
  const clock = new FakeClock();
  const announcer = new Announcer([slow], clock, 'dry-run');
  const told: string[] = [];
  const tell = (reason: string): void => {
    void announcer.event({ kind: 'stop', reason }).then(() => told.push(`${reason} at ${clock.nowMs()}`));
  };
  tell('one');
  await clock.advance(999);
  expect([told, announcer.troubles]).toEqual([[], []]);
  await clock.advance(1);
  expect([told, announcer.troubles]).toEqual([['one at 1000'], ['audit: 1 records wait for a slow disk']]);
  tell('two');
  await settled();
  expect([told.at(-1), announcer.troubles]).toEqual([
    'two at 1000',
    ['audit: 2 records wait for a slow disk'],
  ]);
  finish.shift()?.();
  await settled();
  finish.shift()?.();
  await settled();
  expect([heard, announcer.troubles]).toEqual([['slow stop', 'slow stop'], []]);
  tell('three');
  await settled();
  expect(told).toHaveLength(2);
  finish.shift()?.();
  await settled();
  expect(told.at(-1)).toBe('three at 1000');
});
