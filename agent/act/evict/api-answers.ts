import { asInteger, asList, asRecord, asString, type PlainRecord } from '../../../config/text/plain-value.ts';
import type { ApiAnswer } from '../../peers/api/api-client.ts';

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

/** What nodeqos asks for, as a role names it. */
export type Permission = 'create on pods/eviction' | 'delete on pods' | 'get on pods';

/** A sentence of a server is somebody's data, and may be a page. */
const LONGEST_MESSAGE = 300;

/**
 * The verdict on POST pods/NAME/eviction or DELETE pods/NAME. A budget refuses with 429 and the cause DisruptionBudget, and
 * with 500 where more than one covers the pod, which no budget can answer; 429 without the cause is a busy server.
 */
export function readVerdict(answer: ApiAnswer, permission: Permission): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'told' };
  switch (status) {
    case 401:
      return { kind: 'refused', why: 'the API server does not accept the credentials of nodeqos' };
    case 403:
      return forbidden(answer, permission);
    case 404:
      return isPodMissing(answer) ? { kind: 'gone' } : { kind: 'again', why: statusText(answer) };
    case 409:
      return { kind: 'conflict', why: statusText(answer) };
    case 429:
      return tooMany(answer);
  }
  if (status >= 500) return serverFault(answer);
  return { kind: 'refused', why: `the API server does not take it: ${statusText(answer)}` };
}

/** Whether a 404 is about the pod or its namespace, and not about the path, or from something that is no API server. */
export function isPodMissing({ status, body }: ApiAnswer): boolean {
  const { kind } = detailsOf(body);
  return status === 404 && (kind === 'pods' || kind === 'namespaces');
}

/** What the server says, for the end of a sentence. */
export function statusText({ status, body }: ApiAnswer): string {
  const message = asString(asRecord(body)?.['message']) ?? '';
  return message === '' ? `it answers with status ${status}` : shortened(message);
}

/** Why a 403 came. Authorization names verb and resource; whoever else forbids says it in words of his own. */
export function forbiddenBecause(answer: ApiAnswer, permission: Permission): string {
  const message = asString(asRecord(answer.body)?.['message']) ?? '';
  return message === '' || / cannot [a-z]+ resource /.test(message)
    ? `the API server does not let nodeqos do it: its role lacks ${permission}`
    : `the API server forbids it: ${shortened(message)}`;
}

function shortened(message: string): string {
  const text = message.trim().replace(/\.$/, '');
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`;
}

/** A namespace that is being deleted takes nothing new, and ends its pods by itself. */
function forbidden(answer: ApiAnswer, permission: Permission): Verdict {
  if (causesOf(answer).some(({ reason }) => reason === 'NamespaceTerminating')) return { kind: 'told' };
  return { kind: 'refused', why: forbiddenBecause(answer, permission) };
}

function tooMany(answer: ApiAnswer): Verdict {
  const retry = retryOf(answer);
  const cause = causesOf(answer).find(({ reason }) => reason === 'DisruptionBudget');
  if (cause === undefined) return { kind: 'again', why: statusText(answer), ...retry };
  const why = cause.message === '' ? statusText(answer) : shortened(cause.message);
  return { kind: 'budget', why, ...retry };
}

function serverFault(answer: ApiAnswer): Verdict {
  const why = statusText(answer);
  const isOfBudgets = answer.status === 500 && why.includes('more than one PodDisruptionBudget');
  return isOfBudgets ? { kind: 'budget', why } : { kind: 'again', why, ...retryOf(answer) };
}

/** The header, else the same number in the body. */
function retryOf({ retryAfterMs, body }: ApiAnswer): { readonly retryAfterMs?: number } {
  if (retryAfterMs !== undefined) return { retryAfterMs };
  const seconds = asInteger(detailsOf(body)['retryAfterSeconds']);
  return seconds === undefined || seconds <= 0n ? {} : { retryAfterMs: Number(seconds) * 1000 };
}

interface Cause {
  readonly reason: string;
  readonly message: string;
}

function causesOf({ body }: ApiAnswer): readonly Cause[] {
  return (asList(detailsOf(body)['causes']) ?? []).map((one) => {
    const cause = asRecord(one) ?? {};
    return { reason: asString(cause['reason']) ?? '', message: asString(cause['message']) ?? '' };
  });
}

function detailsOf(body: ApiAnswer['body']): PlainRecord {
  return asRecord(asRecord(body)?.['details']) ?? {};
}
