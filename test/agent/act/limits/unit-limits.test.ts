import { beforeEach, describe, expect, it } from 'vitest';
import { UnitLimits } from '../../../../agent/act/limits/unit-limits.ts';
import type { KnownLimitPlace, LimitWriter } from '../../../../cgroup/limit-port.ts';
import type { UnitFailure } from '../../../../cgroup/units/unit-port.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { FakeUnits } from '../../../fakes/fake-units.ts';
import { FakeLimitFiles } from '../../../fakes/limit-files.ts';

const SLICE = 'kubepods.slice/kubepods-pod1.slice';
const UNIT = 'kubepods-pod1.slice';
const NEW_CGROUP = {
  'memory.min': '0\n',
  'memory.low': '0\n',
  'memory.high': 'max\n',
  'memory.max': 'max\n',
  'memory.oom.group': '0\n',
};
const HIGH: KnownLimitPlace = { cgroup: SLICE, file: 'memory.high', inode: 1n };
const AWAY: UnitFailure = { kind: 'failed', why: 'away', error: 'systemd does not answer' };
const DENIED: UnitFailure = { kind: 'failed', why: 'denied', error: 'systemd does not let this user' };
const REMEDY = 'memoryQos.writer: auto writes the file instead';

let files: FakeLimitFiles;
let units: FakeUnits;
let clock: FakeClock;
let lacks: (string | undefined)[];
let setting: LimitWriter | 'auto';
let limits: UnitLimits;

beforeEach(() => {
  files = new FakeLimitFiles().with(SLICE, 1n, NEW_CGROUP).with('kubepods/pod1', 1n, NEW_CGROUP);
  units = new FakeUnits(files).with(UNIT, SLICE);
  clock = new FakeClock();
  lacks = [];
  setting = 'auto';
  const told = (lack: string | undefined): void => {
    lacks.push(lack);
  };
  const parts = { direct: files, units, tree: files.tree(), pageSizeBytes: 4096, clock, told };
  limits = new UnitLimits({ ...parts, writer: () => setting });
});

function texts(cgroup = SLICE) {
  return Object.fromEntries(
    Object.entries(files.contents()).flatMap(([key, text]) =>
      key.startsWith(`${cgroup}/`) ? [[key.slice(cgroup.length + 1), text]] : [],
    ),
  );
}

describe('a limit of a unit', () => {
  it.each(['auto', 'systemd'] as const)(
    'is set through systemd (%s), and the others stay',
    async (writer) => {
      setting = writer;
      files.put(SLICE, { 'memory.min': '8192\n' });
      expect(await limits.write({ ...HIGH, file: 'memory.low' }, '4096\n')).toEqual({
        kind: 'written',
        writer: 'systemd',
      });
      expect(units.calls).toEqual([`${UNIT} MemoryMin=8192 MemoryLow=4096`]);
      expect(texts()).toEqual({ ...NEW_CGROUP, 'memory.min': '8192\n', 'memory.low': '4096\n' });
      expect(lacks).toEqual([undefined]);
    },
  );

  it('lowers memory.high in the file first, for systemd would wait for the kernel to reclaim', async () => {
    await limits.write(HIGH, '4096\n');
    expect(files.calls.filter((call) => call.startsWith('write'))).toEqual([
      `write ${SLICE}/memory.high "4096\\n"`,
    ]);
    expect(units.keptOf(UNIT, 'MemoryHigh')).toBe(4096n);
  });

  it('is written where systemd keeps it already, without a call', async () => {
    units.with(UNIT, SLICE, { MemoryHigh: 4096n, MemoryMax: 8192n });
    expect(await limits.write(HIGH, '4096\n')).toEqual({ kind: 'written', writer: 'systemd' });
    expect([units.calls, texts()['memory.high']]).toEqual([[], '4096\n']);
  });

  it('is written one after the other, so that none undoes the one before', async () => {
    const places = [HIGH, { ...HIGH, file: 'memory.low' as const }, { ...HIGH, file: 'memory.min' as const }];
    await Promise.all(places.map((place) => limits.write(place, '4096\n')));
    expect(units.calls).toEqual([
      `${UNIT} MemoryHigh=4096`,
      `${UNIT} MemoryLow=4096`,
      `${UNIT} MemoryMin=4096`,
    ]);
    expect(texts()).toEqual({
      ...NEW_CGROUP,
      'memory.min': '4096\n',
      'memory.low': '4096\n',
      'memory.high': '4096\n',
    });
  });

  it('has vanished where another cgroup has its name, and systemd is not asked', async () => {
    expect(await limits.write({ ...HIGH, inode: 2n }, '4096\n')).toEqual({
      kind: 'vanished',
      error: `${SLICE} is gone, or was made anew meanwhile`,
    });
    expect([units.calls, texts()]).toEqual([[], NEW_CGROUP]);
  });

  it('has failed where the file reads another value long after systemd took it', async () => {
    units.writesFiles = false;
    const writing = limits.write({ ...HIGH, file: 'memory.low' }, '4096\n');
    for (let step = 0; step < 300; step += 1) await clock.advance(20);
    expect(await writing).toEqual({
      kind: 'failed',
      code: 'EREADBACK',
      error: `${SLICE}/memory.low: found "0" after systemd was told 4096: another writer, or another page size than planned`,
    });
    expect(clock.slept).toHaveLength(250);
  });

  it('has vanished where its cgroup was made anew while systemd took it', async () => {
    units.writesFiles = false;
    const writing = limits.write({ ...HIGH, file: 'memory.low' }, '4096\n');
    await clock.advance(0);
    files.with(SLICE, 2n, NEW_CGROUP);
    await clock.advance(20);
    expect(await writing).toEqual({ kind: 'vanished', error: `${SLICE}/memory.low is gone` });
  });
});

