import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
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

/** The pods that a kubelet knows, by its /pods. */
export function kubeletPods(client: KubeletClient, { everyMs, clock }: PolledPods): RemotePods {
  const answers = new SameAnswers(client.name);
  const list = async (signal: AbortSignal): Promise<PodsRead> =>
    answers.read(await client.get('/pods', signal));
  const deadlineMs = client.deadlineMs + AFTER_DEADLINE_MS;
  return {
    name: `kubelet:${client.address.text}`,
    list,
    follow: async (told, signal) => {
      await followByPolling({ name: client.name, list, everyMs, deadlineMs, clock }, told, signal);
    },
  };
}

/**
 * Gives the very list of the last time where nothing that counts has changed: the same bytes are not read again, and the same
 * pods in another order, or with other times in them, are the same pods.
 */
class SameAnswers {
  readonly #name: string;
  #last: { readonly digest: string; readonly read: PodsRead } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  read(body: Buffer): PodsRead {
    const digest = createHash('sha256').update(body).digest('base64');
    const last = this.#last;
    if (last?.digest === digest) return last.read;
    const read = readPodsAnswer(body, this.#name);
    this.#last = {
      digest,
      read: isDeepStrictEqual(last?.read, read) && last !== undefined ? last.read : read,
    };
    return this.#last.read;
  }
}
