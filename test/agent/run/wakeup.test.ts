import { expect, it } from 'vitest';
import { Wakeup } from '../../../agent/run/wakeup.ts';
import { FakeClock, settled } from '../../fakes/fake-clock.ts';

function sleeping(ms = 1000, leastMs = 100) {
  const clock = new FakeClock();
  const wakeup = new Wakeup(clock);
  const stop = new AbortController();
  let wokeAtMs: number | undefined;
  const sleep = async (): Promise<void> => {
    wokeAtMs = undefined;
    await wakeup.sleep(ms, leastMs, stop.signal);
    wokeAtMs = clock.nowMs();
  };
  return { clock, wakeup, stop, sleep, wokeAtMs: () => wokeAtMs };
}

it('sleeps as long as it is told to where nobody wakes it', async () => {
  const { clock, sleep, wokeAtMs } = sleeping();
  void sleep();
  await clock.advance(999);
  expect(wokeAtMs()).toBeUndefined();
  await clock.advance(1);
  expect(wokeAtMs()).toBe(1000);
});

it('ends the sleep when it is woken', async () => {
  const { clock, wakeup, sleep, wokeAtMs } = sleeping();
  void sleep();
  await clock.advance(400);
  wakeup.wake();
  await settled();
  expect(wokeAtMs()).toBe(400);
});

it('sleeps the least in any case, so that a storm of wake-ups is a few looks', async () => {
  const { clock, wakeup, sleep, wokeAtMs } = sleeping();
  void sleep();
  await clock.advance(20);
  for (let call = 0; call < 50; call += 1) wakeup.wake();
  await clock.advance(79);
  expect(wokeAtMs()).toBeUndefined();
  await clock.advance(1);
  expect(wokeAtMs()).toBe(100);
});

it('remembers a call that came while nobody slept, once', async () => {
  const { clock, wakeup, sleep, wokeAtMs } = sleeping();
  wakeup.wake();
  void sleep();
  await clock.advance(100);
  expect(wokeAtMs()).toBe(100);
  void sleep();
  await clock.advance(999);
  expect(wokeAtMs()).toBeUndefined();
  await clock.advance(1);
  expect(wokeAtMs()).toBe(1100);
});

it('ends with the signal', async () => {
  const { clock, stop, sleep, wokeAtMs } = sleeping();
  void sleep();
  await clock.advance(500);
  stop.abort();
  await settled();
  expect(wokeAtMs()).toBe(500);
});

it('sleeps less than the least where less is asked for', async () => {
  const { clock, sleep, wokeAtMs } = sleeping(30, 100);
  void sleep();
  await clock.advance(30);
  expect(wokeAtMs()).toBe(30);
});
