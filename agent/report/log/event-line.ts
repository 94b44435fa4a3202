import { amountIn } from '../../../config/numbers/percent.ts';
import { amountText, valueText } from '../../decide/amount-text.ts';
import { unended, withClauses } from '../../decide/clauses.ts';
import { humanDuration } from '../../decide/human.ts';
import { podName } from '../../decide/pod-name.ts';
import { taintText } from '../../decide/taints/taint-text.ts';
import type { AgentEvent, AgentMode, AgentPart, LimitOwner, TimedEvent } from '../../model/agent-event.ts';
import type { EvictionCause, EvictionOrder } from '../../model/eviction.ts';
import { visible } from '../visible.ts';
import { standingText } from './standing-text.ts';

/** Syslog's levels, as far as an agent's lines need them. */
type LineLevel = 'crit' | 'error' | 'warning' | 'notice' | 'info' | 'debug';

/** One event for a person. */
export interface EventLine {
  readonly level: LineLevel;
  readonly line: string;
  /** Something that could not be done, as opposed to something that was decided. */
  readonly isTrouble: boolean;
}

/** The one line of an event; names in it are somebody's data and stay text, whatever characters they hold. */
export function eventLine({ event, mode }: TimedEvent): EventLine {
  const { level, text, isTrouble = false } = lineOf(event, mode);
  return { level, line: visible(text), isTrouble };
}

interface Line {
  readonly level: LineLevel;
  readonly text: string;
  readonly isTrouble?: boolean;
}

function lineOf(event: AgentEvent, mode: AgentMode): Line {
  switch (event.kind) {
    case 'condition':
      return conditionLine(event);
    case 'plan-applied':
      return appliedLine(event);
    case 'write':
      return writeLine(event);
    case 'drift':
      return { level: 'warning', text: driftText(event) };
    case 'evicting':
      return { level: 'notice', text: `evicting ${orderText(event.order)}` };
    case 'eviction':
      return evictionLine(event);
    case 'no-eviction':
      return { level: 'warning', text: withheldText(event) };
    default:
      return ownLine(event, mode);
  }
}

/** Of the agent itself. */
function ownLine(
  event: EventOf<'start' | 'standing' | 'reload' | 'trouble' | 'stop'>,
  mode: AgentMode,
): Line {
  switch (event.kind) {
    case 'start':
      return { level: 'info', text: startText(event, mode) };
    case 'standing':
      return standingLine(event);
    case 'reload':
      return reloadLine(event);
    case 'trouble':
      return troubleLine(event);
    case 'stop':
      return { level: 'info', text: `nodeqos stops: ${event.reason}` };
  }
}

type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>;

function startText({ version, pid, host }: EventOf<'start'>, mode: AgentMode): string {
  const facts = Object.entries(host)
    .filter(([, fact]) => ['string', 'number', 'bigint', 'boolean'].includes(typeof fact))
    .map(([name, fact]) => `, ${name} ${String(fact)}`);
  return `nodeqos ${version} starts (${mode}, PID ${pid}${facts.join('')})`;
}

function standingLine(event: EventOf<'standing'>): Line {
  const isReal = event.evictions === 'on' && event.taints?.evictions !== 'dry';
  return { level: isReal ? 'notice' : 'warning', text: standingText(event) };
}

function reloadLine({ ok, changes, error }: EventOf<'reload'>): Line {
  if (!ok) {
    const why = error ?? changes.join('; ');
    return {
      level: 'error',
      isTrouble: true,
      text: `the new configuration is refused and the last good one stays: ${why}`,
    };
  }
  const text =
    changes.length === 0
      ? 'the configuration was read again; nothing changed'
      : `the configuration changed: ${changes.join('; ')}`;
  return { level: 'info', text };
}

function conditionLine({ type, status, signals }: EventOf<'condition'>): Line {
  if (!status) return { level: 'notice', text: `${type} is over` };
  const because = signals.length === 0 ? '' : ` (${signals.join(', ')})`;
  return { level: 'warning', text: `${type} begins${because}` };
}

