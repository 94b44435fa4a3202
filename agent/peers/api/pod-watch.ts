import { isDeepStrictEqual } from 'node:util';
import { type Warning, warning } from '../../../cgroup/warning.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { Clock, PodNews } from '../../ports.ts';
import type { ApiClient, WatchEvent } from './api-port.ts';
import { Ear } from './ear.ts';
import { ApiRefusal, isOfAnotherTime, listPods, PODS_PATH, podsOn, refusalOf } from './list-pods.ts';
import { type ReadEvent, readPodEvent } from './pod-answers.ts';
import { afterChange, type PodLedger, podsInOrder } from './pod-ledger.ts';
import { WatchPace } from './watch-pace.ts';

/** How long the server keeps a watch open; then it is begun anew where it ended. */
const WATCH_SECONDS = '300';
/** A server tells once a minute that it is there (bookmarks), so that nothing for longer means that nothing arrives. */
const SILENCE_MS = 90_000;
const FIRST_PAUSE_MS = 1_000;
/** Between two tries to reach one that is away: it may be back any moment, and a closed door costs nothing. */
const LONGEST_PAUSE_MS = 4_000;
/** Between two questions to one that answers and says no. */
const LONGEST_REFUSED_PAUSE_MS = 30_000;
/** A server that wants to be left alone for longer is asked all the same. */
const LONGEST_RETRY_AFTER_MS = 60_000;

export interface ApiPodsParts {
  /** Gives the client, made when it is first wanted; throws Failure where its credentials are not there. */
  readonly client: () => Promise<ApiClient>;
  /** Of the node in its cluster. */
  readonly nodeName: string;
  readonly clock: Clock;
}

/** What a ledger tells of a node. */
export function podsRead(ledger: PodLedger, nodeName: string): PodsRead {
  const pods = podsInOrder(ledger);
  return { pods, warnings: pods.length === 0 ? [noPods(nodeName)] : [] };
}

/** A name that no node has is no fault to the server: nothing is on such a node. */
function noPods(nodeName: string): Warning {
  const message = `the API server knows no pod of a node ${JSON.stringify(nodeName)}; if this node has another name in its cluster, say it with --node-name or NODE_NAME`;
  return warning('no-pods-of-node', message);
}

/** How a watch ended that the server had answered. */
interface Ended {
  /** Whether the next one can go on from where it was; else a list has to be made. */
  readonly goesOn: boolean;
  /** Whether it told anything that was not known. */
  readonly toldNews: boolean;
  /** What the server sent that no watch sends. */
  readonly failure?: Failure;
}

/**
 * Follows the pods of a node: a list, then a watch from its version on, and a list again only where the server has forgotten that
 * version, told nonsense, or told nothing in several watches. Whatever fails is told, and tried again after pauses that grow; a
 * list that is good, or a watch that is begun, ends them.
 */
export class PodWatch {
  readonly #parts: ApiPodsParts;
  readonly #told: (news: PodNews) => void;
  readonly #pace = new WatchPace();
  /** undefined: nothing has been listed yet. */
  #ledger: PodLedger | undefined;
  /** The version from which a list has to be made before it is watched on; undefined: none has to. */
  #listFrom: string | undefined = '0';
  #lack: string | undefined;
  /** What was wrong with watches that the server began, since the last good one: told once, as lists may be good meanwhile. */
  #complaint: string | undefined;
  /** Tries in a row that came to nothing. */
  #failures = 0;

  constructor(parts: ApiPodsParts, told: (news: PodNews) => void) {
    this.#parts = parts;
    this.#told = told;
  }

