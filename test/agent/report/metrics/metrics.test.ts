import { spawnSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../agent/model/agent-event.ts';
import { createMetrics, type Metrics } from '../../../../agent/report/metrics/metrics.ts';
import { processFigures } from '../../../../agent/report/metrics/metrics-of-process.ts';
import { expectGolden } from '../../../e2e/golden-file.ts';
import { evictionOrder, MEMORY_HARD, NODEFS_SOFT, tickRecord, WALL_MS } from '../../../fakes/tick-records.ts';

const FIGURES = { cpuSeconds: 1.5, residentBytes: 50_000_000, startedAtSeconds: 1000.5, openDescriptors: 21 };
const ORDER = evictionOrder();
const HOSTILE = evictionOrder({
  namespace: 'a"b\\c{d}',
  name: `\u001b[31m\nnodeqos_evil 1\n${'x'.repeat(253)}`,
});

const TAINT = { key: 'a"b', value: '', effect: 'NoExecute' };

const EVENTS: readonly AgentEvent[] = [
  { kind: 'start', pid: 1, version: '1.2.3', host: {}, standing: { evictions: 'on' } },
  write('memory.high', 'written'),
  write('memory.min', 'failed'),
  {
    kind: 'drift',
    pod: null,
    container: null,
    cgroup: 'kubepods',
    file: 'memory.low',
    wrote: '1',
    found: '2',
  },
  {
    kind: 'drift',
    pod: null,
    container: null,
    cgroup: 'kubepods',
    file: 'memory.low',
    wrote: '1',
    found: '2',
    leftAlone: { likelyWriter: 'the kubelet', forMs: 600_000 },
  },
  { kind: 'condition', type: 'MemoryPressure', status: true, signals: ['memory.available'] },
  { kind: 'evicting', order: HOSTILE, evictor: 'cgroup' },
  eviction(HOSTILE, { kind: 'gone' }, 400, 3000),
  eviction(ORDER, { kind: 'still-there', why: 'it ignores signals' }, undefined, 31_000),
  eviction(ORDER, { kind: 'dry-run' }, undefined, 0),
  {
    ...eviction(ORDER, { kind: 'gone' }, undefined, 1000),
    order: { ...ORDER, cause: { kind: 'storage-limit', limit: 'emptydirfs.limit', message: 'too much' } },
  },
  {
    ...eviction(ORDER, { kind: 'gone' }, undefined, 1000),
    order: { ...ORDER, cause: { kind: 'taint', taint: TAINT, message: 'tainted' } },
  },
  { kind: 'no-eviction', signal: 'memory.available', why: 'nobody may go' },
  { kind: 'no-eviction', pod: ORDER.pod, taint: TAINT, why: 'it is static' },
  { kind: 'reload', ok: true, changes: [] },
  { kind: 'reload', ok: false, changes: [], error: 'bad' },
  { kind: 'trouble', part: 'audit', sentence: 'no space left', over: false },
  { kind: 'trouble', part: 'audit', sentence: 'no space left', over: true },
  { kind: 'trouble', part: 'pods', sentence: 'gone', over: false },
  { kind: 'plan-applied', written: 1, failed: 1, wanted: 0 },
  { kind: 'stop', reason: 'SIGTERM' },
];

function write(file: 'memory.high' | 'memory.min', outcome: 'written' | 'failed'): AgentEvent {
  const change = { cgroup: 'kubepods/a', file, from: null, to: '1', reason: 'r', outcome } as const;
  return { kind: 'write', pod: null, container: null, ...change };
}

type Eviction = Extract<AgentEvent, { kind: 'eviction' }>;

function eviction(
  order: Eviction['order'],
  outcome: Eviction['outcome'],
  reactionMs: number | undefined,
  tookMs: number,
): Eviction {
  return { kind: 'eviction', order, evictor: 'cgroup', outcome, reactionMs, tookMs };
}

let metrics: Metrics;

beforeEach(async () => {
  metrics = await createMetrics('1.2.3', () => FIGURES);
});

async function tell(events: readonly AgentEvent[]): Promise<void> {
  for (const event of events) await metrics.event({ event, wallMs: WALL_MS, mode: 'enforce' });
}

/** The samples without comments, as `name{labels}` to value, of the names that begin so. */
async function samples(prefix: string): Promise<Record<string, string>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
  );
}

