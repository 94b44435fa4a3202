import { asList, asRecord, asString, type PlainValue } from '../../../config/text/plain-value.ts';
import type { ApiAnswer } from '../../peers/api/api-client.ts';
import { forbiddenText, statusText } from '../../peers/api/api-status.ts';
import type { AskedOf } from '../../peers/api/faults.ts';
import { isPodMissing } from './api-answers.ts';

/** How a pod stands that was told to go. */
export type PodSight =
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'there';
      /** metadata.deletionTimestamp: when it has to have ended. Absent: nobody told it to. */
      readonly endsBy?: string;
      readonly finalizers: readonly string[];
    }
  /** `isForGood`: asking again will not help. */
  | { readonly kind: 'unknown'; readonly why: string; readonly isForGood: boolean };

/**
 * Reads the answer to GET pods/NAME for the pod of this UID. One of another UID is another pod, so that the one of then is
 * gone; and so it is for a node once its phase says that all containers have ended, whoever still holds the object.
 */
export function readSight(answer: ApiAnswer, uid: string, asked: AskedOf): PodSight {
  if (isPodMissing(answer)) return { kind: 'gone' };
  if (answer.status === 403) {
    return { kind: 'unknown', why: forbiddenText(answer, asked), isForGood: true };
  }
  const metadata = asRecord(asRecord(answer.body)?.['metadata']);
  const found = asString(metadata?.['uid']);
  if (answer.status !== 200 || metadata === undefined || found === undefined) {
    return { kind: 'unknown', why: statusText(answer), isForGood: false };
  }
  if (found !== uid || hasEnded(answer.body)) return { kind: 'gone' };
  const endsBy = asString(metadata['deletionTimestamp']);
  const finalizers = (asList(metadata['finalizers']) ?? []).flatMap((one) => asString(one) ?? []);
  return { kind: 'there', finalizers, ...(endsBy === undefined ? {} : { endsBy }) };
}

/** What a pod that should be gone waits for, as the rest of a sentence. */
export function waitsFor(sight: PodSight, waitedMs: number): string {
  const seconds = Math.round(waitedMs / 1000);
  if (sight.kind === 'unknown') {
    return `it was told to end, and whether it did is not known: ${sight.why}`;
  }
  if (sight.kind === 'gone' || sight.endsBy === undefined) {
    return `the API server took it, and after ${seconds} s nothing says that the pod has to end`;
  }
  return sight.finalizers.length > 0
    ? `it was told to end, and after ${seconds} s it waits for its finalizers ${sight.finalizers.join(', ')}`
    : `it was told to end by ${sight.endsBy}, and after ${seconds} s its kubelet has not said that it did`;
}

function hasEnded(body: PlainValue | undefined): boolean {
  const phase = asString(asRecord(asRecord(body)?.['status'])?.['phase']);
  return phase === 'Succeeded' || phase === 'Failed';
}
