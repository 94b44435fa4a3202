import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeletEyes, type SummaryParts, summaryEyes } from '../../../../agent/cli/run/summary-eyes.ts';
import type { SummaryNow } from '../../../../agent/peers/kubelet/kubelet-summary.ts';
import type { NodeEyes } from '../../../../agent/ports.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';

const SEEN: NodeEyes = {
  signals: () => ({ readings: new Map(), layout: 'single', lacks: ['what the tree lacks'] }),
  pods: () => ({ pods: [], ageMs: 0 }),
  usage: () => new Map(),
  isRunning: () => false,
  placeOf: () => undefined,
};

const here = (clock: FakeClock = new FakeClock(), nodeName?: string): SummaryParts => ({ clock, nodeName });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-summary-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What is seen of memory through a summary with these figures. */
function memory(availableBytes: string, workingSetBytes: string) {
  const path = join(folder, 'summary.json');
  const time = '2024-01-01T00:00:00Z';
  writeFileSync(
    path,
    `{"node": {"memory": {"time": "${time}", "availableBytes": ${availableBytes}, "workingSetBytes": ${workingSetBytes}}}, "pods": []}`,
  );
  const { readings, lacks } = summaryEyes(SEEN, path, here()).signals(0);
  const reading = readings.get('memory.available');
  return { available: reading?.available, capacity: reading?.capacity, lacks };
}

it('sees the memory of a saved summary', () => {
  expect(memory('100', '300')).toEqual({ available: 100n, capacity: 400n, lacks: [] });
});

it('sees a working set of twice the capacity, and none of more', () => {
  // As the kubelet writes what is below 0: an unsigned number that wrapped.
  expect(memory('18446744073709551516', '200')).toEqual({ available: -100n, capacity: 100n, lacks: [] });
  expect(memory('18446744073709551515', '200')).toEqual({
    available: undefined,
    capacity: undefined,
    lacks: [
      'memory.available is not observed: more than twice its capacity of 99 bytes would be in use, which cannot be right',
    ],
  });
});

it('tells why a summary cannot be read, and takes it once it is there', () => {
  const path = join(folder, 'later.json');
  const eyes = summaryEyes(SEEN, path, here());
  const lacks = [`${path}: there is no such file; check the path`];
  expect(eyes.signals(0)).toMatchObject({ readings: new Map(), lacks });
  expect(eyes.usage([])).toEqual(new Map());
  writeFileSync(path, 'node: 7');
  expect(eyes.signals(0).lacks).toEqual([
    `${path}: this is no kubelet /stats/summary: it has no map "node"; save one with kubectl get --raw /api/v1/nodes/NAME/proxy/stats/summary`,
  ]);
  expect(eyes.usage([])).toEqual(new Map());
  writeFileSync(path, summaryText(0));
  expect(eyes.signals(0).lacks).toEqual([]);
  expect(eyes.usage([]).get('u')).toEqual({ memoryWorkingSetBytes: 7n });
});

const STARTED_MS = new FakeClock().wallMs();

/** A summary with a sample so many milliseconds after the start of the clock. */
function summaryText(sampleMs: number): string {
  const time = new Date(STARTED_MS + sampleMs).toISOString();
  const pods = [{ podRef: { uid: 'u' }, memory: { workingSetBytes: 7 } }];
  return JSON.stringify({ node: { memory: { time, availableBytes: 1, workingSetBytes: 1 } }, pods });
}

describe('the summary of a kubelet', () => {
  /** A kubelet whose summary is set, seen with a clock of which both hands can be moved. */
  function seen() {
    let now: SummaryNow = { summary: undefined, lack: 'nothing was told yet' };
    const hands = { nowMs: 0, wallMs: 0 };
    const clock = Object.assign(new FakeClock(), { wallMs: () => STARTED_MS + hands.wallMs });
    const eyes = kubeletEyes(SEEN, { now: () => now }, here(clock));
    const tell = (sampleMs: number, lack?: string): void => {
      const summary = { file: 'the kubelet', text: summaryText(sampleMs) };
      now = { summary, ...(lack === undefined ? {} : { lack }) };
    };
    const look = (nowMs: number, wallMs = nowMs) => {
      hands.wallMs = wallMs;
      const { readings, lacks } = eyes.signals(nowMs);
      return { atMs: readings.get('memory.available')?.atMs, lacks };
    };
    return { tell, look, eyes };
  }

  it('is not there before it was told', () => {
    const { look, eyes } = seen();
    expect(look(0)).toEqual({ atMs: undefined, lacks: ['nothing was told yet'] });
    expect(eyes.usage([])).toEqual(new Map());
  });

  it('is seen with the lack of a newer one', () => {
    const { tell, look, eyes } = seen();
    tell(0, 'it is away');
    expect(look(10)).toEqual({ atMs: 0, lacks: ['it is away'] });
    expect(eyes.usage([]).get('u')).toEqual({ memoryWorkingSetBytes: 7n });
  });

  it('has samples of one time, however often they are told and however the clocks drift', () => {
    const { tell, look } = seen();
    tell(5000);
    expect(look(8000).atMs).toBe(5000);
    // The wall clock is read a little later than the other one, and is set right now and then.
    expect(look(9000, 9003).atMs).toBe(5000);
    expect(look(10_000, 2000).atMs).toBe(5000);
    tell(5000);
    expect(look(11_000, 10_990).atMs).toBe(5000);
    tell(10_000);
    expect(look(12_000).atMs).toBe(10_000);
  });

  it('has no samples of the future, so that they grow old as all others', () => {
    const { tell, look } = seen();
    tell(3_600_000);
    expect(look(1000).atMs).toBe(1000);
    expect(look(50_000).atMs).toBe(1000);
  });
});

it('is blind by the statistics of another node, and takes those of its own', () => {
  const path = join(folder, 'summary.json');
  const memory = { time: '2024-01-01T00:00:00Z', availableBytes: 1, workingSetBytes: 1 };
  const write = (nodeName: string): void => {
    const pods = [{ podRef: { uid: 'u' }, memory: { workingSetBytes: 7 } }];
    writeFileSync(path, JSON.stringify({ node: { nodeName, memory }, pods }));
  };
  write('shelf-10');
  const eyes = summaryEyes(SEEN, path, here(new FakeClock(), 'shelf-1'));
  expect(eyes.signals(0)).toMatchObject({
    readings: new Map(),
    lacks: [
      `${path}: these are the statistics of node shelf-10, and this is shelf-1; check stats.source or --stats`,
    ],
  });
  expect(eyes.usage([])).toEqual(new Map());
  write('shelf-1');
  expect(eyes.signals(0).lacks).toEqual([]);
  expect(eyes.usage([]).get('u')).toEqual({ memoryWorkingSetBytes: 7n });
});

it('tells what is junk in a summary', () => {
  const path = join(folder, 'summary.json');
  writeFileSync(path, '{"node": {}, "pods": "y"}');
  expect(summaryEyes(SEEN, path, here()).signals(0).lacks).toEqual([
    'pods is a string and no list, so it is taken for nothing; check who writes this summary',
  ]);
});
