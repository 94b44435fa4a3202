import { describe, expect, it } from 'vitest';
import type { Outcome, WriteResult } from '../../cgroup/apply.ts';
import {
  type Drift,
  type DriftLook,
  type DriftState,
  driftAtStart,
  noteWrites,
  observeDrift,
} from '../../cgroup/drift.ts';
import { emptyJournal, type JournalRecord, placeKey, recordWrites } from '../../cgroup/journal.ts';
import type { LimitPlace } from '../../cgroup/limit-port.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';

const MINUTE = 60_000;
const CGROUP = 'kubepods/pod1';
const KEY = `${CGROUP}/memory.low`;

function entry(current: string | null, desired: string, cgroup: string | null = CGROUP): PlanEntry {
  return {
    level: 'pod',
    namespace: 'a',
    pod: 'b',
    uid: null,
    container: null,
    qosClass: 'Burstable',
    cgroup,
    file: 'memory.low',
    current,
    desired,
    action: 'write',
    reason: '',
  };
}

function record(changes: Partial<JournalRecord> = {}): JournalRecord {
  return { cgroup: CGROUP, file: 'memory.low', inode: 7n, before: '0\n', written: '4096', ...changes };
}

const NOTHING: DriftState = { unsure: new Set(), disputes: new Map() };
const UNSURE: DriftState = { unsure: new Set([KEY]), disputes: new Map() };

interface Looked extends Partial<DriftLook> {
  readonly record?: JournalRecord | undefined;
}

/** One place that reads `current` where 4096 is wanted; it differs unless it reads that. */
function look(current: string | null, changes: Looked = {}): DriftLook {
  const { record: ours = record(), ...others } = changes;
  return {
    differing: current === '4096' ? [] : [entry(current, '4096')],
    records: new Map([[placeKey(ours), ours]]),
    inFlight: new Set(),
    desiredAt: () => '4096',
    inodeOf: () => 7n,
    likelyWriter: (cgroup) => `the writer of ${cgroup}`,
    ...others,
  };
}

const DRIFT: Drift = { cgroup: CGROUP, file: 'memory.low', wrote: '4096', found: '8192' };

function result(outcome: Outcome, file: MemoryFile = 'memory.low'): WriteResult<LimitPlace> {
  return { write: { cgroup: CGROUP, file }, outcome, error: null };
}

describe('what is drift', () => {
  it.each<[string, DriftState, DriftLook, readonly Drift[]]>([
    ['a file that reads other than nodeqos wrote', NOTHING, look('8192'), [DRIFT]],
    ['a file that somebody put back to what it was', NOTHING, look('0'), [{ ...DRIFT, found: '0' }]],
    ['not a file that reads what nodeqos wrote', NOTHING, look('4096'), []],
    ['not a file that nodeqos never wrote', NOTHING, look('8192', { records: new Map() }), []],
    [
      'not a file of which something else is wanted by now',
      NOTHING,
      look('8192', { record: record({ written: '12288' }) }),
      [],
    ],
    ['not a cgroup that was made anew', NOTHING, look('8192', { inodeOf: () => 8n }), []],
    ['not a cgroup that is gone', NOTHING, look('8192', { inodeOf: () => undefined }), []],
    ['not a file that is being written', NOTHING, look('8192', { inFlight: new Set([KEY]) }), []],
    ['not a file that cannot be read', NOTHING, look(null), []],
    ['not a place without a cgroup', NOTHING, look('4096', { differing: [entry('8192', '4096', null)] }), []],
    ['not what reads as before a first write that may not have happened', UNSURE, look('0'), []],
    ['what reads neither so nor as written after such a write', UNSURE, look('8192'), [DRIFT]],
    [
      'not what reads as before a later write that may not have happened',
      UNSURE,
      look('8192', { record: record({ previous: '8192\n' }) }),
      [],
    ],
    [
      'what reads as before the first write when the later one may not have happened',
      UNSURE,
      look('0', { record: record({ previous: '8192\n' }) }),
      [{ ...DRIFT, found: '0' }],
    ],
    [
      'anything after a write that may not have happened to a file that was no limit',
      UNSURE,
      look('8192', { record: record({ before: 'junk' }) }),
      [DRIFT],
    ],
  ])('%s', (_, state, seen, drifts) => {
    const found = observeDrift(state, seen, 0);
    expect(found.drifts).toEqual(drifts);
    expect(found.leftAlone).toEqual(new Set());
  });

  it('is told once while it lasts, and again when it is another value', () => {
    let { state, drifts } = observeDrift(NOTHING, look('8192'), 0);
    ({ state, drifts } = observeDrift(state, look('8192'), 1000));
    expect(drifts).toEqual([]);
    ({ state, drifts } = observeDrift(state, look('12288'), 2000));
    expect(drifts).toEqual([{ ...DRIFT, found: '12288' }]);
  });

  it.each([
    ['it was written', (state: DriftState) => noteWrites(state, [result('written')], [])],
    ['the file read as it should', (state: DriftState) => observeDrift(state, look('4096'), 500).state],
  ])('is told again when the same value comes back after %s', (_, repaired) => {
    const first = observeDrift(NOTHING, look('8192'), 0).state;
    expect(observeDrift(repaired(first), look('8192'), 1000).drifts).toEqual([DRIFT]);
  });

  it.each([
    ['a write of it failed', (state: DriftState) => noteWrites(state, [result('failed')], [])],
    [
      'another file was written',
      (state: DriftState) => noteWrites(state, [result('written', 'memory.min')], []),
    ],
    [
      'it is being written',
      (state: DriftState) => observeDrift(state, look('4096', { inFlight: new Set([KEY]) }), 500).state,
    ],
  ])('is not told again after %s', (_, notRepaired) => {
    const first = observeDrift(NOTHING, look('8192'), 0).state;
    expect(observeDrift(notRepaired(first), look('8192'), 1000).drifts).toEqual([]);
  });

  it('is told of a cgroup that was made anew as of any other', () => {
    const first = observeDrift(NOTHING, look('8192'), 0).state;
    const anew = look('8192', { inodeOf: () => 8n, record: record({ inode: 8n }) });
    expect(observeDrift(first, anew, 1000).drifts).toEqual([DRIFT]);
  });
});

