import { expect, it } from 'vitest';
import type { TickRecord } from '../../../agent/model/tick.ts';
import type { AgentSetup } from '../../../agent/run/agent.ts';
import { runLoop } from '../../../agent/run/loop.ts';
import { Wakeup } from '../../../agent/run/wakeup.ts';
import { FakeClock, settled } from '../../fakes/fake-clock.ts';
import { RecordingManager } from '../../fakes/recording-manager.ts';
import { tickRecord } from '../../fakes/tick-records.ts';

class Scene {
  readonly clock = new FakeClock();
  readonly wakeup = new Wakeup(this.clock);
  readonly stop = new AbortController();
  readonly manager: RecordingManager;
  readonly ticksAtMs: number[] = [];
  betweenTicks = 0;
  isHealthy = true;
  isReloaded = false;
  tookMs = 0;
  nextInMs = 1000;
  parts: Partial<TickRecord> = {};
  readonly done: Promise<void>;

  constructor(watchdogMs?: number) {
    this.manager = new RecordingManager(watchdogMs);
    this.done = runLoop({
      agent: {
        setup: { pace: { intervalMs: 1000, minIntervalMs: 100 } } as AgentSetup,
        tick: async () => {
          const atMs = this.clock.nowMs();
          this.ticksAtMs.push(atMs);
          await this.clock.sleep(this.tookMs, new AbortController().signal);
          return tickRecord({ ...this.parts, atMs, nextInMs: this.nextInMs });
        },
      },
      clock: this.clock,
      wakeup: this.wakeup,
      manager: this.manager,
      signal: this.stop.signal,
      isHealthy: () => this.isHealthy,
      betweenTicks: () => {
        this.betweenTicks += 1;
        const { isReloaded } = this;
        this.isReloaded = false;
        return Promise.resolve(isReloaded);
      },
    });
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.clock.advance(this.tookMs);
    await this.done;
  }
}

it('ticks at its pace, and never a tick before the one before has ended', async () => {
  const scene = new Scene();
  scene.tookMs = 300;
  await scene.clock.advance(3000);
  scene.nextInMs = 100;
  await scene.clock.advance(1000);
  await scene.end();
  expect(scene.ticksAtMs).toEqual([0, 1000, 2000, 3000, 3300, 3600, 3900]);
});

it('tells READY after the first tick, STATUS only when it changed, and is alive after each tick', async () => {
  const scene = new Scene();
  await settled();
  await scene.clock.advance(1000);
  scene.parts = { podCount: 4 };
  await scene.clock.advance(1000);
  await scene.end();
  expect(scene.manager.told.map((words) => words.replace(/ .*/, ''))).toEqual([
    'ready',
    'watchdog',
    'watchdog',
    'status',
    'watchdog',
  ]);
  expect(scene.manager.told[0]).toMatch(/; 3 pods; /);
  expect(scene.manager.told[3]).toMatch(/; 4 pods; /);
});

it('tells READY with its state again after the first tick that goes by a configuration that was read again', async () => {
  const scene = new Scene();
  await settled();
  scene.isReloaded = true;
  await scene.clock.advance(2000);
  await scene.end();
  const [first] = scene.manager.told;
  expect(first).toMatch(/^ready .*; 3 pods; /);
  expect(scene.manager.told).toEqual([first, 'watchdog', first, 'watchdog', 'watchdog']);
});

it('is not alive while it is not healthy', async () => {
  const scene = new Scene();
  await scene.clock.advance(1000);
  scene.isHealthy = false;
  await scene.clock.advance(5000);
  await scene.end();
  expect(scene.manager.told.filter((words) => words === 'watchdog')).toHaveLength(2);
  expect(scene.ticksAtMs).toHaveLength(7);
});

it('looks at least twice in the time that the watchdog grants', async () => {
  const scene = new Scene(600);
  await scene.clock.advance(900);
  await scene.end();
  expect(scene.ticksAtMs).toEqual([0, 300, 600, 900]);
});

it('does what has to be done between ticks before each of them', async () => {
  const scene = new Scene();
  await scene.clock.advance(2000);
  await scene.end();
  expect([scene.betweenTicks, scene.ticksAtMs.length]).toEqual([3, 3]);
});

it('looks early when it is woken', async () => {
  const scene = new Scene();
  await scene.clock.advance(250);
  scene.wakeup.wake();
  await scene.clock.advance(300);
  await scene.end();
  expect(scene.ticksAtMs).toEqual([0, 250]);
});
