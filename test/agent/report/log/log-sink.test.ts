import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentMode } from '../../../../agent/model/agent-event.ts';
import { createLogSink, syslogLevel } from '../../../../agent/report/log/log-sink.ts';
import { evictionOrder, WALL_MS } from '../../../fakes/tick-records.ts';

const LIMIT = { pod: null, container: null, cgroup: '', file: 'memory.min' } as const;
const DRIFT: AgentEvent = { kind: 'drift', ...LIMIT, wrote: '4096', found: '0' };
const VANISHED: AgentEvent = {
  ...{ kind: 'write', ...LIMIT, from: 'max', to: '1048576' },
  ...{ reason: 'request 1Mi', outcome: 'vanished' },
};
const EVICTION: AgentEvent = {
  ...{ kind: 'eviction', order: evictionOrder(), evictor: 'cgroup' },
  ...{ outcome: { kind: 'gone' }, reactionMs: 200, tookMs: 1250 },
};

describe('the log', () => {
  const STOP: AgentEvent = { kind: 'stop', reason: 'SIGTERM' };
  const TROUBLE: AgentEvent = { kind: 'trouble', part: 'pods', sentence: 'no list', over: false };

  async function logged(
    form: { underJournal: boolean; dated?: boolean; coloured?: boolean; level?: string },
    events: readonly AgentEvent[],
    mode: AgentMode = 'dry-run',
  ): Promise<{ decisions: string; troubles: string }> {
    const streams = { decisions: new PassThrough(), troubles: new PassThrough() };
    const target = { level: 'info', ...form };
    const sink = createLogSink({
      decisions: { ...target, stream: streams.decisions },
      troubles: { ...target, stream: streams.troubles },
    });
    for (const event of events) await sink.event({ event, wallMs: WALL_MS, mode });
    sink.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return {
      decisions: String(streams.decisions.read() ?? ''),
      troubles: String(streams.troubles.read() ?? ''),
    };
  }

  it('has a prefix and no time under the journal', async () => {
    expect(await logged({ underJournal: true, dated: true, coloured: true }, [STOP, TROUBLE])).toEqual({
      decisions: '<6>nodeqos stops: SIGTERM\n',
      troubles: '<2>pods: no list\n',
    });
  });
  it('has time and level elsewhere', async () => {
    expect(await logged({ underJournal: false, dated: true }, [STOP, TROUBLE])).toEqual({
      decisions: '2026-03-04T05:06:07.500Z info: nodeqos stops: SIGTERM\n',
      troubles: '2026-03-04T05:06:07.500Z crit: pods: no list\n',
    });
  });
  it('colours levels where it is told that a terminal reads, and only those that matter', async () => {
    const events: AgentEvent[] = [STOP, EVICTION, DRIFT, TROUBLE];
    expect(await logged({ underJournal: false, coloured: true }, events)).toEqual({
      decisions: [
        'info: nodeqos stops: SIGTERM\n',
        '\u001b[1mnotice\u001b[0m: evicted shop/cache: gone after 1.2 s (evictor cgroup)\n',
        '\u001b[33mwarning\u001b[0m: somebody changed memory.min of /: 4096 was written, 0 is there\n',
      ].join(''),
      troubles: '\u001b[31mcrit\u001b[0m: pods: no list\n',
    });
  });
  it('leaves out what is less important than its level', async () => {
    const events = [STOP, EVICTION, DRIFT, VANISHED];
    const { decisions } = await logged({ underJournal: true, level: 'warning' }, events);
    expect(decisions).toBe('<4>somebody changed memory.min of /: 4096 was written, 0 is there\n');
    expect((await logged({ underJournal: true, level: 'debug' }, events)).decisions).toContain('<7>');
  });
  it('says nothing at all for a tick', () => {
    const stream = new PassThrough();
    const target = { stream, underJournal: false, level: 'info' };
    expect(createLogSink({ decisions: target, troubles: target })).not.toHaveProperty('tick');
  });
  it.each([
    ['error', 'error'],
    ['warn', 'warning'],
    ['info', 'info'],
    ['debug', 'debug'],
  ] as const)('log.level %s is %s of syslog', (level, expected) => {
    expect(syslogLevel(level)).toBe(expected);
  });
});
