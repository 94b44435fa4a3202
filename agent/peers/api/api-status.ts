import { asInteger, asList, asRecord, asString, type PlainRecord } from '../../../config/text/plain-value.ts';
import type { ApiAnswer } from './api-client.ts';
import { type AskedOf, answerFailure } from './faults.ts';

/** A sentence of a server is somebody's data, and may be a page. */
const LONGEST_MESSAGE = 300;

/** One of the causes in a v1 Status: `reason` is from a closed vocabulary, such as DisruptionBudget. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
}

/** Whether the server has done what it was asked for. */
export function isDone({ status }: ApiAnswer): boolean {
  return status >= 200 && status < 300;
}

/** What a server says for why it did not, for the end of a sentence. */
export function statusText({ status, body }: ApiAnswer): string {
  const message = asString(asRecord(body)?.['message']) ?? '';
  return message === '' ? `it answers with status ${status}` : shortened(message);
}

/** Somebody's words as the end of a sentence: of a bearable length, and without their full stop. */
export function shortened(message: string): string {
  const text = message.trim().replace(/\.$/, '');
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`;
}

/** The causes that a v1 Status names; none where the body is something else. */
export function statusCauses(answer: ApiAnswer): readonly StatusCause[] {
  return (asList(statusDetails(answer)['causes']) ?? []).map((one) => {
    const cause = asRecord(one) ?? {};
    return { reason: asString(cause['reason']) ?? '', message: asString(cause['message']) ?? '' };
  });
}

/** The kind of what a 404 is about, in the plural, such as `pods`; undefined for a path that no API server has. */
export function missingKind(answer: ApiAnswer): string | undefined {
  return answer.status === 404 ? asString(statusDetails(answer)['kind']) : undefined;
}

/** How long the server wants to be left alone: the header, else the same number in the body. */
export function retryAfter(answer: ApiAnswer): { readonly retryAfterMs?: number } {
  if (answer.retryAfterMs !== undefined) return { retryAfterMs: answer.retryAfterMs };
  const seconds = asInteger(statusDetails(answer)['retryAfterSeconds']);
  return seconds === undefined || seconds <= 0n ? {} : { retryAfterMs: Number(seconds) * 1000 };
}

/**
 * Why a server says that nodeqos may not (401, 403), with the remedy. Authorization names verb and resource; whoever else
 * forbids, such as admission, says it in words of his own.
 */
export function forbiddenText(answer: ApiAnswer, asked: AskedOf): string {
  const message = asString(asRecord(answer.body)?.['message']) ?? '';
  const isOfRole = answer.status === 401 || message === '' || / cannot [a-z]+ resource /.test(message);
  return isOfRole
    ? answerFailure(answer, asked).message
    : `${asked.client.name} forbids it: ${shortened(message)}`;
}

function statusDetails({ body }: ApiAnswer): PlainRecord {
  return asRecord(asRecord(body)?.['details']) ?? {};
}
