import { expect, it } from 'vitest';
import { eventLine } from '../../../../agent/report/log/event-line.ts';
import type { LimitWriter } from '../../../../cgroup/limit-port.ts';

const CHANGE = 'wrote memory.high of kubepods/pod1: max -> 1048576';

it.each<[string, { readonly writer?: LimitWriter; readonly because?: string }, string]>([
  ['through systemd', { writer: 'systemd' }, `${CHANGE} through systemd (r)`],
  ['to the file, where that is the way', { writer: 'cgroupfs' }, `${CHANGE} (r)`],
  [
    'to the file, where it was wanted through systemd',
    { writer: 'cgroupfs', because: 'systemd has no unit pod1' },
    `${CHANGE}, directly, since systemd has no unit pod1 (r)`,
  ],
])('the line of a write says that it went %s', (_, way, line) => {
  const owner = { pod: null, container: null, cgroup: 'kubepods/pod1', file: 'memory.high' } as const;
  const change = { from: 'max', to: '1048576', reason: 'r', outcome: 'written' } as const;
  const event = { kind: 'write', ...owner, ...change, ...way } as const;
  expect(eventLine({ event, wallMs: 0, mode: 'enforce' })).toEqual({ level: 'info', line, isTrouble: false });
});
