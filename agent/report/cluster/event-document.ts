import type { PlainRecord } from '../../../config/text/plain-value.ts';
import type { ClusterNews, Involved } from './cluster-news.ts';

/** Who tells: `kubectl get events` shows it, and selectors find it. */
const COMPONENT = 'nodeqos';
/** Events of what has no namespace are in this one. */
const CLUSTER_NAMESPACE = 'default';
/** A name has at most 253 characters, of which a dot and 16 digits come after the pod's. */
const LONGEST_PREFIX = 253 - 17;
const NS_PER_MS = 1_000_000n;

/** An Event that the API has, as far as a repetition needs it. */
export interface KnownEvent {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
}

/** Where the Events about an object are kept. */
export function eventNamespace({ namespace }: Involved): string {
  return namespace ?? CLUSTER_NAMESPACE;
}

/** A name that no other Event has: that of the object, and the time. `serial` tells those of one millisecond apart. */
export function eventName({ involved, wallMs }: ClusterNews, serial: number): string {
  const prefix = involved.name.slice(0, LONGEST_PREFIX).replace(/[-.]+$/, '');
  const time = BigInt(Math.round(wallMs)) * NS_PER_MS + BigInt(serial);
  return `${prefix}.${time.toString(16)}`;
}

/** A v1 Event for the first time that this is told. */
export function eventDocument(news: ClusterNews, name: string, nodeName: string): PlainRecord {
  const { involved, reason, message, annotations, wallMs } = news;
  const time = timestamp(wallMs);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace: eventNamespace(involved),
      name,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    involvedObject: { apiVersion: 'v1', ...involved },
    reason,
    message,
    type: 'Warning',
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: COMPONENT, host: nodeName },
    reportingComponent: COMPONENT,
    reportingInstance: nodeName,
  };
}

/** What changes of an Event that has come to pass again. */
export function repetition({ message, annotations, wallMs }: ClusterNews, count: number): PlainRecord {
  return {
    ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
    message,
    count,
    lastTimestamp: timestamp(wallMs),
  };
}

/** As the API writes times: whole seconds, UTC. */
export function timestamp(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
