import { amountText, valueText } from '../../decide/amount-text.ts';
import { unended } from '../../decide/clauses.ts';
import { resourceName } from '../../decide/eviction/message.ts';
import type { AgentEvent, TimedEvent } from '../../model/agent-event.ts';
import type { EvictionOrder, EvictionOutcome } from '../../model/eviction.ts';
import type { Pod } from '../../model/pod.ts';
import type { TickRecord } from '../../model/tick.ts';
import { visible } from '../visible.ts';

/** What a Kubernetes Event is about. */
export interface Involved {
  readonly kind: 'Pod' | 'Node';
  readonly name: string;
  /** Absent for a Node. */
  readonly namespace?: string;
  readonly uid?: string;
}

/** Something to be told as a Kubernetes Event. */
export interface ClusterNews {
  readonly involved: Involved;
  /** In CamelCase, from a small vocabulary. */
  readonly reason: string;
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly wallMs: number;
}

/** What readers of Events take at most (events.k8s.io: note), in bytes. */
const LONGEST_MESSAGE = 1024;

/**
 * The Event of an eviction that has come to its end; undefined for everything else, and where nothing was done, as in dry-run.
 * A pod that went has the kubelet's reason and message; one that did not has a reason of nodeqos' own.
 */
export function newsOfEviction({ event, mode, wallMs }: TimedEvent): ClusterNews | undefined {
  if (mode !== 'enforce' || event.kind !== 'eviction' || event.outcome.kind === 'dry-run') return undefined;
  const { order, outcome } = event;
  const [reason, message] = wordsOf(order, outcome);
  const bounded = boundedMessage(message);
  return {
    involved: involvedPod(order.pod),
    reason,
    message: bounded,
    annotations: reasonsOf(event),
    wallMs,
  };
}

/**
 * The Events of the resources that nodeqos begins to reclaim, in the kubelet's words, and all that it reclaims now: one of
 * `before` is not told again. Nothing is reclaimed where evictions are not real.
 */
export function newsOfThresholds(
  record: TickRecord,
  nodeName: string,
  before: ReadonlySet<string>,
): { readonly news: readonly ClusterNews[]; readonly reclaimed: ReadonlySet<string> } {
  const { agent, decision, wallMs } = record;
  const isReal = agent.mode === 'enforce' && agent.evictions === 'on';
  const met = isReal ? decision.thresholdsMet.map(({ signal }) => resourceName(signal)) : [];
  const reclaimed = new Set(met.sort());
  const news = [...reclaimed]
    .filter((resource) => !before.has(resource))
    .map((resource) => ({
      // kubectl describe node looks for the name in the place of the UID, where the kubelet puts it too.
      involved: { kind: 'Node', name: nodeName, uid: nodeName } as const,
      reason: 'EvictionThresholdMet',
      message: `Attempting to reclaim ${resource}`,
      annotations: {},
      wallMs,
    }));
  return { news, reclaimed };
}

function wordsOf(order: EvictionOrder, outcome: EvictionOutcome): readonly [reason: string, message: string] {
  switch (outcome.kind) {
    case 'refused':
      return [
        'EvictionRefused',
        `nodeqos wants to evict this pod, and may not: ${unended(outcome.why)}. ${order.message}`,
      ];
    case 'still-there':
      return [
        'EvictionFailed',
        `nodeqos evicts this pod, and it is still there: ${unended(outcome.why)}. ${order.message}`,
      ];
    case 'gone':
    case 'dry-run':
      return ['Evicted', order.message];
  }
}

function involvedPod({ namespace, name, uid }: Pod): Involved {
  return { kind: 'Pod', namespace, name, ...(uid === undefined ? {} : { uid }) };
}

type Eviction = Extract<AgentEvent, { kind: 'eviction' }>;

/** What the kubelet's words leave out; `starved_resource` is the kubelet's own. */
function reasonsOf({ order, evictor }: Eviction): Readonly<Record<string, string>> {
  const { pod, cause, candidates, evidence } = order;
  const { memAvailableBytes } = evidence ?? {};
  const own = candidates.find(({ namespace, name }) => namespace === pod.namespace && name === pod.name);
  return {
    'nodeqos.dev/controller': pod.controllerKind ?? 'none',
    'nodeqos.dev/evictor': evictor,
    ...(own === undefined ? {} : { 'nodeqos.dev/why': visible(`the pod ${own.why}`) }),
    ...(memAvailableBytes === undefined
      ? {}
      : { 'nodeqos.dev/mem-available': amountText('memory.available', memAvailableBytes) }),
    ...thresholdOf(order),
    ...(cause.kind === 'storage-limit' ? { 'nodeqos.dev/limit': cause.limit } : {}),
  };
}

function thresholdOf({ cause }: EvictionOrder): Readonly<Record<string, string>> {
  if (cause.kind !== 'threshold') return {};
  const { threshold, available } = cause;
  const { signal, type, value } = threshold;
  return {
    'nodeqos.dev/signal': signal,
    'nodeqos.dev/threshold': `${type} ${valueText(signal, value)}`,
    'nodeqos.dev/available': amountText(signal, available),
    starved_resource: resourceName(signal),
  };
}

/** Cut between characters, never in one. */
function boundedMessage(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= LONGEST_MESSAGE) return message;
  const kept = new TextDecoder().decode(bytes.subarray(0, LONGEST_MESSAGE - 3));
  return `${kept.replace(/\uFFFD+$/, '')}…`;
}