function appliedLine({ written, failed, wanted }: EventOf<'plan-applied'>): Line {
  const parts = [
    ...(written > 0 || (failed === 0 && wanted === 0) ? [`${written} written`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(wanted > 0 ? [`${wanted} would be written`] : []),
  ];
  return { level: failed > 0 ? 'warning' : 'info', text: `Memory QoS values: ${parts.join(', ')}` };
}

/** A person knows pods and containers; the record has the path. */
function nameOf({ pod, container, cgroup }: LimitOwner & { readonly cgroup: string }): string {
  if (pod === null) return cgroup === '' ? '/' : cgroup;
  return container === null ? pod : `${pod}, container ${container}`;
}

function writeLine(event: EventOf<'write'>): Line {
  const { file, from, to, reason, outcome, error } = event;
  const change = `${file} of ${nameOf(event)}: ${from ?? 'unknown'} -> ${to}`;
  switch (outcome) {
    case 'written':
      return { level: 'info', text: `wrote ${change}${wayOf(event)} (${reason})` };
    case 'wanted':
      return { level: 'info', text: `would write ${change} (${reason})` };
    case 'vanished':
      return { level: 'debug', text: `${change} is left out: the cgroup is gone` };
    case 'failed':
      return { level: 'error', isTrouble: true, text: `${change} failed: ${error ?? 'for no reason given'}` };
  }
}

function wayOf({ writer, because }: EventOf<'write'>): string {
  if (because !== undefined) return `, directly, since ${because}`;
  return writer === 'systemd' ? ' through systemd' : '';
}

function driftText(event: EventOf<'drift'>): string {
  const { file, wrote, found, leftAlone } = event;
  const change = `somebody changed ${file} of ${nameOf(event)}: ${wrote} was written, ${found} is there`;
  if (leftAlone === undefined) return change;
  return `${change}; left alone for ${humanDuration(leftAlone.forMs)}, likely written by ${leftAlone.likelyWriter}`;
}

function withheldText(event: EventOf<'no-eviction'>): string {
  return 'taint' in event
    ? `${podName(event.pod)} is not evicted for the taint ${taintText(event.taint)}: ${event.why}`
    : `nobody is evicted for ${event.signal}: ${event.why}`;
}

function evictionLine({ order, evictor, outcome, tookMs }: EventOf<'eviction'>): Line {
  const name = podName(order.pod);
  switch (outcome.kind) {
    case 'gone':
      return {
        level: 'notice',
        text: `evicted ${name}: gone after ${humanDuration(tookMs)} (evictor ${evictor})`,
      };
    case 'dry-run':
      return { level: 'notice', text: `would evict ${orderText(order)}` };
    case 'still-there':
      return { level: 'error', text: `${name} is still there: ${unended(outcome.why)} (evictor ${evictor})` };
    case 'refused':
      return {
        level: 'error',
        text: `${name} was not evicted: ${unended(outcome.why)} (evictor ${evictor})`,
      };
  }
}

function orderText(order: EvictionOrder): string {
  const own = order.candidates.find(
    (one) =>
      one.namespace === order.pod.namespace &&
      one.name === order.pod.name &&
      one.uid === (order.pod.uid ?? null),
  );
  const rule = own === undefined ? [] : [`the pod ${own.why}`];
  const what = `${podName(order.pod)}, grace ${order.gracePeriodSeconds} s`;
  const cause = `${causeText(order.cause)}${kernelsNumber(order)}`;
  return `${what}: ${withClauses(cause, [...rule, ...forGood(order)])}`;
}

/** What controls a pod makes it again, here or elsewhere; whoever made one by hand has to hear that it is lost. */
function forGood({ pod }: EvictionOrder): readonly string[] {
  return pod.controllerKind === undefined ? ['nothing controls it, so it does not come back'] : [];
}

/** Page cache in use makes the two numbers differ, and so does kernel memory: whoever is woken by this line wants both. */
function kernelsNumber({ cause, evidence }: EvictionOrder): string {
  const kernels = evidence?.memAvailableBytes;
  if (cause.kind !== 'threshold' || cause.threshold.signal !== 'memory.available' || kernels === undefined)
    return '';
  return ` (MemAvailable is ${amountText('memory.available', kernels)})`;
}

function causeText(cause: EvictionCause): string {
  if (cause.kind !== 'threshold') return cause.message;
  const { threshold, available, capacity } = cause;
  const { signal, type, value } = threshold;
  const where =
    available < amountIn(value, capacity)
      ? `below its ${type} threshold of ${valueText(signal, value)}`
      : `not yet above its ${type} threshold of ${valueText(signal, value)} by the minimum reclaim`;
  return `${signal} is ${amountText(signal, available)}, ${where}`;
}

function troubleLine({ part, sentence, over }: EventOf<'trouble'>): Line {
  if (over) {
    const now = part === 'unlisted' ? 'every pod on the node is in the list' : `${part} works again`;
    return { level: 'notice', isTrouble: true, text: `${now}; it was: ${sentence}` };
  }
  return { level: GRAVITY.get(part) ?? 'error', isTrouble: true, text: `${part}: ${sentence}` };
}

/** Without statistics or pods the agent is blind; without its native part or the service manager it only lacks something. */
const GRAVITY: ReadonlyMap<AgentPart, LineLevel> = new Map([
  ['pods', 'crit'],
  ['statistics', 'crit'],
  ['events', 'warning'],
  ['native', 'warning'],
  ['node', 'warning'],
  ['notify', 'warning'],
  ['unlisted', 'warning'],
]);