describe('writes that may not have happened', () => {
  it('are all of the journal at the start', () => {
    const journal = recordWrites(emptyJournal(null), [record(), record({ file: 'memory.high' })]);
    expect(driftAtStart(journal)).toEqual({
      unsure: new Set([KEY, `${CGROUP}/memory.high`]),
      disputes: new Map(),
    });
  });

  it.each<[string, DriftLook, boolean]>([
    ['the file reads as written', look('4096'), false],
    ['the file reads otherwise', look('0'), true],
    ['the file cannot be read', look(null), true],
    ['it is being written', look('4096', { inFlight: new Set([KEY]) }), true],
    ['something else is wanted that the file reads', look('4096', { desiredAt: () => '0' }), true],
    [
      'something else is wanted, and the file reads as written',
      look('4096', { differing: [entry('4096', '0')], desiredAt: () => '0' }),
      false,
    ],
    ['the journal has it no more', look('0', { records: new Map() }), false],
  ])('stay so or not when %s', (_, seen, stays) => {
    expect(observeDrift(UNSURE, seen, 0).state.unsure.has(KEY)).toBe(stays);
  });

  it.each<[Outcome, boolean]>([
    ['failed', true],
    ['written', false],
    ['vanished', false],
  ])('a write that has %s', (outcome, isUnsure) => {
    for (const state of [NOTHING, UNSURE]) {
      expect(noteWrites(state, [result(outcome)], []).unsure.has(KEY)).toBe(isUnsure);
    }
  });

  it('and one that was journalled and not begun', () => {
    expect(noteWrites(NOTHING, [], [{ cgroup: CGROUP, file: 'memory.low' }]).unsure).toEqual(new Set([KEY]));
  });

  it('changes nothing when nothing has ended', () => {
    expect(noteWrites(UNSURE, [], [])).toBe(UNSURE);
  });
});

/** Looks at the times given, each finding 8192 and repairing it; gives for each the truce in minutes, 0, or undefined. */
function fight(minutes: readonly number[]): { truces: readonly (number | undefined)[]; state: DriftState } {
  let state = NOTHING;
  const truces = minutes.map((minute) => {
    const seen = observeDrift(state, look('8192'), minute * MINUTE);
    state = seen.leftAlone.size === 0 ? noteWrites(seen.state, [result('written')], []) : seen.state;
    const [drift] = seen.drifts;
    return drift === undefined ? undefined : (drift.leftAlone?.forMs ?? 0) / MINUTE;
  });
  return { truces, state };
}

