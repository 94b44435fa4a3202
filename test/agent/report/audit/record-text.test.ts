import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../agent/model/agent-event.ts';
import { auditRecord, lostRecord } from '../../../../agent/report/audit/audit-record.ts';
import { jsonText } from '../../../../agent/report/json-text.ts';
import { evictionOrder, WALL_MS } from '../../../fakes/tick-records.ts';

describe('the text of an audit record', () => {
  it('has bytes as exact integers, however large', () => {
    const event: AgentEvent = {
      kind: 'start',
      pid: 1,
      version: '1',
      host: { capacity: 18446744073709551615n },
      standing: { evictions: 'on' },
    };
    const line = jsonText(auditRecord({ event, wallMs: 0, mode: 'dry-run' }), 0);
    expect(line).toBe(
      '{"time":"1970-01-01T00:00:00.000Z","kind":"start","mode":"dry-run","pid":1,"version":"1","evictions":"on","host":{"capacity":18446744073709551615}}',
    );
  });

  it('keeps a hostile name text on one line, and gives it back as it was', () => {
    const name = `\u001b[31m\n{"kind":"stop"}\n"\\\u2028${'x'.repeat(253)}`;
    const event: AgentEvent = { kind: 'evicting', order: evictionOrder({ name }), evictor: 'cgroup' };
    const line = jsonText(auditRecord({ event, wallMs: 0, mode: 'enforce' }), 0);
    expect(line).not.toMatch(/[\u0000-\u001f]/);
    expect(JSON.parse(line)).toMatchObject({ kind: 'evicting', name });
  });

  it('of lost records counts them', () => {
    const last = { event: { kind: 'stop', reason: '' }, wallMs: WALL_MS, mode: 'enforce' } as const;
    expect(lostRecord(last, 3)).toEqual({
      time: '2026-03-04T05:06:07.500Z',
      kind: 'lost',
      mode: 'enforce',
      records: 3,
    });
  });
});
