import { asRecord, type PlainRecord } from '../../../config/text/plain-value.ts';
import type { TickRecord } from '../../model/tick.ts';
import type { ApiAnswer, ApiClient } from '../../peers/api/api-client.ts';
import { forbiddenText, isDone, missingKind } from '../../peers/api/api-status.ts';
import { asked } from '../../peers/api/asked.ts';
import { answerFailure } from '../../peers/api/faults.ts';
import type { Clock } from '../../ports.ts';
import type { ClosableSink } from './cluster-events.ts';
import { conditionPatch, HEARTBEAT_MS, marksText, taintPatch } from './node-patches.ts';
import { isSameWish, NOTHING, type NodeWish, nodeWish, type UnseenSince } from './node-wish.ts';
import { endedOrLate } from './patient.ts';

/** How often a patch is made anew when somebody changed the Node meanwhile. */
const MOST_CONFLICTS = 5;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
/** How long the end of the agent waits until nothing of it is left on the Node. */
const LAST_PATCH_MS = 5000;
/** Between two tries at the end. */
const LAST_PAUSE_MS = 500;

type NodeAnswer =
  | { readonly kind: 'node'; readonly node: PlainRecord }
  | { readonly kind: 'lack'; readonly sentence: string };

/** What came of one try. */
type Kept = { readonly kind: 'kept' | 'conflict' } | { readonly kind: 'lack'; readonly sentence: string };

export interface NodeStatusParts {
  readonly client: ApiClient;
  readonly nodeName: string;
  readonly conditions: boolean;
  readonly taints: boolean;
  readonly clock: Clock;
  /** Why the Node does not say how the node stands; undefined: it does. */
  readonly trouble: (sentence: string | undefined) => Promise<void> | void;
}

/**
 * Keeps conditions and taints of the Node, under names of nodeqos' own, as eviction decides by them, in enforce. The Node is
 * read and patched beside the loop: when the wish has changed, and every five minutes. When the agent ends, or comes to
 * be in dry-run, they are taken out again: a condition that nobody keeps says nothing. An agent that begins in dry-run reads the
 * Node once, and tells what a run that was killed has left there.
 */
export function nodeStatus(parts: NodeStatusParts): ClosableSink {
  return new NodeStatusSink(parts);
}

class NodeStatusSink implements ClosableSink {
  readonly name = 'node';
  readonly #parts: NodeStatusParts;
  readonly #path: string;
  readonly #ending = new AbortController();
  #unseen: UnseenSince = new Map();
  /** undefined: nothing has been wished of the Node, and nothing of it is touched. */
  #wish: NodeWish | undefined;
  /** What the Node says, as far as this agent knows. */
  #said: NodeWish | undefined;
  #working: Promise<void> | undefined;
  #nextAtMs = 0;
  #failures = 0;
  /** The Node as it was read last. */
  #node: PlainRecord | undefined;
  #hasLooked = false;

  constructor(parts: NodeStatusParts) {
    this.#parts = parts;
    this.#path = `/api/v1/nodes/${encodeURIComponent(parts.nodeName)}`;
  }

  event(): void {
    // What matters is how things stand, which comes with every tick.
  }

