import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readPod } from '../../../../agent/observe/pods/podspec.ts';
import {
  afterChange,
  ledgerOf,
  type PodChange,
  type PodLedger,
  podsInOrder,
} from '../../../../agent/peers/api/pod-ledger.ts';

function pod(name: string, uid: string, phase = 'Running'): Pod {
  const reading = readPod({ metadata: { namespace: 'a', name, uid }, status: { phase } });
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}

function put(name: string, uid: string, resourceVersion: string, phase?: string): PodChange {
  return { kind: 'put', pod: pod(name, uid, phase), resourceVersion };
}

function gone(name: string, uid: string, resourceVersion: string): PodChange {
  return { kind: 'gone', pod: pod(name, uid), resourceVersion };
}

function shown(ledger: PodLedger): readonly string[] {
  const pods = podsInOrder(ledger).map(({ name, uid, phase }) => `${name}/${uid ?? ''}/${phase ?? ''}`);
  return [ledger.resourceVersion, ...pods];
}

const LISTED = ledgerOf([pod('x', '1')], '10');

describe('one change', () => {
  it.each<[string, readonly PodChange[], readonly string[]]>([
    ['a pod appears', [put('w', '2', '11')], ['11', 'w/2/Running', 'x/1/Running']],
    ['a pod changes', [put('x', '1', '11', 'Failed')], ['11', 'x/1/Failed']],
    ['a pod goes', [gone('x', '1', '11')], ['11']],
    ['a bookmark moves the version', [{ kind: 'bookmark', resourceVersion: '99' }], ['99', 'x/1/Running']],
    ['a bookmark from before does not', [{ kind: 'bookmark', resourceVersion: '9' }], ['10', 'x/1/Running']],
    [
      'a bookmark without a version does not',
      [{ kind: 'bookmark', resourceVersion: '' }],
      ['10', 'x/1/Running'],
    ],
    ['an old state counts no more', [put('x', '1', '9', 'Pending')], ['10', 'x/1/Running']],
    ['nor does the same once more', [put('x', '1', '10', 'Pending')], ['10', 'x/1/Running']],
    [
      '9 is before 10, as numbers go',
      [put('x', '1', '100', 'Failed'), put('x', '1', '99')],
      ['100', 'x/1/Failed'],
    ],
    [
      'a pod that is gone does not come back by an old state',
      [gone('x', '1', '11'), put('x', '1', '10')],
      ['11'],
    ],
    ['gone is gone, whatever version says so', [gone('x', '1', '10')], ['10']],
    ['what is not known can go too', [gone('y', '7', '11')], ['11', 'x/1/Running']],
    [
      'a pod made anew under the name is another one',
      [gone('x', '1', '11'), put('x', '2', '12')],
      ['12', 'x/2/Running'],
    ],
    ['also where nobody told that the first is gone', [put('x', '2', '12')], ['12', 'x/2/Running']],
    [
      'the end of the first does not take the second away',
      [put('x', '2', '12'), gone('x', '1', '11')],
      ['12', 'x/2/Running'],
    ],
    ['versions that are no numbers count as they come', [put('x', '1', 'b', 'Failed')], ['b', 'x/1/Failed']],
  ])('%s', (_sentence, changes, expected) => {
    expect(shown(changes.reduce(afterChange, LISTED))).toEqual(expected);
  });

  it('a change of nothing that is looked at leaves the same list', () => {
    const after = afterChange(LISTED, put('x', '1', '11'));
    expect(after.pods).toBe(LISTED.pods);
    expect(after.resourceVersion).toBe('11');
  });

  it('pods without a UID go by their names', () => {
    const reading = readPod({ metadata: { namespace: 'a', name: 'n' } });
    if (!reading.ok) throw new Error(reading.message);
    const ledger = ledgerOf([reading.value], '1');
    expect(afterChange(ledger, { kind: 'gone', pod: reading.value, resourceVersion: '2' }).pods.size).toBe(0);
  });
});

/** Pods of three names that come, change and go, each change with the version that follows. */
function history(steps: readonly (readonly [number, number])[]): readonly PodChange[] {
  const here = new Map<string, string>();
  let uids = 0;
  return steps.map(([which, what], index): PodChange => {
    const name = `p${which}`;
    const version = String(index + 1);
    const uid = here.get(name);
    if (uid === undefined) {
      uids += 1;
      here.set(name, String(uids));
      return put(name, String(uids), version, 'Pending');
    }
    if (what > 0) return put(name, uid, version, `Phase${what}`);
    here.delete(name);
    return gone(name, uid, version);
  });
}

const STEPS = fc.array(fc.tuple(fc.nat(2), fc.nat(3)), { minLength: 1, maxLength: 60 });
const EMPTY = ledgerOf([], '0');

describe('a history of changes', () => {
  it('comes to the same however often parts of it are told again', () => {
    fc.assert(
      fc.property(STEPS, fc.array(fc.tuple(fc.nat(60), fc.nat(60))), (steps, repeats) => {
        const changes = history(steps);
        const expected = shown(changes.reduce(afterChange, EMPTY));
        // After each change, some part of what was before it, as a connection that is begun anew too early tells it.
        const told = changes.flatMap((change, index) => {
          const [from = 0, length = 0] = repeats[index % Math.max(1, repeats.length)] ?? [];
          return [change, ...changes.slice(0, index + 1).slice(from, from + length)];
        });
        expect(shown(told.reduce(afterChange, EMPTY))).toEqual(expected);
      }),
    );
  });

  it('comes to the same whether it is followed or listed in the middle', () => {
    fc.assert(
      fc.property(STEPS, fc.nat(60), (steps, at) => {
        const changes = history(steps);
        const middle = changes.slice(0, at).reduce(afterChange, EMPTY);
        const listed = ledgerOf(podsInOrder(middle), middle.resourceVersion);
        const followed = changes.reduce(afterChange, EMPTY);
        expect(shown(changes.slice(at).reduce(afterChange, listed))).toEqual(shown(followed));
      }),
    );
  });

  it('never has two pods of one name, nor one that is gone', () => {
    fc.assert(
      fc.property(STEPS, fc.infiniteStream(fc.nat(1000)), (steps, order) => {
        const changes = history(steps);
        const shuffled = changes
          .map((change) => [order.next().value as number, change] as const)
          .sort(([a], [b]) => a - b)
          .map(([, change]) => change);
        const last = [...shuffled, ...changes.filter(({ kind }) => kind === 'gone')];
        const pods = podsInOrder(last.reduce(afterChange, EMPTY));
        expect(new Set(pods.map(({ name }) => name)).size).toBe(pods.length);
        const ended = changes.flatMap((change) => (change.kind === 'gone' ? [change.pod.uid] : []));
        expect(pods.filter(({ uid }) => ended.includes(uid))).toEqual([]);
      }),
    );
  });

  it('the order is by namespace, name and UID, however they came', () => {
    const names = ['b', 'a', 'ä', 'B'];
    const pods = names.map((name, index) => pod(name, String(index)));
    expect(podsInOrder(ledgerOf(pods, '1')).map(({ name }) => name)).toEqual(['B', 'a', 'b', 'ä']);
    expect(podsInOrder(ledgerOf(pods.toReversed(), '1'))).toEqual(podsInOrder(ledgerOf(pods, '1')));
  });
});
