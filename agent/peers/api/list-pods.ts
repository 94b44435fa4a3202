import { asList, asRecord, asString, valueAt } from '../../../config/text/plain-value.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { ApiAnswer, ApiClient } from './api-port.ts';
import { answerFailure } from './faults.ts';
import { readPodPage } from './pod-answers.ts';
import { ledgerOf, type PodLedger } from './pod-ledger.ts';

export const PODS_PATH = '/api/v1/pods';
/** As kubectl asks. */
const PAGE = '500';
/** A node has some hundred pods: a list of more pages goes round in circles. */
const MOST_PAGES = 100;

/** An answer that says no, and for how long. */
export class ApiRefusal extends Failure {
  readonly retryAfterMs: number;

  constructor(status: ExitStatus, sentence: string, retryAfterMs: number) {
    super(status, sentence);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The refusal that an answer to a question about pods is. */
export function refusalOf(client: ApiClient, verb: 'list' | 'watch', answer: ApiAnswer): ApiRefusal {
  const { status, message } = answerFailure(answer, { client, verb, resource: 'pods' });
  return new ApiRefusal(status, message, answer.retryAfterMs ?? 0);
}

/** Which pods are meant: those of a node, wherever they are in their lives. */
export function podsOn(nodeName: string): Readonly<Record<string, string>> {
  return { fieldSelector: `spec.nodeName=${nodeName}` };
}

/**
 * The pods of a node, not older than a version: '0' is whatever the server has in its memory, which costs it next to nothing,
 * and '' what is true now, which it may have to look up. Pages are of one moment. Where the server has forgotten the version, or
 * does not have it yet, what is true now is asked for. Throws Failure.
 */
export async function listPods(
  client: ApiClient,
  nodeName: string,
  version: string,
  signal: AbortSignal,
): Promise<PodLedger> {
  const reader = new ListReader(client, nodeName, signal);
  const kept = version === '' ? [] : [{ resourceVersion: version }];
  for (const query of [...kept, NOW, WHOLE]) {
    const ledger = await reader.read(query);
    if (ledger !== undefined) return ledger;
  }
  throw new Failure(
    EXIT.unavailable,
    `${client.name} forgets every list of pods before it is read; check its load`,
  );
}

const NOW = { limit: PAGE };
/** In one piece, where pages are forgotten faster than they are read. */
const WHOLE = {};

class ListReader {
  readonly #client: ApiClient;
  readonly #nodeName: string;
  readonly #signal: AbortSignal;

  constructor(client: ApiClient, nodeName: string, signal: AbortSignal) {
    this.#client = client;
    this.#nodeName = nodeName;
    this.#signal = signal;
  }

  /** undefined: the server cannot give the list of this moment. */
  async read(query: Readonly<Record<string, string>>): Promise<PodLedger | undefined> {
    const pods: Pod[] = [];
    let next: Readonly<Record<string, string>> = {};
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const asked = { ...podsOn(this.#nodeName), ...query, ...next };
      const answer = await this.#client.request('GET', PODS_PATH, { query: asked }, this.#signal);
      if (isOfAnotherTime(answer)) return undefined;
      if (answer.status !== 200) throw refusalOf(this.#client, 'list', answer);
      const read = readPodPage(this.#client.name, answer.body);
      pods.push(...read.pods);
      if (read.next === undefined) return ledgerOf(pods, read.resourceVersion);
      next = { continue: read.next };
    }
    throw new Failure(
      EXIT.unavailable,
      `${this.#client.name} gives a list of pods without end; check what answers there`,
    );
  }
}

/** The server has forgotten the version or the page (410), or has not got so far (504 for that reason). */
export function isOfAnotherTime({ status, body }: ApiAnswer): boolean {
  if (status === 410) return true;
  const details = asRecord(valueAt(asRecord(body), 'details'));
  const causes = asList(valueAt(details, 'causes')) ?? [];
  const reasons = causes.map((cause) => asString(valueAt(asRecord(cause), 'reason')));
  return status === 504 && reasons.includes('ResourceVersionTooLarge');
}
