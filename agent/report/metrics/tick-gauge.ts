import { isInBytes, valueText } from '../../decide/amount-text.ts';
import type { ThresholdStatus } from '../../model/eviction.ts';
import type { SignalReading } from '../../model/node.ts';
import type { TickRecord, TierFigures } from '../../model/tick.ts';

/** One series: its labels in the order of `labelNames`. */
export interface GaugeValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge and how it is read off a tick. No value: not known, so no series. */
export interface TickGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly valuesOf: (record: TickRecord) => readonly GaugeValue[];
}

/** A gauge without labels; undefined: not known. */
export function single(
  name: string,
  help: string,
  value: (record: TickRecord) => number | bigint | undefined,
): TickGauge {
  return { name, help, labelNames: [], valuesOf: (record) => known({}, value(record)) };
}

/** A gauge with a series for each observed signal that counts bytes, or for each that does not. */
export function ofSignals(
  name: string,
  help: string,
  { inBytes, value }: { readonly inBytes: boolean; readonly value: (reading: SignalReading) => bigint },
): TickGauge {
  return {
    name,
    help,
    labelNames: ['signal'],
    valuesOf: ({ readings }) =>
      [...readings]
        .filter(([signal]) => isInBytes(signal) === inBytes)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([signal, reading]) => known({ signal }, value(reading))),
  };
}

/** A gauge with a series for each threshold. */
export function ofThresholds(
  name: string,
  help: string,
  value: (status: ThresholdStatus, record: TickRecord) => number | bigint | undefined,
): TickGauge {
  return {
    name,
    help,
    labelNames: ['signal', 'type', 'value'],
    valuesOf: (record) =>
      record.decision.thresholds.flatMap((status) =>
        known(thresholdLabels(status.threshold), value(status, record)),
      ),
  };
}

/** A gauge with a series for each QoS class. */
export function ofTiers(
  name: string,
  help: string,
  value: (tier: TierFigures) => number | bigint | undefined,
): TickGauge {
  return {
    name,
    help,
    labelNames: ['qos_class'],
    valuesOf: ({ tiers }) => tiers.flatMap((tier) => known({ qos_class: tier.qosClass }, value(tier))),
  };
}

function known(
  labels: Readonly<Record<string, string>>,
  value: number | bigint | undefined,
): readonly GaugeValue[] {
  return value === undefined ? [] : [{ labels, value: Number(value) }];
}

function thresholdLabels({ signal, type, value }: ThresholdStatus['threshold']): Record<string, string> {
  return { signal, type, value: valueText(signal, value) };
}