const WOULD_CHANGE =
  'systemd keeps max for memory.max of kubepods-pod1.slice, which reads 8192, and would write it along';

describe('what cannot be set through systemd', () => {
  it.each([
    ['systemd does not answer', AWAY.error, 'ECONNREFUSED', () => (units.failure = AWAY)],
    ['systemd goes away between two calls', AWAY.error, 'ECONNREFUSED', () => (units.setFailure = AWAY)],
    ['this user may not', DENIED.error, 'EACCES', () => (units.setFailure = DENIED)],
    [
      'systemd has no such unit',
      `systemd has no unit ${UNIT}`,
      'ENOENT',
      () => (units = Object.assign(units, { look: () => new FakeUnits(files).look(UNIT) })),
    ],
    [
      'the unit has another cgroup',
      `${UNIT} of systemd has the cgroup user.slice/${UNIT}, which is another one`,
      'ENOTSUP',
      () => units.with(UNIT, `user.slice/${UNIT}`),
    ],
    [
      'the unit has no cgroup',
      `${UNIT} of systemd has no cgroup, which is another one`,
      'ENOTSUP',
      () => units.with(UNIT, ''),
    ],
    [
      'the call would change memory.max',
      WOULD_CHANGE,
      'EBUSY',
      () => {
        files.put(SLICE, { 'memory.max': '8192\n' });
      },
    ],
  ] as const)(
    'since %s, is written directly under auto and fails under systemd',
    async (_, because, code, make) => {
      make();
      const before = texts();
      setting = 'systemd';
      expect(await limits.write(HIGH, '4096\n')).toEqual({
        kind: 'failed',
        code,
        error: `${SLICE}/memory.high: ${because}; ${REMEDY}`,
      });
      expect(texts()).toEqual(before);
      setting = 'auto';
      expect(await limits.write(HIGH, '4096\n')).toEqual({ kind: 'written', writer: 'cgroupfs', because });
      expect(texts()).toEqual({ ...before, 'memory.high': '4096\n' });
    },
  );

  it('is a cgroup that is no unit: nothing is said under auto, where that is how it has to be', async () => {
    const place = { ...HIGH, cgroup: 'kubepods/pod1' };
    expect(await limits.write(place, '4096\n')).toEqual({ kind: 'written', writer: 'cgroupfs' });
    setting = 'systemd';
    expect(await limits.write(place, '8192\n')).toEqual({
      kind: 'failed',
      code: 'ENOTSUP',
      error: `kubepods/pod1/memory.high: kubepods/pod1 is no unit of systemd; ${REMEDY}`,
    });
    expect(texts('kubepods/pod1')['memory.high']).toBe('4096\n');
  });

  it('fails for its own reason where the file cannot be written either', async () => {
    units.failure = AWAY;
    files.failures.set(`${SLICE}/memory.high`, { kind: 'failed', code: 'EROFS', error: 'read-only' });
    expect(await limits.write(HIGH, '4096\n')).toEqual({ kind: 'failed', code: 'EROFS', error: 'read-only' });
  });

  it('is told once systemd is away and once it is back', async () => {
    units.failure = AWAY;
    await limits.write(HIGH, '4096\n');
    units.failure = undefined;
    await limits.write(HIGH, '8192\n');
    expect(lacks).toEqual([AWAY.error, undefined]);
  });

  it('is not asked for again for a minute after this user was refused', async () => {
    units.setFailure = DENIED;
    await limits.write(HIGH, '4096\n');
    units.setFailure = undefined;
    await clock.advance(59_999);
    expect(await limits.write(HIGH, '8192\n')).toMatchObject({ writer: 'cgroupfs', because: DENIED.error });
    expect(await limits.wayOf(HIGH)).toEqual({ writer: 'cgroupfs', because: DENIED.error });
    await clock.advance(1);
    expect(await limits.wayOf(HIGH)).toEqual({ writer: 'systemd' });
    expect(await limits.write(HIGH, '4096\n')).toEqual({ kind: 'written', writer: 'systemd' });
  });
});

