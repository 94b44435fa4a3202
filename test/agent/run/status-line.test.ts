import { expect, it } from 'vitest';
import type { TickRecord } from '../../../agent/model/tick.ts';
import { statusLine } from '../../../agent/run/status-line.ts';
import { tickRecord } from '../../fakes/tick-records.ts';

const { agent, decision } = tickRecord();
const WELL: Partial<TickRecord> = {
  agent: {
    ...agent,
    mode: 'enforce',
    evictions: 'on',
    configurationValid: true,
    blindTicks: 0,
    ownBlindTicks: 0,
    troubles: [],
  },
  decision: { ...decision, conditions: [] },
};

it.each<[string, Partial<TickRecord>, string]>([
  ['an agent that is well', {}, 'enforce; no pressure; 3 pods; 12 values, 2 to write'],
  [
    'one whose look took just less than a second',
    { tookMs: 999 },
    'enforce; no pressure; 3 pods; 12 values, 2 to write',
  ],
  [
    'one whose look took a second',
    { tookMs: 1000 },
    'enforce; no pressure; slow: the last look took 1 s; 3 pods; 12 values, 2 to write',
  ],
  [
    'one whose look took seconds',
    { tookMs: 6600 },
    'enforce; no pressure; slow: the last look took 7 s; 3 pods; 12 values, 2 to write',
  ],
  [
    'one that is blind as well',
    {
      tookMs: 3000,
      agent: {
        ...agent,
        mode: 'dry-run',
        evictions: 'dry',
        configurationValid: false,
        blindTicks: 1,
        troubles: ['pods: none'],
      },
    },
    'dry-run, evictions dry; no pressure; blind; slow: the last look took 3 s; 3 pods; 12 values, 2 to write; the configuration on disk is refused; trouble: pods: none',
  ],
])('the status of %s', (_, parts, line) => {
  expect(statusLine(tickRecord({ ...WELL, ...parts }))).toBe(line);
});
