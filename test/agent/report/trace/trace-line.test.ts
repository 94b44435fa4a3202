import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../agent/model/observation.ts';
import type { Pod, PodUsage } from '../../../../agent/model/pod.ts';
import { TraceReader } from '../../../../agent/observe/trace/trace-reader.ts';
import { type TraceLine, traceLine } from '../../../../agent/report/trace/trace-line.ts';
import { SIGNALS, type Signal } from '../../../../config/signal.ts';
import { container, podOf } from '../../../fakes/pods.ts';

const WEB = podOf({ name: 'web', metadata: { uid: 'u1' }, spec: { containers: [{ name: 'main' }] } });

function observation(parts: Partial<Observation> = {}): Observation {
  return { atMs: 1, readings: new Map(), pods: [WEB], usage: undefined, layout: 'single', ...parts };
}

/** The lines of observations, each as the one after the others. */
function linesOf(observations: readonly Observation[]): readonly string[] {
  let before: TraceLine | undefined;
  return observations.map((one) => {
    before = traceLine(one, before);
    return before.text;
  });
}

const POD_TEXT =
  '"pods":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"u1"},"spec":{"containers":[{"name":"main"}]},"status":{}}]';

describe('a line of a trace', () => {
  it('has time, signals, pods and usage, with exact numbers and without where a reading is from', () => {
    const { text } = traceLine(
      observation({
        atMs: 1500.5,
        podsAgeMs: 3,
        readings: new Map([
          [
            'memory.available',
            { available: -(2n ** 60n) - 1n, capacity: 2n ** 63n - 1n, atMs: 7, source: 's' },
          ],
          ['pid.available', { available: 1n, capacity: 2n, source: 's' }],
        ]),
        usage: new Map([
          [
            'u1',
            {
              inodes: 4n,
              memoryWorkingSetBytes: 2n ** 53n + 1n,
              volumeBytes: new Map([['v', 1n]]),
              containerStorage: new Map([['c', { logsBytes: 2n }]]),
              containerMemoryBytes: new Map([['c', 3n]]),
            },
          ],
        ]),
      }),
      undefined,
    );
    expect(text).toBe(
      `{"atMs":1500.5,"podsAgeMs":3,"signals":{"memory.available":{"available":-1152921504606846977,"capacity":9223372036854775807,"atMs":7},"pid.available":{"available":1,"capacity":2}},${POD_TEXT},"usage":{"u1":{"memoryWorkingSetBytes":9007199254740993,"inodes":4,"volumeBytes":{"v":1},"containerStorage":{"c":{"logsBytes":2}},"containerMemoryBytes":{"c":3}}}}\n`,
    );
  });

  it('leaves out pods and usage that are what the line before had', () => {
    const usage = new Map([['u1', { inodes: 1n }]]);
    expect(
      linesOf([
        observation({ usage }),
        observation({ atMs: 2, usage }),
        observation({ atMs: 3, usage: new Map(usage), pods: [{ ...WEB }] }),
        observation({ atMs: 4, usage: undefined }),
        observation({ atMs: 5, usage: new Map(), pods: [] }),
        observation({ atMs: 6, usage: new Map(), pods: [] }),
      ]),
    ).toEqual([
      `{"atMs":1,"signals":{},${POD_TEXT},"usage":{"u1":{"inodes":1}}}\n`,
      '{"atMs":2,"signals":{}}\n',
      '{"atMs":3,"signals":{}}\n',
      '{"atMs":4,"signals":{}}\n',
      '{"atMs":5,"signals":{},"pods":[],"usage":{}}\n',
      '{"atMs":6,"signals":{}}\n',
    ]);
  });

  it('has no usage before there was any, and pods at the beginning even where there are none', () => {
    expect(linesOf([observation({ pods: [] })])).toEqual(['{"atMs":1,"signals":{},"pods":[]}\n']);
  });

  it('is one line whatever a pod is called', () => {
    const pod = podOf({ name: 'a\n{"atMs":9}\u2028', metadata: { uid: 'u1' } });
    expect(traceLine(observation({ pods: [pod] }), undefined).text.split('\n')).toHaveLength(2);
  });
});

const count = fc.bigInt({ min: 0n, max: 2n ** 62n });
const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,4}$/),
  fc.constantFrom('__proto__', 'a"b', 'ü\n', '\u2028'),
);