  /** Until the signal aborts. Throws nothing that a peer can cause. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await this.#once(signal);
      if (pauseMs > 0) await this.#parts.clock.sleep(pauseMs, signal);
    }
  }

  /** Lists where that is due, and watches as long as it lasts; gives the pause until the next time. */
  async #once(signal: AbortSignal): Promise<number> {
    const { clock } = this.#parts;
    const beganMs = clock.nowMs();
    try {
      const client = await this.#parts.client();
      if (this.#listFrom !== undefined) await this.#list(client, this.#listFrom, signal);
      const ended = await this.#watch(client, signal);
      return this.#afterWatch(ended, clock.nowMs() - beganMs);
    } catch (error) {
      if (signal.aborted) return 0;
      if (!(error instanceof Failure)) throw error;
      this.#failures += 1;
      this.#tellLack(error);
      return pauseAfter(error, this.#failures);
    }
  }

  /** The pause after a watch that the server had answered, and whether a list comes before the next. */
  #afterWatch({ goesOn, toldNews, failure }: Ended, tookMs: number): number {
    const pauseMs = this.#pace.after({ tookMs, toldNews });
    if (!goesOn || this.#pace.isListDue) this.#listFrom ??= this.#ledger?.resourceVersion ?? '';
    if (failure !== undefined && failure.message !== this.#complaint) this.#tellLack(failure);
    this.#complaint = this.#pace.isGood ? undefined : (failure?.message ?? this.#complaint);
    return pauseMs;
  }

  async #list(client: ApiClient, from: string, signal: AbortSignal): Promise<void> {
    const known = this.#ledger;
    const listed = await listPods(client, this.#parts.nodeName, from, signal);
    const isSame = known !== undefined && isDeepStrictEqual(known.pods, listed.pods);
    this.#ledger = isSame ? { ...listed, pods: known.pods } : listed;
    this.#listFrom = undefined;
    this.#failures = 0;
    if (!isSame) this.#pace.sawChange();
    if (!isSame || this.#lack !== undefined) this.#tellPods();
  }

  async #watch(client: ApiClient, signal: AbortSignal): Promise<Ended> {
    const { nodeName, clock } = this.#parts;
    const query = {
      ...podsOn(nodeName),
      resourceVersion: this.#ledger?.resourceVersion ?? '',
      allowWatchBookmarks: 'true',
      timeoutSeconds: WATCH_SECONDS,
    };
    const ear = new Ear(clock, SILENCE_MS);
    const before = this.#ledger;
    const state = { hasBegun: false, goesOn: true };
    const begun = (): void => {
      state.hasBegun = true;
      ear.begin();
      this.#failures = 0;
      if (this.#lack !== undefined) this.#tellPods();
    };
    const event = (told: WatchEvent): void => {
      ear.heard();
      if (state.goesOn) state.goesOn = this.#take(client.name, told);
      if (!state.goesOn) ear.stop();
    };
    const open = AbortSignal.any([signal, ear.signal]);
    try {
      const end = await client.watch(PODS_PATH, query, { begun, event }, open);
      if (end.kind === 'refused') {
        if (!isOfAnotherTime(end.answer)) throw refusalOf(client, 'watch', end.answer);
        this.#listFrom = '';
        state.goesOn = false;
      }
      return { goesOn: state.goesOn, toldNews: this.#hasNews(before) };
    } catch (error) {
      if (!state.hasBegun || !(error instanceof Failure)) throw error;
      return { goesOn: false, toldNews: this.#hasNews(before), failure: error };
    } finally {
      ear.stop();
    }
  }

  #hasNews(before: PodLedger | undefined): boolean {
    const after = this.#ledger;
    return after?.resourceVersion !== before?.resourceVersion || after?.pods !== before?.pods;
  }

  /** Whether the watch goes on after this line. */
  #take(name: string, told: WatchEvent): boolean {
    const ledger = this.#ledger;
    const read = readable(name, told);
    if (ledger === undefined || read === 'unreadable' || read?.kind === 'error') return false;
    if (read === undefined) return true;
    if (read.kind === 'expired') {
      this.#listFrom = '';
      return false;
    }
    this.#ledger = afterChange(ledger, read);
    if (this.#ledger.pods !== ledger.pods) this.#tellPods();
    return true;
  }

  #tellPods(): void {
    if (this.#ledger === undefined) return;
    this.#lack = undefined;
    this.#told({ kind: 'pods', read: podsRead(this.#ledger, this.#parts.nodeName) });
  }

  #tellLack(failure: Failure): void {
    if (failure.message !== this.#lack) this.#told({ kind: 'lack', failure });
    this.#lack = failure.message;
  }
}

/** What a line says; undefined: nothing. A list made anew shows whether a pod really cannot be read. */
function readable(name: string, told: WatchEvent): ReadEvent | 'unreadable' | undefined {
  try {
    return readPodEvent(name, told);
  } catch (error) {
    if (error instanceof Failure) return 'unreadable';
    throw error;
  }
}

/** The pause after so many tries that came to nothing: a second, and twice as long each time. */
function grown(failures: number, longestMs: number): number {
  return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16));
}

function pauseAfter(failure: Failure, failures: number): number {
  if (failure instanceof ApiRefusal) {
    const wantedMs = Math.min(failure.retryAfterMs, LONGEST_RETRY_AFTER_MS);
    return Math.max(wantedMs, grown(failures, LONGEST_REFUSED_PAUSE_MS));
  }
  const isAway = failure.status === EXIT.unavailable;
  return grown(failures, isAway ? LONGEST_PAUSE_MS : LONGEST_REFUSED_PAUSE_MS);
}
