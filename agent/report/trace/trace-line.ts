import type { PlainRecord } from '../../../config/text/plain-value.ts';
import type { Readings, SignalReading } from '../../model/node.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod, PodUsage, UsageByUid } from '../../model/pod.ts';
import { USAGE_NUMBERS } from '../../model/usage-fields.ts';
import { jsonText } from '../json-text.ts';
import { groupDocuments, podDocument } from './pod-document.ts';

/** A line of a trace, and what the next one has to be compared with. */
export interface TraceLine {
  /** With its line break. */
  readonly text: string;
  readonly pods: { readonly list: readonly Pod[]; readonly text: string };
  readonly usage: { readonly byUid: UsageByUid; readonly text: string } | undefined;
}

/**
 * An observation as a line of a trace (cli contract, "record, replay"). Pods and usage that are what the line before had are
 * left out; without a line before all is in it, so that a file can begin with it. Of the pods only what nodeqos knows of them
 * is written (pod-document.ts), and of readings not where they are from.
 */
export function traceLine(observation: Observation, before: TraceLine | undefined): TraceLine {
  const pods = podsOf(observation, before);
  const usage = usageOf(observation, before);
  const head = {
    atMs: observation.atMs,
    ...(observation.podsAgeMs === undefined ? {} : { podsAgeMs: observation.podsAgeMs }),
    signals: signalsDocument(observation.readings),
  };
  const parts = [
    jsonText(head, 0).slice(0, -1),
    ...(before !== undefined && pods.text === before.pods.text ? [] : [pods.text]),
    ...(usage === undefined || usage.text === before?.usage?.text ? [] : [`"usage":${usage.text}`]),
  ];
  return { text: `${parts.join(',')}}\n`, pods, usage };
}

function podsOf({ pods }: Observation, before: TraceLine | undefined): TraceLine['pods'] {
  if (pods === before?.pods.list) return before.pods;
  const groups = groupDocuments(pods);
  const beside = groups.length === 0 ? '' : `,"podGroups":${jsonText(groups, 0)}`;
  return { list: pods, text: `"pods":${jsonText(pods.map(podDocument), 0)}${beside}` };
}

/** Usage that is not known any more is carried on by whoever reads: a trace cannot say that it was forgotten. */
function usageOf({ usage }: Observation, before: TraceLine | undefined): TraceLine['usage'] {
  if (usage === undefined || usage === before?.usage?.byUid) return before?.usage;
  return { byUid: usage, text: jsonText(mapped(usage, usageDocument), 0) };
}

function signalsDocument(readings: Readings): Readonly<Record<string, Omit<SignalReading, 'source'>>> {
  return mapped(readings, ({ available, capacity, atMs }) => ({
    available,
    capacity,
    ...(atMs === undefined ? {} : { atMs }),
  }));
}

function usageDocument(usage: PodUsage): PlainRecord {
  const numbers = USAGE_NUMBERS.flatMap((key) => {
    const count = usage[key];
    return count === undefined ? [] : [[key, count] as const];
  });
  const { volumeBytes, containerStorage, containerMemoryBytes } = usage;
  return {
    ...Object.fromEntries(numbers),
    ...(volumeBytes === undefined ? {} : { volumeBytes: mapped(volumeBytes, (bytes) => bytes) }),
    ...(containerStorage === undefined
      ? {}
      : { containerStorage: mapped(containerStorage, (storage): PlainRecord => ({ ...storage })) }),
    ...(containerMemoryBytes === undefined
      ? {}
      : { containerMemoryBytes: mapped(containerMemoryBytes, (bytes) => bytes) }),
  };
}

function mapped<V, T>(map: ReadonlyMap<string, V>, of: (value: V) => T): Readonly<Record<string, T>> {
  return Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));
}
