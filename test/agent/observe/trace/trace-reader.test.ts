import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../agent/model/observation.ts';
import { TraceReader } from '../../../../agent/observe/trace/trace-reader.ts';
import { podDocument, podOf } from '../../../fakes/pods.ts';

interface Read {
  readonly observations: readonly Observation[];
  readonly warnings: readonly string[];
  /** What the last line was refused with. */
  readonly refused?: string;
}

/** Reads lines, given as texts or as documents, until one is refused. */
function read(lines: readonly (string | object)[], nodeName?: string): Read {
  const warnings: string[] = [];
  const reader = new TraceReader('t.jsonl', { nodeName, warn: (message) => warnings.push(message) });
  const observations: Observation[] = [];
  for (const [index, line] of lines.entries()) {
    const reading = reader.read(typeof line === 'string' ? line : JSON.stringify(line), index + 1);
    if (!reading.ok) return { observations, warnings, refused: reading.message };
    observations.push(reading.value);
  }
  return { observations, warnings };
}

const WEB = podDocument({ name: 'web', metadata: { uid: 'u1' } });
const DATABASE = podDocument({ name: 'db', metadata: { uid: 'u2' } });
const NOTHING = { readings: new Map(), pods: [], usage: undefined, layout: 'single' };

describe('a line of a trace', () => {
  it('has signals, pods and usage as they are known elsewhere', () => {
    const line = {
      atMs: 5,
      signals: {
        'memory.available': { available: 10, capacity: 20, atMs: 4.5 },
        'pid.available': { available: -1, capacity: 30 },
      },
      pods: [WEB],
      usage: { u1: { memoryWorkingSetBytes: 1, processCount: 2, ephemeralStorageBytes: 3, inodes: 4 } },
    };
    expect(read([line]).observations).toEqual([
      {
        atMs: 5,
        readings: new Map([
          ['memory.available', { available: 10n, capacity: 20n, atMs: 4.5, source: 'the trace' }],
          ['pid.available', { available: -1n, capacity: 30n, source: 'the trace' }],
        ]),
        pods: [podOf({ name: 'web', metadata: { uid: 'u1' } })],
        usage: new Map([
          ['u1', { memoryWorkingSetBytes: 1n, processCount: 2n, ephemeralStorageBytes: 3n, inodes: 4n }],
        ]),
        layout: 'single',
      },
    ]);
  });

  it.each([
    ['nothing but a time', { atMs: 1 }],
    ['nulls for what is absent', { atMs: 1, signals: null, pods: null, usage: null, podsAgeMs: null }],
    ['null for a signal', { atMs: 1, signals: { 'memory.available': null } }],
    ['fields that nobody knows', { atMs: 1, layout: 'split', node: { name: 'x' }, __proto__: 3 }],
    ['a byte order mark', '\ufeff{"atMs": 1}'],
    ['blanks around it', ' {"atMs": 1} \r'],
  ])('may have %s', (_, line) => {
    expect(read([line])).toEqual({ observations: [{ atMs: 1, ...NOTHING }], warnings: [] });
  });

  it('keeps numbers beyond 2^53 exactly, and reads wrapped ones as the negative ones that they are', () => {
    const { observations } = read([
      '{"atMs":1,"signals":{"memory.available":{"available":18446744073709551596,"capacity":9007199254740993}},"usage":{"u":{"memoryWorkingSetBytes":9007199254740993,"inodes":-3}}}',
    ]);
    expect(observations[0]?.readings.get('memory.available')).toEqual({
      available: -20n,
      capacity: 9007199254740993n,
      source: 'the trace',
    });
    expect(observations[0]?.usage).toEqual(
      new Map([['u', { memoryWorkingSetBytes: 9007199254740993n, inodes: 0n }]]),
    );
  });

  it('has usage down to volumes and containers where it was measured', () => {
    const usage = {
      u: {
        rootfsBytes: 1,
        logsBytes: 2,
        localVolumesBytes: 3,
        rootfsInodes: 4,
        logsInodes: 5,
        localVolumesInodes: 6,
        volumeBytes: { cache: 7, gone: null },
        containerStorage: { a: { rootfsBytes: 8, logsBytes: 9 }, b: {}, c: null },
        containerMemoryBytes: { a: 10 },
      },
      v: null,
    };
    expect(read([{ atMs: 1, usage }]).observations[0]?.usage).toEqual(
      new Map([
        [
          'u',
          {
            rootfsBytes: 1n,
            logsBytes: 2n,
            localVolumesBytes: 3n,
            rootfsInodes: 4n,
            logsInodes: 5n,
            localVolumesInodes: 6n,
            volumeBytes: new Map([['cache', 7n]]),
            containerStorage: new Map([
              ['a', { rootfsBytes: 8n, logsBytes: 9n }],
              ['b', {}],
              ['c', {}],
            ]),
            containerMemoryBytes: new Map([['a', 10n]]),
          },
        ],
        ['v', {}],
      ]),
    );
  });

  it('says how old its pods are, and the next line does not inherit that', () => {
    const { observations } = read([{ atMs: 1, podsAgeMs: 70 }, { atMs: 2 }]);
    expect(observations.map(({ podsAgeMs }) => podsAgeMs)).toEqual([70, undefined]);
  });
});

