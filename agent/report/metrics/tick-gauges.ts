import { amountIn } from '../../../config/numbers/percent.ts';
import type { NodeCondition } from '../../../config/signal.ts';
import { isInBytes } from '../../decide/amount-text.ts';
import type { ThresholdStatus } from '../../model/eviction.ts';
import type { MemoryQosFigures, TickRecord } from '../../model/tick.ts';
import { wallClockMs } from '../answers/wall-clock.ts';
import { type GaugeValue, ofSignals, ofThresholds, ofTiers, single, type TickGauge } from './tick-gauge.ts';

const CONDITIONS: readonly NodeCondition[] = ['DiskPressure', 'MemoryPressure', 'PIDPressure'];

const signalGauges: readonly TickGauge[] = [
  ofSignals('nodeqos_signal_available_bytes', 'What is available of a signal, in bytes.', {
    inBytes: true,
    value: ({ available }) => available,
  }),
  ofSignals('nodeqos_signal_capacity_bytes', 'The capacity of a signal, in bytes.', {
    inBytes: true,
    value: ({ capacity }) => capacity,
  }),
  ofSignals('nodeqos_signal_available_items', 'What is available of a signal: inodes or process IDs.', {
    inBytes: false,
    value: ({ available }) => available,
  }),
  ofSignals('nodeqos_signal_capacity_items', 'The capacity of a signal: inodes or process IDs.', {
    inBytes: false,
    value: ({ capacity }) => capacity,
  }),
];

const thresholdGauges: readonly TickGauge[] = [
  ofThresholds('nodeqos_threshold_bytes', 'Below this many bytes a threshold is met.', (status, record) =>
    isInBytes(status.threshold.signal) ? thresholdIn(status, record) : undefined,
  ),
  ofThresholds(
    'nodeqos_threshold_items',
    'Below this many inodes or process IDs a threshold is met.',
    (status, record) => (isInBytes(status.threshold.signal) ? undefined : thresholdIn(status, record)),
  ),
  ofThresholds(
    'nodeqos_threshold_met',
    'Whether a threshold is met; no series while its signal is not observed.',
    ({ met }) => (met === undefined ? undefined : Number(met)),
  ),
  ofThresholds(
    'nodeqos_threshold_in_grace',
    'Whether a threshold is met and waits for the end of its grace.',
    ({ inGrace }) => Number(inGrace),
  ),
  ofThresholds(
    'nodeqos_threshold_met_since_timestamp_seconds',
    'Since when a threshold has been met, in seconds since the epoch; no series while it is not.',
    ({ met, metSinceMs }, record) =>
      met !== true || metSinceMs === undefined ? undefined : wallClockMs(record, metSinceMs) / 1000,
  ),
];

const pressureGauges: readonly TickGauge[] = [
  {
    name: 'nodeqos_memory_pressure_ratio',
    help: 'Share of the time that some or all tasks of the node were stalled for memory, from 0 to 1 (PSI).',
    labelNames: ['kind', 'window'],
    valuesOf: ({ psi }) =>
      (['some', 'full'] as const).flatMap((kind) => {
        const averages = psi?.[kind];
        if (averages === undefined) return [];
        const { avg10, avg60, avg300 } = averages;
        return [
          { labels: { kind, window: '10s' }, value: avg10 / 100 },
          { labels: { kind, window: '60s' }, value: avg60 / 100 },
          { labels: { kind, window: '300s' }, value: avg300 / 100 },
        ];
      }),
  },
  single(
    'nodeqos_kernel_memory_available_bytes',
    'What the kernel takes for available (MemAvailable of /proc/meminfo), in bytes.',
    ({ memAvailableBytes }) => memAvailableBytes,
  ),
  {
    name: 'nodeqos_node_condition',
    help: 'Whether a node condition holds, with its transition period.',
    labelNames: ['condition'],
    valuesOf: ({ decision }) =>
      CONDITIONS.map((condition) => ({
        labels: { condition },
        value: Number(decision.conditions.includes(condition)),
      })),
  },
];

