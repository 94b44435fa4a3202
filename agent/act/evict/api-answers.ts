import type { ApiAnswer } from '../../peers/api/api-client.ts';
import {
  forbiddenText,
  isDone,
  missingKind,
  retryAfter,
  shortened,
  statusCauses,
  statusText,
} from '../../peers/api/api-status.ts';
import type { AskedOf } from '../../peers/api/faults.ts';

/** What the API server says to the wish that a pod should go. */
export type Verdict =
  /** The pod is told to end, or is being told by whoever deletes its namespace. */
  | { readonly kind: 'told' }
  | { readonly kind: 'gone' }
  /** The UID is another one, or somebody was faster: a look at the pod tells. */
  | { readonly kind: 'conflict'; readonly why: string }
  | { readonly kind: 'budget'; readonly why: string; readonly retryAfterMs?: number }
  | { readonly kind: 'refused'; readonly why: string }
  /** It may be otherwise next time. */
  | { readonly kind: 'again'; readonly why: string; readonly retryAfterMs?: number };

/**
 * The verdict on POST pods/NAME/eviction or DELETE pods/NAME. A budget refuses with 429 and the cause DisruptionBudget, and
 * with 500 where more than one covers the pod, which no budget can answer; 429 without the cause is a busy server.
 */
export function readVerdict(answer: ApiAnswer, asked: AskedOf): Verdict {
  if (isDone(answer)) return { kind: 'told' };
  const why = statusText(answer);
  switch (answer.status) {
    case 401:
      return { kind: 'refused', why: forbiddenText(answer, asked) };
    case 403:
      return forbidden(answer, asked);
    case 404:
      return isPodMissing(answer) ? { kind: 'gone' } : { kind: 'again', why };
    case 409:
      return { kind: 'conflict', why };
    case 429:
      return tooMany(answer);
  }
  if (answer.status >= 500) return serverFault(answer);
  return { kind: 'refused', why: `the API server does not take it: ${why}` };
}

/** Whether a 404 is about the pod or its namespace, and not about the path, or from something that is no API server. */
export function isPodMissing(answer: ApiAnswer): boolean {
  const kind = missingKind(answer);
  return kind === 'pods' || kind === 'namespaces';
}

/** A namespace that is being deleted takes nothing new, and ends its pods by itself. */
function forbidden(answer: ApiAnswer, asked: AskedOf): Verdict {
  return statusCauses(answer).some(({ reason }) => reason === 'NamespaceTerminating')
    ? { kind: 'told' }
    : { kind: 'refused', why: forbiddenText(answer, asked) };
}

function tooMany(answer: ApiAnswer): Verdict {
  const cause = statusCauses(answer).find(({ reason }) => reason === 'DisruptionBudget');
  const retry = retryAfter(answer);
  if (cause === undefined) return { kind: 'again', why: statusText(answer), ...retry };
  const why = cause.message === '' ? statusText(answer) : shortened(cause.message);
  return { kind: 'budget', why, ...retry };
}

function serverFault(answer: ApiAnswer): Verdict {
  const why = statusText(answer);
  const isOfBudgets = answer.status === 500 && why.includes('more than one PodDisruptionBudget');
  return isOfBudgets ? { kind: 'budget', why } : { kind: 'again', why, ...retryAfter(answer) };
}