const usageArbitrary: fc.Arbitrary<PodUsage> = fc.record(
  {
    memoryWorkingSetBytes: count,
    processCount: count,
    ephemeralStorageBytes: count,
    inodes: count,
    rootfsBytes: count,
    logsBytes: count,
    localVolumesBytes: count,
    rootfsInodes: count,
    logsInodes: count,
    localVolumesInodes: count,
    volumeBytes: fc.array(fc.tuple(name, count)).map((all) => new Map(all)),
    containerMemoryBytes: fc.array(fc.tuple(name, count)).map((all) => new Map(all)),
    containerStorage: fc
      .array(fc.tuple(name, fc.record({ rootfsBytes: count, logsBytes: count }, { requiredKeys: [] })))
      .map((all) => new Map(all)),
  },
  { requiredKeys: [] },
);

const readingArbitrary = fc
  .record(
    {
      available: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
      capacity: count,
      atMs: fc.integer({ min: 0 }),
    },
    { requiredKeys: ['available', 'capacity'] },
  )
  .map((reading) => ({ ...reading, source: 'the trace' }));

function podArbitrary(index: number): fc.Arbitrary<Pod> {
  return fc
    .record({
      name,
      priority: fc.constantFrom(undefined, -1, 2_000_000_000),
      memory: fc.constantFrom('0', '64Mi', '3'),
      limit: fc.boolean(),
      annotations: fc.constantFrom({}, { 'kubernetes.io/config.source': 'file' }),
    })
    .map((drawn) =>
      podOf({
        name: drawn.name,
        metadata: { uid: `u${index}`, annotations: drawn.annotations },
        spec: {
          ...(drawn.priority === undefined ? {} : { priority: drawn.priority }),
          containers: [
            container('a', { memory: drawn.memory }, drawn.limit ? { memory: '1Gi' } : {}),
            { name: 'b' },
          ],
        },
      }),
    );
}

const observationArbitrary: fc.Arbitrary<Omit<Observation, 'atMs'>> = fc
  .record(
    {
      readings: fc
        .array(fc.tuple(fc.constantFrom<Signal>(...SIGNALS), readingArbitrary), { maxLength: 4 })
        .map((all) => new Map(all)),
      pods: fc.tuple(podArbitrary(0), podArbitrary(1)).chain((pods) => fc.subarray(pods)),
      usage: fc.array(fc.tuple(name, usageArbitrary), { maxLength: 3 }).map((all) => new Map(all)),
      podsAgeMs: fc.nat(),
    },
    { requiredKeys: ['readings', 'pods', 'usage'] },
  )
  .map((drawn) => ({ ...drawn, layout: 'single' }));

it('observations that were written are read as what they were', () => {
  const trace = fc.array(fc.tuple(observationArbitrary, fc.nat({ max: 3 })), { maxLength: 5 });
  fc.assert(
    fc.property(trace, (drawn) => {
      let atMs = 0;
      const observations = drawn.map(([one, later]) => {
        atMs += later;
        return { ...one, atMs };
      });
      const reader = new TraceReader('t', { warn: () => undefined });
      const read = linesOf(observations).map((line, index) => {
        const reading = reader.read(line, index + 1);
        return reading.ok ? reading.value : reading.message;
      });
      expect(read).toEqual(observations);
    }),
  );
});

describe('groups in a trace', () => {
  const member = podOf({
    name: 'w-0',
    metadata: { namespace: 'ml', uid: 'u2' },
    spec: { schedulingGroup: { podGroupName: 'w' } },
  });
  const standing = (priority: number): Pod => ({
    ...member,
    group: { name: 'ml/w', root: 'ml/job', priority },
  });

  it('come back with their priority, and change with it although the pods do not', () => {
    const lists = [
      [WEB, standing(5)],
      [WEB, standing(5)],
      [WEB, standing(6)],
      [WEB, member],
    ];
    const lines = linesOf(lists.map((pods, index) => observation({ atMs: index, pods })));
    expect(lines.map((line) => line.includes('"podGroups":'))).toEqual([true, false, true, false]);
    const reader = new TraceReader('t', { warn: () => undefined });
    const read = lines.map((line, index) => reader.read(line, index + 1));
    expect(read.map((one) => one.ok && one.value.pods.map(({ group }) => group?.priority))).toEqual([
      [undefined, 5],
      [undefined, 5],
      [undefined, 6],
      [undefined, undefined],
    ]);
  });

  it('are refused where they are none', () => {
    const line = `{"atMs":1,"signals":{},"pods":[],"podGroups":[{"kind":"PodGroup","metadata":{"name":"w"},"spec":{"priority":"x"}}]}`;
    const read = new TraceReader('t', { warn: () => undefined }).read(line, 1);
    expect(read.ok ? '' : read.message).toMatch(
      /^t:1:\d+: podGroups\[0\]\.spec\.priority: expected a whole number of 32 bits, found a string$/,
    );
  });
});