describe('a fight', () => {
  it('ends with leaving the value alone, said once with the likely writer', () => {
    const { state } = fight([0, 1, 2]);
    const seen = observeDrift(state, look('8192'), 3 * MINUTE);
    const likelyWriter = `the writer of ${CGROUP}`;
    expect(seen.drifts).toEqual([{ ...DRIFT, leftAlone: { likelyWriter, forMs: 10 * MINUTE } }]);
    expect(seen.leftAlone).toEqual(new Set([KEY]));
    for (const current of ['8192', '12288', null]) {
      const later = observeDrift(seen.state, look(current), 13 * MINUTE - 1);
      expect(later.drifts).toEqual([]);
      expect(later.leftAlone).toEqual(new Set([KEY]));
    }
    const over = observeDrift(seen.state, look('8192'), 13 * MINUTE);
    expect(over.drifts).toEqual([]);
    expect(over.leftAlone).toEqual(new Set());
  });

  it.each<[string, readonly number[], readonly (number | undefined)[]]>([
    ['three repairs within five minutes and one more wanted', [0, 2, 4, 4.9], [0, 0, 0, 10]],
    ['the first of three was five minutes ago: no fight', [0, 2, 4, 5], [0, 0, 0, 0]],
    ['repairs two minutes apart are none', [0, 2, 4, 6, 8, 10], [0, 0, 0, 0, 0, 0]],
    [
      'twice as long after each next one, an hour at most',
      [
        ...[0, 1, 2, 3],
        ...[20, 21, 22, 23, 24],
        ...[50, 51, 52, 53, 54],
        ...[100, 101, 102, 103, 104],
        ...[170, 171, 172, 173, 174],
      ],
      [
        ...[0, 0, 0, 10],
        ...[undefined, 0, 0, 0, 20],
        ...[undefined, 0, 0, 0, 40],
        ...[undefined, 0, 0, 0, 60],
        ...[undefined, 0, 0, 0, 60],
      ],
    ],
    [
      'as long as a first one when the last has been over for an hour',
      [0, 1, 2, 3, 14, 73, 74, 75, 76],
      [0, 0, 0, 10, undefined, 0, 0, 0, 10],
    ],
    [
      'twice as long when it has been over for less',
      [0, 1, 2, 3, 14, 69, 70, 71, 72],
      [0, 0, 0, 10, undefined, 0, 0, 0, 20],
    ],
  ])('%s', (_, minutes, truces) => {
    expect(fight(minutes).truces).toEqual(truces);
  });

  it('goes on to be a fight when something else is wanted, and not when the cgroup is another one', () => {
    const { state } = fight([0, 1, 2, 3]);
    const wanted = look('8192', { differing: [entry('8192', '12288')], desiredAt: () => '12288' });
    expect(observeDrift(state, wanted, 4 * MINUTE).leftAlone).toEqual(new Set([KEY]));
    const anew = look('8192', { inodeOf: () => 8n });
    expect(observeDrift(state, anew, 4 * MINUTE)).toEqual({
      state: NOTHING,
      drifts: [],
      leftAlone: new Set(),
    });
  });

  it('is forgotten, all of it, when it is long over', () => {
    const { state } = fight([0, 1, 2, 3]);
    expect(observeDrift(state, look('4096'), 73 * MINUTE - 1).state.disputes.size).toBe(1);
    expect(observeDrift(state, look('4096'), 73 * MINUTE).state).toEqual(NOTHING);
    const one = fight([0]).state;
    expect(observeDrift(one, look('4096'), 5 * MINUTE - 1).state.disputes.size).toBe(1);
    expect(observeDrift(one, look('4096'), 5 * MINUTE).state).toEqual(NOTHING);
  });

  it('about one value leaves the others of a cgroup alone', () => {
    const { state } = fight([0, 1, 2, 3]);
    const other = { ...entry('8192', '4096'), file: 'memory.high' } as const;
    const ours = record({ file: 'memory.high' });
    const both = look('8192', {
      differing: [entry('8192', '4096'), other],
      records: new Map([record(), ours].map((one) => [placeKey(one), one])),
    });
    const seen = observeDrift(state, both, 4 * MINUTE);
    expect(seen.drifts).toEqual([{ ...DRIFT, file: 'memory.high' }]);
    expect(seen.leftAlone).toEqual(new Set([KEY]));
  });
});
