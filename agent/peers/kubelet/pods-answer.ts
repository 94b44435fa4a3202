import { parseJson } from '../../../config/text/document.ts';
import { asRecord, asString, isList, type PlainValue, valueAt } from '../../../config/text/plain-value.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { SharedAmounts } from '../../observe/fields.ts';
import { type PodReading, readPod } from '../../observe/pods/podspec.ts';

/**
 * Reads a kubelet's /pods, sorted by namespace, name and UID: the kubelet lists them in another order each time, as its maps
 * have them. The static pods are in it as its files have them, without their mirrors, and all that have ended as long as it
 * knows them. Throws Failure 65 for what is no list of pods; `name` says who answered.
 */
export function readPodsAnswer(body: Buffer, name: string): PodsRead {
  const value = parseJson(body.toString('utf8'));
  if (value === undefined) throw wrong(`${name} answers /pods with text that is not JSON; ${CHECK_WHO}`);
  const list = asRecord(value);
  const items = valueAt(list, 'items') ?? [];
  // A kubelet without pods writes null.
  if (asString(valueAt(list, 'kind')) !== 'PodList' || !isList(items)) {
    throw wrong(`${name} answers /pods with JSON that is no list of pods; ${CHECK_WHO}`);
  }
  const amounts = new SharedAmounts();
  const pods = items.map((item) => podOf(item, readPod(item, amounts), name));
  return { pods: pods.toSorted(byName), warnings: [] };
}

const CHECK_WHO = 'check that a kubelet listens there, and not something in front of it';

function podOf(item: PlainValue, reading: PodReading, name: string): Pod {
  if (reading.ok) return reading.value;
  const metadata = asRecord(valueAt(asRecord(item), 'metadata'));
  const parts = [valueAt(metadata, 'namespace'), valueAt(metadata, 'name')].map(asString);
  const pod = parts.every((part) => part !== undefined) ? `the pod ${parts.join('/')}` : 'a pod';
  const path = reading.path.length === 0 ? '' : `${reading.path.join('.')}: `;
  throw wrong(`${name} lists ${pod} that cannot be read (${path}${reading.message}); correct that pod`);
}

function byName(one: Pod, other: Pod): number {
  return (
    compared(one.namespace, other.namespace) ||
    compared(one.name, other.name) ||
    compared(one.uid ?? '', other.uid ?? '')
  );
}

function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function wrong(sentence: string): Failure {
  return new Failure(EXIT.badData, sentence);
}
