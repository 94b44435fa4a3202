import type { TextFile } from '../../../config/finding.ts';
import { parseJson } from '../../../config/text/document.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Clock } from '../../ports.ts';
import { poll } from '../polled.ts';
import type { KubeletClient } from './kubelet-client.ts';

/**
 * How old a sample of a kubelet may be to be acted upon, in milliseconds. It samples its cgroups every 10 s and up to twice as
 * long (cAdvisor's housekeeping with its jitter), and its answer is as old as the last question when it is looked at.
 */
export const KUBELET_SAMPLE_AGE_MS = 30_000;

/** Twice as often as there can be something new. */
const EVERY_MS = 5000;
/** As for the pods. */
const AFTER_DEADLINE_MS = 1000;

/** Asks a kubelet for its /stats/summary. Throws Failure as KubeletClient.get does, and 65 for what is no JSON. */
export async function kubeletSummaryText(client: KubeletClient, signal: AbortSignal): Promise<TextFile> {
  const text = (await client.get('/stats/summary', signal)).toString('utf8');
  if (parseJson(text) === undefined) {
    const remedy = 'check that a kubelet listens there, and not something in front of it';
    throw new Failure(
      EXIT.badData,
      `${client.name} answers /stats/summary with text that is not JSON; ${remedy}`,
    );
  }
  return { file: `${client.name}, /stats/summary`, text };
}

/** A summary as it is known now. */
export interface SummaryNow {
  /** The same object as long as it is the same one; undefined where none is known that is new enough. */
  readonly summary: TextFile | undefined;
  /** Why there is no newer one. */
  readonly lack?: string;
}

/** The statistics of a kubelet, asked for in the background. */
export interface FollowedSummary {
  /** As of now; waits for nobody. */
  now(): SummaryNow;
  /** Resolves when it was told anything, or when `longestMs` are over. */
  heard(longestMs: number): Promise<void>;
  /** Asks until the signal aborts. Throws nothing that a kubelet can cause. */
  follow(signal: AbortSignal): Promise<void>;
}

/**
 * Follows a kubelet's /stats/summary. While it does not answer, what it told last serves as long as a sample may be old, and
 * then nothing does: usage has no time of its own, and nobody should be measured by what was hours ago.
 */
export function followedSummary(
  client: KubeletClient,
  { clock }: { readonly clock: Clock },
): FollowedSummary {
  let last: { readonly summary: TextFile; readonly atMs: number } | undefined;
  let failure: Failure | undefined;
  const heard: (() => void)[] = [];
  const told = (answer: TextFile | Failure): void => {
    if (answer instanceof Failure) failure = answer;
    else {
      failure = undefined;
      last = { summary: answer, atMs: clock.nowMs() };
    }
    for (const tell of heard.splice(0)) tell();
  };
  return {
    now: () => {
      const isNew = last !== undefined && clock.nowMs() - last.atMs <= KUBELET_SAMPLE_AGE_MS;
      const summary = isNew ? last?.summary : undefined;
      if (failure !== undefined) return { summary, lack: failure.message };
      return summary === undefined
        ? { summary, lack: `${client.name} has not told its statistics yet` }
        : { summary };
    },
    heard: async (longestMs) => {
      if (last !== undefined || failure !== undefined) return;
      const waited = new AbortController();
      const first = new Promise<void>((resolve) => heard.push(resolve));
      await Promise.race([first, clock.sleep(longestMs, waited.signal)]);
      waited.abort();
    },
    follow: async (signal) => {
      const list = (within: AbortSignal): Promise<TextFile> => kubeletSummaryText(client, within);
      const deadlineMs = client.deadlineMs + AFTER_DEADLINE_MS;
      await poll({ name: client.name, list, everyMs: EVERY_MS, deadlineMs, clock }, told, signal);
    },
  };
}
