import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NodeHold } from '../../../../agent/cli/run/node-hold.ts';
import type { AgentEvent } from '../../../../agent/model/agent-event.ts';
import { openRoot } from '../../../../agent/observe/root.ts';
import { Announcer } from '../../../../agent/run/announcer.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';

let node: NodeFolder;
let hold: NodeHold | undefined;
beforeEach(() => {
  node = nodeUnderPressure();
});
afterEach(() => {
  hold?.release();
  node.remove();
});

async function holding() {
  const clock = new FakeClock();
  const events: AgentEvent[] = [];
  const sink = {
    name: 'test',
    event: ({ event }: { readonly event: AgentEvent }) => {
      events.push(event);
    },
  };
  const announcer = new Announcer([sink], clock, 'enforce');
  const places = { cgroupMountPath: node.mount, stateFolder: node.state };
  const held = new NodeHold({
    root: await openRoot({ root: node.root }),
    places,
    clock,
    announcer,
    limitWriter: () => 'auto',
  });
  hold = held;
  return { hold: held, clock, events };
}

it('holds the lock alone in dry-run, and opens nothing to act with', async () => {
  const { hold, events } = await holding();
  hold.begin();
  await hold.ensure('dry-run');
  expect(existsSync(`${node.state}/lock`)).toBe(true);
  expect([hold.control, hold.limits, events]).toEqual([undefined, undefined, []]);
});

it('opens the mount and the journal when the mode is enforce', async () => {
  const { hold, events } = await holding();
  hold.begin();
  await hold.ensure('enforce');
  expect(hold.control?.isCgroup2).toBe(false);
  expect(hold.limits).toBeDefined();
  expect(events).toEqual([]);
});

it('keeps a second one out, by name', async () => {
  const { hold } = await holding();
  hold.begin();
  const second = await holding();
  expect(() => {
    second.hold.begin();
  }).toThrow(/nodeqos run \(PID [0-9]+\) has written here since/);
});

it('takes the lock again after somebody removed its folder, and says so', async () => {
  const { hold, clock, events } = await holding();
  hold.begin();
  await hold.ensure('enforce');
  rmSync(node.state, { recursive: true });
  await clock.advance(9_999);
  await hold.ensure('enforce');
  expect(existsSync(`${node.state}/lock`)).toBe(false);
  await clock.advance(1);
  await hold.ensure('enforce');
  expect(existsSync(`${node.state}/lock`)).toBe(true);
  expect(hold.limits).toBeDefined();
  expect(events.map((event) => (event.kind === 'trouble' ? [event.part, event.over] : []))).toEqual([
    ['lock', false],
    ['lock', true],
  ]);
});

it('writes no limit while somebody else has taken the lock that was removed', async () => {
  const { hold, clock, events } = await holding();
  hold.begin();
  await hold.ensure('enforce');
  rmSync(node.state, { recursive: true });
  const second = await holding();
  second.hold.begin();
  await clock.advance(10_000);
  await hold.ensure('enforce');
  expect(hold.limits).toBeUndefined();
  expect(hold.control).toBeDefined();
  expect(events.at(-1)).toMatchObject({ kind: 'trouble', part: 'lock', over: false });
});