describe('metrics', () => {
  it('are these, after events and ticks', async () => {
    await tell(EVENTS);
    metrics.tick?.(tickRecord());
    metrics.tick?.(
      tickRecord({ tookMs: 60, agent: { ...tickRecord().agent, blindTicks: 2, configurationValid: false } }),
    );
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expectGolden('metrics.txt', await metrics.text());
  });

  it('have no series for what nobody has measured: before the first tick', async () => {
    expect(await samples('nodeqos_')).toEqual(
      expect.not.objectContaining({ nodeqos_pods: '0', nodeqos_consecutive_blind_ticks: '0' }),
    );
    const names = Object.keys(await samples('nodeqos_')).map((name) => name.replace(/\{.*/, ''));
    expect([...new Set(names)].filter((name) => !/_(?:bucket|sum|count)$/.test(name))).toEqual([
      'nodeqos_build_info',
      'nodeqos_blind_ticks_total',
      'nodeqos_memory_qos_writes_total',
      'nodeqos_memory_qos_drifts_total',
      'nodeqos_memory_qos_left_alone_total',
      'nodeqos_config_reloads_total',
    ]);
  });

  it('lose the series of what is no longer known', async () => {
    metrics.tick?.(tickRecord());
    await metrics.text();
    const { atMs, wallMs, tookMs, nextInMs, podCount, decision, agent } = tickRecord();
    const seen = { readings: new Map(), tiers: [], pending: [], podCount };
    metrics.tick?.({ atMs, wallMs, tookMs, nextInMs, decision, agent, ...seen });
    expect(await samples('nodeqos_signal_')).toEqual({});
    expect(await samples('nodeqos_memory_pressure_')).toEqual({});
    expect(await samples('nodeqos_kernel_')).toEqual({});
    expect(await samples('nodeqos_pods_age')).toEqual({});
    expect(await samples('nodeqos_memory_qos_values')).toEqual({});
    expect(await samples('nodeqos_tier_')).toEqual({});
    expect(await samples('nodeqos_evictions_pending')).toEqual({ nodeqos_evictions_pending: '0' });
    expect(await samples('nodeqos_threshold_items')).toEqual({});
    expect(await samples('nodeqos_threshold_bytes')).toEqual({
      'nodeqos_threshold_bytes{signal="memory.available",type="hard",value="100Mi"}': '104857600',
    });
  });

  it('forget thresholds that a reload took away', async () => {
    metrics.tick?.(tickRecord());
    await metrics.text();
    const { decision } = tickRecord();
    const thresholds = decision.thresholds.filter(({ threshold }) => threshold === NODEFS_SOFT);
    metrics.tick?.(tickRecord({ decision: { ...decision, thresholds } }));
    expect(await samples('nodeqos_threshold_met{')).toEqual({
      'nodeqos_threshold_met{signal="nodefs.inodesFree",type="soft",value="10%"}': '1',
    });
  });

  it('count the kernel’s stalls as the kernel does, not once more at each scrape', async () => {
    metrics.tick?.(tickRecord());
    await metrics.text();
    expect(await samples('nodeqos_memory_pressure_stall')).toEqual({
      'nodeqos_memory_pressure_stall_seconds_total{kind="some"}': '1.5',
      'nodeqos_memory_pressure_stall_seconds_total{kind="full"}': '0.25',
    });
    metrics.tick?.(tickRecord({ psi: null }));
    expect(await samples('nodeqos_memory_pressure_stall')).toEqual({});
  });

  it('have a bounded number of series, whatever the pods are called and however many go', async () => {
    const counted = async (): Promise<number> => {
      const text = await metrics.text();
      return text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    };
    metrics.tick?.(tickRecord());
    await tell(EVENTS);
    const before = await counted();
    for (let index = 0; index < 500; index += 1) {
      const order = evictionOrder({ name: `pod-${index}\n"}` });
      await tell([
        eviction(order, { kind: 'gone' }, index, index),
        { kind: 'trouble', part: 'pods', sentence: `trouble ${index}`, over: false },
        { kind: 'no-eviction', signal: 'memory.available', why: `why ${index}` },
      ]);
      metrics.tick?.(tickRecord());
    }
    expect(await counted()).toBe(before);
    const text = await metrics.text();
    expect(text).not.toContain('pod-');
    expect(text).not.toContain('nodeqos_evil');
    expect(text).not.toContain('\u001b');
  });

  it('count evictions from 0 for every signal that has a threshold', async () => {
    metrics.tick?.(tickRecord());
    const zeros = await samples('nodeqos_evictions_total{signal="memory.available"');
    expect(zeros).toEqual({
      'nodeqos_evictions_total{signal="memory.available",outcome="gone"}': '0',
      'nodeqos_evictions_total{signal="memory.available",outcome="still-there"}': '0',
      'nodeqos_evictions_total{signal="memory.available",outcome="refused"}': '0',
      'nodeqos_evictions_total{signal="memory.available",outcome="dry-run"}': '0',
    });
    expect(MEMORY_HARD.signal).toBe('memory.available');
  });

  it('tell what this process costs', () => {
    const figures = processFigures();
    expect(figures.cpuSeconds).toBeGreaterThan(0);
    expect(figures.residentBytes).toBeGreaterThan(1_000_000);
    expect(figures.openDescriptors).toBeGreaterThan(2);
    expect(Math.abs(figures.startedAtSeconds - Date.now() / 1000)).toBeLessThan(3600);
  });
});

const promtool = spawnSync('promtool', ['--version']).error === undefined;
const mustBeThere = process.env['CI'] === 'true';
if (!promtool && !mustBeThere)
  console.warn('promtool is not installed: what it says of the metrics is skipped');

describe.skipIf(!promtool && !mustBeThere)('promtool check metrics', () => {
  it('finds nothing wrong', async () => {
    await tell(EVENTS);
    metrics.tick?.(tickRecord());
    const checked = spawnSync('promtool', ['check', 'metrics'], {
      input: await metrics.text(),
      encoding: 'utf8',
    });
    expect({ status: checked.status, said: checked.stdout + checked.stderr }).toEqual({
      status: 0,
      said: '',
    });
  });
});
