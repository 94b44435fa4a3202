import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { summaryEyes } from '../../../../agent/cli/run/summary-eyes.ts';
import type { NodeEyes } from '../../../../agent/ports.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';

const SEEN: NodeEyes = {
  signals: () => ({ readings: new Map(), layout: 'single', lacks: ['what the tree lacks'] }),
  pods: () => ({ pods: [], ageMs: 0 }),
  usage: () => new Map(),
  isRunning: () => false,
  placeOf: () => undefined,
};

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
  const { readings, lacks } = summaryEyes(SEEN, path, new FakeClock()).signals(0);
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