it('writes files alone under cgroupfs, and asks nobody', async () => {
  setting = 'cgroupfs';
  expect(await limits.write(HIGH, '4096\n')).toEqual({ kind: 'written', writer: 'cgroupfs' });
  expect(await limits.wayOf(HIGH)).toEqual({ writer: 'cgroupfs' });
  expect([units.calls, lacks, texts()['memory.high']]).toEqual([[], [], '4096\n']);
});

it('reads the file', async () => {
  expect(await limits.read(HIGH)).toEqual({ kind: 'read', text: 'max\n', inode: 1n });
});

it.each([
  ['auto', undefined, HIGH, { writer: 'systemd' }],
  ['auto', AWAY, HIGH, { writer: 'cgroupfs', because: AWAY.error }],
  ['systemd', AWAY, HIGH, { writer: 'systemd' }],
  ['auto', undefined, { ...HIGH, cgroup: 'kubepods/pod1' }, { writer: 'cgroupfs' }],
  ['cgroupfs', undefined, { ...HIGH, writer: 'systemd' }, { writer: 'systemd' }],
] as const)('says before a write which way it will go (%s, case %#)', async (writer, lack, place, way) => {
  setting = writer;
  units.failure = lack;
  expect(await limits.wayOf(place)).toEqual(way);
  expect(lacks).toEqual('because' in way ? [way.because] : []);
});

describe('what is put back', () => {
  const THROUGH: KnownLimitPlace = { ...HIGH, writer: 'systemd' };
  beforeEach(async () => {
    await limits.write(HIGH, '4096\n');
    units.calls.length = 0;
    setting = 'cgroupfs';
  });

  it('goes through systemd where it was written that way, whatever the setting says now', async () => {
    expect(await limits.write(THROUGH, 'max\n')).toEqual({ kind: 'written', writer: 'systemd' });
    expect(units.calls).toEqual([`${UNIT} MemoryHigh=18446744073709551615`]);
    expect(texts()).toEqual(NEW_CGROUP);
  });

  it('goes through it also where the file reads so already', async () => {
    files.put(SLICE, { 'memory.high': 'max\n' });
    await limits.write(THROUGH, 'max\n');
    expect(units.keptOf(UNIT, 'MemoryHigh')).toBe(18446744073709551615n);
  });

  it('goes to the file where it was written there', async () => {
    setting = 'systemd';
    expect(await limits.write({ ...HIGH, writer: 'cgroupfs' }, 'max\n')).toEqual({
      kind: 'written',
      writer: 'cgroupfs',
    });
    expect(units.calls).toEqual([]);
  });

  it.each([
    ['does not answer', AWAY.error, 'ECONNREFUSED', () => (units.failure = AWAY)],
    [
      'would change memory.max',
      WOULD_CHANGE,
      'EBUSY',
      () => {
        files.put(SLICE, { 'memory.max': '8192\n' });
      },
    ],
  ] as const)(
    'is in the file, and has failed, where systemd %s: it may still keep the value',
    async (_, why, code, make) => {
      make();
      const danger = 'systemd may still keep the value of nodeqos and write it again; run reset again';
      expect(await limits.write(THROUGH, 'max\n')).toEqual({
        kind: 'failed',
        code,
        error: `${SLICE}/memory.high: the file is put back, but ${why}: ${danger}`,
      });
      expect(texts()['memory.high']).toBe('max\n');
    },
  );

  it('is in the file, and nothing more, where the unit has gone meanwhile', async () => {
    units.with(UNIT, '');
    expect(await limits.write(THROUGH, 'max\n')).toMatchObject({ kind: 'written', writer: 'cgroupfs' });
  });

  it('is in the file to the byte where it was no limit', async () => {
    expect(await limits.write(THROUGH, 'odd \n')).toEqual({ kind: 'written', writer: 'cgroupfs' });
    expect(texts()['memory.high']).toBe('odd \n');
  });
});