  tick(record: TickRecord): void {
    const { wish, unseen } = nodeWish(record, this.#unseen);
    this.#unseen = unseen;
    // In dry-run nothing is wished of a Node of which nothing ever was.
    if (record.agent.mode === 'enforce') this.#wish = wish;
    else if (this.#wish !== undefined) this.#wish = NOTHING;
    if (this.#ending.signal.aborted || this.#working !== undefined) return;
    const isTime = this.#parts.clock.nowMs() >= this.#nextAtMs;
    const isLook = this.#wish === undefined && !this.#hasLooked && isTime;
    if (!isLook && !this.#isDue()) return;
    this.#working = (isLook ? this.#look() : this.#work()).finally(() => {
      this.#working = undefined;
    });
  }

  async close(): Promise<void> {
    const { clock, trouble, nodeName } = this.#parts;
    const end: { lack: string | undefined } = {
      lack: `${this.#parts.client.name} does not answer in time`,
    };
    const last = async (): Promise<void> => {
      await this.#working;
      while (this.#wish !== undefined && !this.#ending.signal.aborted) {
        end.lack = await this.#keep(NOTHING);
        if (end.lack === undefined) return;
        await clock.sleep(LAST_PAUSE_MS, this.#ending.signal);
      }
    };
    await endedOrLate(last(), LAST_PATCH_MS, clock);
    const left = end.lack;
    this.#ending.abort();
    if (this.#wish === undefined || left === undefined) return;
    const marks = this.#node === undefined ? undefined : marksText(this.#node, nodeName);
    if (marks !== undefined) await trouble(`${marks} (${left})`);
  }

  /** What was left by a run that did not end properly is told and left alone. */
  async #look(): Promise<void> {
    const read = this.#read(await this.#ask('GET', ''), 'get', 'nodes');
    if (this.#ending.signal.aborted) return;
    const { clock, nodeName, trouble } = this.#parts;
    this.#hasLooked = read.kind === 'node';
    this.#nextAtMs = this.#hasLooked ? 0 : clock.nowMs() + LONGEST_PAUSE_MS;
    await trouble(read.kind === 'lack' ? read.sentence : marksText(read.node, nodeName));
  }

  #isDue(): boolean {
    if (this.#wish === undefined) return false;
    const isChanged = this.#said === undefined || !isSameWish(this.#wish, this.#said);
    const isTime = this.#parts.clock.nowMs() >= this.#nextAtMs;
    return this.#failures > 0 ? isTime : isChanged || (isTime && this.#wish !== NOTHING);
  }

  async #work(): Promise<void> {
    const wish = this.#wish ?? NOTHING;
    const lack = await this.#keep(wish);
    if (this.#ending.signal.aborted) return;
    this.#failures = lack === undefined ? 0 : this.#failures + 1;
    if (lack === undefined) this.#said = wish;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#nextAtMs = this.#parts.clock.nowMs() + (lack === undefined ? HEARTBEAT_MS : pauseMs);
    await this.#parts.trouble(lack);
  }

  /** Makes the Node say what is wished. Gives why it could not be done. */
  async #keep(wish: NodeWish): Promise<string | undefined> {
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
      const kept = await this.#keepOnce(wish);
      if (kept.kind !== 'conflict') return kept.kind === 'lack' ? kept.sentence : undefined;
    }
    return `the taints of the Node ${this.#parts.nodeName} are changed by somebody else all the time; they are tried again later`;
  }

  async #keepOnce(wish: NodeWish): Promise<Kept> {
    const answer = await this.#ask('GET', '');
    const read = this.#read(answer, 'get', 'nodes');
    if (read.kind === 'lack') return read;
    const patch = this.#parts.conditions
      ? conditionPatch(read.node, wish, this.#parts.clock.wallMs())
      : undefined;
    // Patched, it is a newer Node, without which the patch of the taints would come too late.
    const now =
      patch === undefined
        ? read
        : this.#read(await this.#ask('PATCH', '/status', patch), 'patch', 'nodes/status');
    return now.kind === 'lack' ? now : await this.#keepTaints(now.node, wish);
  }

  async #keepTaints(node: PlainRecord, wish: NodeWish): Promise<Kept> {
    const patch = this.#parts.taints ? taintPatch(node, wish) : undefined;
    if (patch === undefined) return { kind: 'kept' };
    const answer = await this.#ask('PATCH', '', patch);
    if (typeof answer !== 'string' && answer.status === 409) return { kind: 'conflict' };
    const read = this.#read(answer, 'patch', 'nodes');
    return read.kind === 'lack' ? read : { kind: 'kept' };
  }

  async #ask(method: 'GET' | 'PATCH', end: string, body?: PlainRecord): Promise<ApiAnswer | string> {
    const kind = end === '' ? 'merge-patch' : 'strategic-merge-patch';
    const request = body === undefined ? {} : { body, contentType: `application/${kind}+json` };
    const { client } = this.#parts;
    return await asked(client.request(method, `${this.#path}${end}`, request, this.#ending.signal));
  }

  #read(answer: ApiAnswer | string, verb: string, resource: string): NodeAnswer {
    if (typeof answer === 'string') return { kind: 'lack', sentence: answer };
    const node = asRecord(answer.body);
    if (isDone(answer) && node !== undefined) {
      this.#node = node;
      return { kind: 'node', node };
    }
    const { client, nodeName } = this.#parts;
    const asking = { client, verb, resource };
    if (answer.status === 401 || answer.status === 403) {
      return { kind: 'lack', sentence: forbiddenText(answer, asking) };
    }
    const sentence =
      missingKind(answer) === 'nodes'
        ? `${client.name} has no Node ${nodeName}; --node-name says which one this is`
        : answerFailure(answer, asking).message;
    return { kind: 'lack', sentence };
  }
}