describe('pods and usage', () => {
  it('that a line leaves out are those of the line before, and signals are not', () => {
    const { observations } = read([
      {
        atMs: 1,
        signals: { 'pid.available': { available: 1, capacity: 2 } },
        pods: [WEB],
        usage: { u1: { inodes: 1 } },
      },
      { atMs: 1 },
      { atMs: 2, usage: { u2: { inodes: 2 } } },
      { atMs: 3, pods: [] },
    ]);
    const [first, second, third, fourth] = observations;
    expect(second).toEqual({ ...first, readings: new Map() });
    expect(third?.pods).toBe(first?.pods);
    expect(third?.usage).toEqual(new Map([['u2', { inodes: 2n }]]));
    expect(fourth?.pods).toEqual([]);
    expect(fourth?.usage).toBe(third?.usage);
  });

  it('stay the same objects while their documents are the same', () => {
    const changed = { ...DATABASE, metadata: { name: 'db', uid: 'u2', labels: { a: 'b' } } };
    const { observations } = read([
      { atMs: 1, pods: [WEB, DATABASE] },
      { atMs: 2, pods: [WEB, DATABASE] },
      { atMs: 3, pods: [WEB, changed] },
      { atMs: 4, pods: [WEB] },
    ]);
    const [first, second, third, fourth] = observations.map(({ pods }) => pods);
    expect(second).toBe(first);
    expect(third).not.toBe(second);
    expect(third?.[0]).toBe(first?.[0]);
    expect(third?.[1]).not.toBe(first?.[1]);
    expect(fourth).toHaveLength(1);
    expect(fourth?.[0]).toBe(first?.[0]);
  });

  it('are not taken for the same where only an integer that no double holds differs', () => {
    const pod = (grace: string): string =>
      `{"atMs":1,"pods":[{"metadata":{"name":"w","uid":"u"},"spec":{"x":${grace}}}]}`;
    const { observations } = read([pod('9007199254740993'), pod('9007199254740992')]);
    expect(observations[1]?.pods[0]).not.toBe(observations[0]?.pods[0]);
  });

  it('are those of one node, without finished ones and with a static pod for its mirror', () => {
    const on = (nodeName: string, more: object = {}): object => ({
      metadata: { name: `on-${nodeName}`, uid: nodeName, ...more },
      spec: { nodeName },
    });
    const finished = { metadata: { name: 'done', uid: 'u9' }, status: { phase: 'Succeeded' } };
    const pods = [on('a'), on('b'), finished];
    const { observations, warnings } = read([{ atMs: 1, pods }], 'b');
    expect(observations[0]?.pods.map(({ name }) => name)).toEqual(['on-b']);
    expect(warnings).toEqual([]);
    expect(read([{ atMs: 1, pods }]).refused).toBe(
      't.jsonl:1:11: pods: the pods are on 2 nodes (a, b); say which one with --node-name',
    );
  });

  it('without UID are told of', () => {
    const { warnings } = read([{ atMs: 1, pods: [{ metadata: { name: 'w' } }] }]);
    expect(warnings).toEqual(['pod default/w has no UID: it counts in sums, but its cgroup is not known']);
  });
});

it('tells of signals that nobody knows, whichever they are, and passes them over', () => {
  const signals = { 'memory.avaliable': { available: 1, capacity: 2 }, 'swap.available': 3 };
  const { observations, warnings } = read([{ atMs: 1, signals }]);
  expect(observations).toEqual([{ atMs: 1, ...NOTHING }]);
  expect(new Set(warnings)).toEqual(
    new Set(['t.jsonl: has signals that nodeqos does not know; they are passed over']),
  );
});

const NO_JSON = 'is no JSON; a trace has one observation a line, as nodeqos record writes it';
const SIGNAL = (reading: unknown): object => ({ atMs: 1, signals: { 'pid.available': reading } });