const podGauges: readonly TickGauge[] = [
  single('nodeqos_pods', 'Pods of this node that count.', ({ podCount }) => podCount),
  single('nodeqos_pods_age_seconds', 'How old the list of pods is, in seconds.', ({ podsAgeMs }) =>
    podsAgeMs === undefined ? undefined : podsAgeMs / 1000,
  ),
  ofTiers('nodeqos_tier_pods', 'Pods of a QoS class.', ({ pods }) => pods),
  ofTiers(
    'nodeqos_tier_memory_request_bytes',
    "Sum of the memory requests of a QoS class' pods, in bytes.",
    ({ requestBytes }) => requestBytes,
  ),
  ofTiers(
    'nodeqos_tier_memory_usage_bytes',
    "What a QoS class' cgroups use (memory.current), in bytes.",
    ({ usageBytes }) => usageBytes,
  ),
  single(
    'nodeqos_evictions_pending',
    'Pods that were told to go and have not gone yet.',
    ({ pending }) => pending.length,
  ),
  single(
    'nodeqos_taint_evictions_waiting',
    'Pods that a NoExecute taint of the node lets stay for a while or that are due; no series where taints do not evict.',
    ({ taints }) => taints?.waiting.length,
  ),
  {
    name: 'nodeqos_memory_qos_values',
    help: 'Planned values of cgroup files by where they stand; no series while Memory QoS is off.',
    labelNames: ['state'],
    valuesOf: ({ memoryQos }) => (memoryQos === undefined ? [] : valueStates(memoryQos)),
  },
];

const agentGauges: readonly TickGauge[] = [
  {
    name: 'nodeqos_agent_info',
    help: 'What the agent may do: its mode, and whether its evictions are real; always 1.',
    labelNames: ['mode', 'evictions'],
    valuesOf: ({ agent: { mode, evictions } }) => [{ labels: { mode, evictions }, value: 1 }],
  },
  single(
    'nodeqos_last_tick_timestamp_seconds',
    'When the last tick finished, in seconds since the epoch.',
    ({ wallMs }) => wallMs / 1000,
  ),
  single(
    'nodeqos_next_tick_delay_seconds',
    'How long after the last tick the next one was due, in seconds.',
    ({ nextInMs }) => nextInMs / 1000,
  ),
  single(
    'nodeqos_consecutive_blind_ticks',
    'Ticks in a row without memory.available or without a list of pods.',
    ({ agent }) => agent.blindTicks,
  ),
  single(
    'nodeqos_psi_trigger_armed',
    'Whether the kernel wakes the agent when memory stalls (PSI trigger).',
    ({ agent }) => Number(agent.psiTrigger),
  ),
  single(
    'nodeqos_config_last_reload_successful',
    'Whether the configuration as it is on disk is the one in force.',
    ({ agent }) => Number(agent.configurationValid),
  ),
  single(
    'nodeqos_config_last_reload_success_timestamp_seconds',
    'When the configuration in force was read, in seconds since the epoch.',
    ({ agent }) => agent.configurationLoadedAtMs / 1000,
  ),
];

/** Every gauge of a tick, in the order in which they are printed. */
export const TICK_GAUGES: readonly TickGauge[] = [
  ...agentGauges,
  ...signalGauges,
  ...thresholdGauges,
  ...pressureGauges,
  ...podGauges,
];

/** A share is of the capacity that was observed; an amount needs none. */
function thresholdIn({ threshold }: ThresholdStatus, { readings }: TickRecord): bigint | undefined {
  const { value } = threshold;
  if ('quantity' in value) return value.quantity;
  const reading = readings.get(threshold.signal);
  return reading && amountIn(value, reading.capacity);
}

function valueStates(figures: MemoryQosFigures): readonly GaugeValue[] {
  const states: readonly (readonly [string, number])[] = [
    ['in_flight', figures.inFlight],
    ['kept', figures.keep],
    ['left_alone', figures.leftAlone],
    ['missing', figures.missing],
    ['to_write', figures.write],
  ];
  return states.map(([state, value]) => ({ labels: { state }, value }));
}
