import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { Clock, RemotePods } from '../../ports.ts';
import { followByPolling } from '../polled.ts';
import type { KubeletClient } from './kubelet-client.ts';
import { readPodsAnswer } from './pods-answer.ts';

/** How a list of pods is asked for again and again. */
export interface PolledPods {
  readonly everyMs: number;
  readonly clock: Clock;
}

/** The client has a deadline of its own, whose sentence says more: this one is for what it does not see. */
const AFTER_DEADLINE_MS = 1000;
/** How long a kubelet that is back is given to learn of its pods from the API server. */
const LEARNING_MS = 5 * 60_000;

/** The pods that a kubelet knows, by its /pods. */
export function kubeletPods(client: KubeletClient, { everyMs, clock }: PolledPods): RemotePods {
  const answers = new Answers(client.name, clock);
  const list = async (signal: AbortSignal): Promise<PodsRead> => {
    try {
      return answers.read(await client.get('/pods', signal));
    } catch (error) {
      answers.failed();
      throw error;
    }
  };
  const deadlineMs = client.deadlineMs + AFTER_DEADLINE_MS;
  return {
    name: `kubelet:${client.address.text}`,
    list,
    follow: async (told, signal) => {
      await followByPolling({ name: client.name, list, everyMs, deadlineMs, clock }, told, signal);
    },
  };
}

/** Answers of one kubelet, each seen beside the one before. */
class Answers {
  readonly #name: string;
  readonly #clock: Clock;
  #last: { readonly digest: string; readonly read: PodsRead } | undefined;
  /** Whether it has not answered since. */
  #wasAway = false;
  /** Since when it answers without the pods that it knew before it was away. */
  #learnsSinceMs: number | undefined;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  failed(): void {
    this.#wasAway = true;
  }

  /**
   * The very list of the last time where nothing that counts has changed: the same bytes are not read again, and the same pods
   * in another order, or with other times in them, are the same pods. Throws Failure 65, and 69 for a kubelet that was
   * started anew: it answers before it has heard from the API server, and then lists static pods alone.
   */
  read(body: Buffer): PodsRead {
    const digest = createHash('sha256').update(body).digest('base64');
    const last = this.#last;
    const read = last?.digest === digest ? last.read : readPodsAnswer(body, this.#name);
    if (this.#wasAway && this.#isLearning(read)) {
      const message = `${this.#name} does not know the pods of its API server any more, as after its start; it is asked again, and its log says what it waits for`;
      throw new Failure(EXIT.unavailable, message);
    }
    this.#wasAway = false;
    this.#learnsSinceMs = undefined;
    this.#last = {
      digest,
      read: last !== undefined && isDeepStrictEqual(last.read, read) ? last.read : read,
    };
    return this.#last.read;
  }

  #isLearning(read: PodsRead): boolean {
    if (this.#last === undefined || !hasPodsOfApi(this.#last.read) || hasPodsOfApi(read)) return false;
    const nowMs = this.#clock.nowMs();
    this.#learnsSinceMs ??= nowMs;
    return nowMs - this.#learnsSinceMs <= LEARNING_MS;
  }
}

function hasPodsOfApi({ pods }: PodsRead): boolean {
  return pods.some(({ isStatic }) => !isStatic);
}
