import { formatPath, type KeyPath } from '../../../config/text/place.ts';
import {
  asInteger,
  asList,
  asRecord,
  asString,
  type PlainValue,
  valueAt,
} from '../../../config/text/plain-value.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import { SharedAmounts } from '../../observe/fields.ts';
import { readPod } from '../../observe/pods/podspec.ts';
import type { WatchEvent } from './api-port.ts';
import type { PodChange } from './pod-ledger.ts';

/** A part of a list of pods. */
export interface PodPage {
  readonly pods: readonly Pod[];
  /** Of the whole list. */
  readonly resourceVersion: string;
  /** What the next page is asked with; undefined: this is the last one. */
  readonly next: string | undefined;
}

/** Reads a PodList of `name`. Throws Failure 65 for what is none, and for a pod that cannot be read. */
export function readPodPage(name: string, body: PlainValue | undefined): PodPage {
  const list = asRecord(body);
  // A list that is empty may be written as null (a nil slice of Go), or not at all.
  const items = asList(valueAt(list, 'items') ?? []);
  const metadata = asRecord(valueAt(list, 'metadata'));
  if (asString(valueAt(list, 'kind')) !== 'PodList' || items === undefined) {
    throw new Failure(EXIT.badData, `${name} answers with no list of pods; check that it is an API server`);
  }
  const amounts = new SharedAmounts();
  return {
    pods: items.map((item, index) => podOf(name, item, { path: ['items', index], amounts })),
    resourceVersion: asString(valueAt(metadata, 'resourceVersion')) ?? '',
    next: asString(valueAt(metadata, 'continue')) || undefined,
  };
}

/** What a line of a watch comes to, or that the changes it would tell are forgotten, or that the server failed. */
export type ReadEvent = PodChange | { readonly kind: 'expired' } | { readonly kind: 'error' };

/** Reads a line of a watch of `name`. Throws Failure 65 for a pod that cannot be read. Unknown types say nothing. */
export function readPodEvent(name: string, { type, object }: WatchEvent): ReadEvent | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'put', pod: podOf(name, object), resourceVersion: versionOf(object) };
    case 'DELETED':
      return { kind: 'gone', pod: podOf(name, object), resourceVersion: versionOf(object) };
    case 'BOOKMARK':
      return { kind: 'bookmark', resourceVersion: versionOf(object) };
    case 'ERROR':
      return { kind: isExpired(object) ? 'expired' : 'error' };
    default:
      return undefined;
  }
}

/** Whether a Status says that what was asked from is forgotten (410). */
function isExpired(status: PlainValue): boolean {
  const record = asRecord(status);
  const reason = asString(valueAt(record, 'reason'));
  return asInteger(valueAt(record, 'code')) === 410n || reason === 'Expired' || reason === 'Gone';
}

function versionOf(object: PlainValue): string {
  return asString(valueAt(asRecord(valueAt(asRecord(object), 'metadata')), 'resourceVersion')) ?? '';
}

interface PodPlace {
  readonly path: KeyPath;
  readonly amounts?: SharedAmounts;
}

function podOf(name: string, value: PlainValue, { path, amounts }: PodPlace = { path: [] }): Pod {
  const pod = readPod(value, amounts);
  if (pod.ok) return pod.value;
  const place = formatPath([...path, ...pod.path]);
  const message = `${name} tells of a pod that cannot be read: ${place}: ${pod.message}; the pods that were known before count`;
  throw new Failure(EXIT.badData, message);
}
