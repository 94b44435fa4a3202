import type { Pod } from '../../agent/model/pod.ts';
import { readPod } from '../../agent/observe/pods/podspec.ts';
import type { PlainRecord, PlainValue } from '../../config/text/plain-value.ts';

/** What a test says of a pod: parts of its document, the rest as small as can be. */
export interface PodParts {
  readonly name?: string;
  readonly metadata?: PlainRecord;
  readonly spec?: PlainRecord;
  readonly status?: PlainRecord;
}

/** A pod's document with a name of its own. */
export function podDocument(parts: PodParts = {}): PlainRecord {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: parts.name ?? 'web', ...parts.metadata },
    spec: parts.spec ?? {},
    status: parts.status ?? {},
  };
}

/** The pod of a document made of these parts; fails the test where it is refused. */
export function podOf(parts: PodParts = {}): Pod {
  const reading = readPod(podDocument(parts));
  if (!reading.ok) throw new Error(`${reading.path.join('.')}: ${reading.message}`);
  return reading.value;
}

/** A container: requests and limits as `{ memory: '1Gi' }`. */
export function container(
  name: string,
  requests: PlainRecord = {},
  limits: PlainRecord = {},
  more: PlainRecord = {},
): PlainValue {
  return { name, resources: { requests, limits }, ...more };
}

/** A restartable init container. */
export function sidecar(name: string, requests: PlainRecord = {}, limits: PlainRecord = {}): PlainValue {
  return container(name, requests, limits, { restartPolicy: 'Always' });
}