describe('a line is refused', () => {
  it.each<[string, string | object, string]>([
    ['that is no JSON', '{"atMs": 1', `: ${NO_JSON}`],
    ['that is YAML', '{atMs: 1}', `: ${NO_JSON}`],
    ['that is empty', '', `: ${NO_JSON}`],
    ['that is a list', '[1]', ':1: expected a map, found a list'],
    ['that is a number', '7', ':1: expected a map, found a number'],
    ['that is nothing', 'null', ': atMs: the time of the observation is missing'],
    ['without a time', {}, ': atMs: the time of the observation is missing'],
    ['whose time is a text', { atMs: '1' }, ':2: atMs: expected a number of milliseconds, found a string'],
    [
      'whose time is endless',
      '{"atMs":1e999}',
      ':2: atMs: expected a number of milliseconds, found Infinity',
    ],
    ['with signals that are a list', { atMs: 1, signals: [] }, ':11: signals: expected a map, found a list'],
    [
      'with a signal that is a number',
      SIGNAL(3),
      ':22: signals.pid.available: expected a map, found a number',
    ],
    [
      'with a signal without capacity',
      SIGNAL({ available: 1 }),
      ': signals.pid.available.capacity: expected a whole number of bytes or counts, it is missing',
    ],
    [
      'with a fraction',
      SIGNAL({ available: 1.5, capacity: 2 }),
      ':39: signals.pid.available.available: expected a whole number of bytes or counts, found 1.5',
    ],
    [
      'with a text for a number',
      SIGNAL({ available: 1, capacity: '2Gi' }),
      ':53: signals.pid.available.capacity: expected a whole number of bytes or counts, found a string',
    ],
    [
      'whose sample has a text for its time',
      SIGNAL({ available: 1, capacity: 2, atMs: 'x' }),
      ':66: signals.pid.available.atMs: expected a number of milliseconds, found a string',
    ],
    ['with pods that are a map', { atMs: 1, pods: {} }, ':11: pods: expected a list, found a map'],
    ['with a pod without name', { atMs: 1, pods: [WEB, {}] }, ': pods[1].metadata.name: a pod needs a name'],
    [
      'with a UID twice',
      { atMs: 1, pods: [WEB, WEB] },
      ':11: pods: the UID u1 occurs 2 times (default/web, default/web); each pod must be there once',
    ],
    ['with usage that is a list', { atMs: 1, usage: [] }, ':11: usage: expected a map, found a list'],
    [
      'with usage of a pod that is a number',
      { atMs: 1, usage: { u: 3 } },
      ':20: usage.u: expected a map, found a number',
    ],
    [
      'with usage that is a text',
      { atMs: 1, usage: { u: { inodes: '3' } } },
      ':25: usage.u.inodes: expected a whole number of bytes or counts, found a string',
    ],
    [
      'with usage of a volume that is a fraction',
      { atMs: 1, usage: { u: { volumeBytes: { v: 0.5 } } } },
      ':40: usage.u.volumeBytes.v: expected a whole number of bytes or counts, found 0.5',
    ],
    [
      'with storage of a container that is a fraction',
      { atMs: 1, usage: { u: { containerStorage: { c: { logsBytes: 0.5 } } } } },
      ':50: usage.u.containerStorage.c.logsBytes: expected a whole number of bytes or counts, found 0.5',
    ],
    [
      'with an age of its pods that is a text',
      { atMs: 1, podsAgeMs: 'x' },
      ':11: podsAgeMs: expected a number of milliseconds, found a string',
    ],
  ])('%s', (_, line, message) => {
    expect(read([{ atMs: 0 }, line]).refused).toBe(`t.jsonl:2${message}`);
  });

  it('whose time is before that of the line before', () => {
    expect(read([{ atMs: 5 }, { atMs: 5 }, { atMs: 4.5 }])).toMatchObject({
      observations: [{ atMs: 5 }, { atMs: 5 }],
      refused:
        't.jsonl:3:2: atMs: time steps back from 5 to 4.5; a trace is of one boot of one machine, in order',
    });
  });

  it('whose pod is nested without end, and is not where anything else is', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(read([`{"atMs":1,"x":${deep}}`]).observations).toHaveLength(1);
    expect(read([`{"atMs":1,"pods":[{"metadata":{"name":"w","x":${deep}}}]}`]).refused).toBe(
      't.jsonl:1: pods[0]: is nested more than 500 levels deep; no configuration or pod is, so check what wrote this file',
    );
  });

  it('and says whether it is JSON at all', () => {
    const reader = new TraceReader('t', { warn: () => undefined });
    expect(reader.read('{', 7)).toMatchObject({ ok: false, place: 't:7', isNoJson: true });
    expect(reader.read('{}', 8)).toMatchObject({ ok: false, place: 't:8', isNoJson: false });
  });
});
