import type { NodeCondition } from '../../../config/signal.ts';
import { asList, asRecord, asString, type PlainRecord } from '../../../config/text/plain-value.ts';
import { timestamp } from './event-document.ts';
import type { ConditionStatus, NodeWish } from './node-wish.ts';

/** Nothing that a kubelet or a controller writes is in this domain. */
const DOMAIN = 'nodeqos.dev';
/** How old the last sign of life of a condition may be (kubelet: nodeStatusReportFrequency). */
export const HEARTBEAT_MS = 300_000;

const OWN_TAINTS: readonly (readonly [NodeCondition, string])[] = [
  ['DiskPressure', `${DOMAIN}/disk-pressure`],
  ['MemoryPressure', `${DOMAIN}/memory-pressure`],
  ['PIDPressure', `${DOMAIN}/pid-pressure`],
];
const EFFECT = 'NoSchedule';

/**
 * The strategic merge patch of nodes/NAME/status that makes the Node say what is wished; undefined where it does. Its list of
 * conditions is merged by type, so that those of others stay. A condition that stays as it is keeps its lastTransitionTime,
 * and is written for its heartbeat alone once that is five minutes old; one that is not wished is taken out.
 */
export function conditionPatch(node: PlainRecord, wish: NodeWish, wallMs: number): PlainRecord | undefined {
  const now = timestamp(wallMs);
  const found = ownConditions(node);
  const wanted = [...wish].map(([condition, status]) => {
    const type = `${DOMAIN}/${condition}`;
    const before = found.get(type);
    const words = wordsOf(condition, status);
    const isKept = before !== undefined && asString(before['status']) === status;
    const lastTransitionTime = (isKept ? asString(before['lastTransitionTime']) : undefined) ?? now;
    const isDue = !isKept || isOld(before, wallMs) || asString(before['message']) !== words.message;
    return { isDue, patch: { type, status, ...words, lastHeartbeatTime: now, lastTransitionTime } };
  });
  const types = new Set(wanted.map(({ patch }) => patch.type));
  const removed = [...found.keys()]
    .filter((type) => !types.has(type))
    .map((type) => ({ $patch: 'delete', type }));
  if (removed.length === 0 && !wanted.some(({ isDue }) => isDue)) return undefined;
  return { status: { conditions: [...removed, ...wanted.map(({ patch }) => patch)] } };
}

/**
 * The merge patch of nodes/NAME that gives the Node the taints of what is wished; undefined where it has them. A list of
 * taints is replaced whole: those of others go back as they came, and the resourceVersion makes the patch fail where
 * somebody has changed the Node meanwhile. Where it is not known how the node stands, its taint stays as it is.
 */
export function taintPatch(node: PlainRecord, wish: NodeWish): PlainRecord | undefined {
  const taints = asList(asRecord(node['spec'])?.['taints']) ?? [];
  const isOf = (key: string) => (taint: PlainRecord | undefined) =>
    asString(taint?.['key']) === key && asString(taint?.['effect']) === EFFECT;
  const missing = OWN_TAINTS.filter(
    ([condition, key]) =>
      wish.get(condition) === 'True' && !taints.map((taint) => asRecord(taint)).some(isOf(key)),
  );
  const ended = OWN_TAINTS.filter(([condition]) => (wish.get(condition) ?? 'False') === 'False');
  const kept = taints.filter((taint) => !ended.some(([, key]) => isOf(key)(asRecord(taint))));
  if (missing.length === 0 && kept.length === taints.length) return undefined;
  const wanted = [...kept, ...missing.map(([, key]) => ({ key, effect: EFFECT }))];
  const resourceVersion = asString(asRecord(node['metadata'])?.['resourceVersion']) ?? '';
  return { metadata: { resourceVersion }, spec: { taints: wanted.length === 0 ? null : wanted } };
}

/** What a Node has under names of nodeqos' own, with how a person takes it off; undefined where it has nothing of that. */
export function marksText(node: PlainRecord, nodeName: string): string | undefined {
  const keys = OWN_TAINTS.map(([, key]) => key);
  const taints = (asList(asRecord(node['spec'])?.['taints']) ?? [])
    .map((taint) => asString(asRecord(taint)?.['key']))
    .filter((key) => key !== undefined)
    .filter((key) => keys.includes(key));
  const conditions = [...ownConditions(node).keys()];
  if (taints.length + conditions.length === 0) return undefined;
  const what = [
    ...(taints.length === 0 ? [] : [`the taints ${taints.join(', ')}`]),
    ...(conditions.length === 0 ? [] : [`the conditions ${conditions.join(', ')}`]),
  ].join(' and ');
  const ways = [
    ...(taints.length === 0
      ? []
      : [`kubectl taint node ${nodeName} ${taints.map((key) => `${key}-`).join(' ')}`]),
    ...(conditions.length === 0 ? [] : [`kubectl edit node ${nodeName} --subresource=status`]),
  ].join(' and ');
  return `the Node ${nodeName} still has ${what} of nodeqos; a run in enforce that ends properly takes them off, or ${ways}`;
}

function ownConditions(node: PlainRecord): ReadonlyMap<string, PlainRecord> {
  const conditions = asList(asRecord(node['status'])?.['conditions']) ?? [];
  const own = new Set(OWN_TAINTS.map(([condition]) => `${DOMAIN}/${condition}`));
  return new Map(
    conditions.flatMap((one): readonly (readonly [string, PlainRecord])[] => {
      const condition = asRecord(one);
      const type = asString(condition?.['type']);
      return condition !== undefined && type !== undefined && own.has(type) ? [[type, condition]] : [];
    }),
  );
}

/** A time of the future is a clock's mistake, and old as well. */
function isOld(condition: PlainRecord, wallMs: number): boolean {
  const writtenMs = Date.parse(asString(condition['lastHeartbeatTime']) ?? '');
  return !(Math.abs(wallMs - writtenMs) < HEARTBEAT_MS);
}

interface Words {
  readonly reason: string;
  readonly message: string;
}

/** The same for as long as a condition stands: numbers in it would be a patch a second. */
function wordsOf(condition: NodeCondition, status: ConditionStatus): Words {
  const what = WHAT[condition];
  switch (status) {
    case 'True':
      return {
        reason: 'EvictionThresholdMet',
        message: `an eviction threshold of ${what} is met, or was within the transition period`,
      };
    case 'False':
      return { reason: 'NoEvictionThresholdMet', message: `no eviction threshold of ${what} is met` };
    case 'Unknown':
      return { reason: 'SignalsNotRead', message: `what there is of ${what} could not be read` };
  }
}

const WHAT: Readonly<Record<NodeCondition, string>> = {
  DiskPressure: 'disk space or inodes',
  MemoryPressure: 'memory',
  PIDPressure: 'process IDs',
};
