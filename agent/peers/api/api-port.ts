import type { PlainValue } from '../../../config/text/plain-value.ts';

/** What goes with a request, beside its method and path. */
export interface ApiRequest {
  /** Parameters of the query, such as `fieldSelector`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. Numbers that a double does not hold are bigint. */
  readonly body?: PlainValue;
  /** Absent: application/json. A patch needs its own, such as application/strategic-merge-patch+json. */
  readonly contentType?: string;
}

/** An answer of the API server, whatever its status; a redirect is none. */
export interface ApiAnswer {
  readonly status: number;
  /** undefined: the answer holds no JSON. */
  readonly body: PlainValue | undefined;
  /** How long the server wants to be left alone, where it says so (Retry-After). */
  readonly retryAfterMs?: number;
}

/** One line of a watch, its object as it came. */
export interface WatchEvent {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. */
  readonly type: string;
  readonly object: PlainValue;
}

/** Who is told what a watch brings. */
export interface WatchListener {
  /** The server has begun: it answers, and nothing may come for long. */
  begun(): void;
  event(event: WatchEvent): void;
}

/** How a watch ended: with an answer of its own where the server did not begin it. */
export type WatchEnd =
  /** Closed or cut off, by the server, by what is between, or by the signal. */
  { readonly kind: 'closed' } | { readonly kind: 'refused'; readonly answer: ApiAnswer };

/**
 * The API server that the configuration names, and no other host. Whoever asks it for something gets every answer, also one that
 * says no. Both calls throw Failure where there is no answer: 69 for a server that is away, too slow, or no API server;
 * 77 for a certificate that is not trusted; 66 and 65 for credentials that are missing or unreadable.
 */
export interface ApiClient {
  /** For people: `the API server at https://10.96.0.1:443`. */
  readonly name: string;
  /** What it is asked with, for people: `the token of FILE`. */
  readonly identity: string;
  /** Asks once, within the deadline of the settings; a second time where a 401 met a token that has since been replaced. */
  request(method: string, path: string, request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** Tells every event until the watch ends; what the listener throws ends it too. Only its beginning has a deadline: what is silent for too long, the caller ends. */
  watch(
    path: string,
    query: Readonly<Record<string, string>>,
    listener: WatchListener,
    signal: AbortSignal,
  ): Promise<WatchEnd>;
}
