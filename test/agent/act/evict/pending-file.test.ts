import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PendingFile, pendingPath } from '../../../../agent/act/evict/pending-file.ts';
import { parsePending, printPending } from '../../../../agent/act/evict/pending-record.ts';
import type { EvictionCause, PendingRelease } from '../../../../agent/model/eviction.ts';
import { SIGNALS, type Threshold } from '../../../../config/signal.ts';

const THRESHOLD: Threshold = {
  id: 'memory.available hard 100Mi',
  signal: 'memory.available',
  type: 'hard',
  value: { quantity: 104_857_600n },
  gracePeriodMs: 0,
  minReclaim: { percentage: 0.05 },
  derived: false,
};

const CAUSE: EvictionCause = {
  kind: 'threshold',
  threshold: THRESHOLD,
  available: -1n,
  capacity: 18_446_744_073_709_551_615n,
};

const WEB: PendingRelease = {
  namespace: 'default',
  name: 'web',
  uid: 'u1',
  cgroupUid: 'u1',
  evictedAtMs: 123.456,
  gracePeriodSeconds: 30,
  usage: { memoryWorkingSetBytes: 9_007_199_254_740_993n, processCount: 0n },
  unfinished: { cause: CAUSE, place: { cgroup: 'kubepods/podu1', inode: 9_007_199_254_740_995n } },
};

const BARE: PendingRelease = {
  namespace: 'default',
  name: 'db',
  evictedAtMs: 1,
  gracePeriodSeconds: 1,
  usage: undefined,
};

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'nodeqos-pending-')), 'state');
});

afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

describe('pending evictions on disk', () => {
  it('are what was saved, for the same boot', async () => {
    expect(await new PendingFile(folder, 'boot-1').save([WEB, BARE])).toBeUndefined();
    expect(new PendingFile(folder, 'boot-1').read()).toEqual({ pending: [WEB, BARE] });
    expect(statSync(pendingPath(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['pending.json']);
  });

  it('are none after another boot, whose pods ended with it', async () => {
    await new PendingFile(folder, 'boot-1').save([WEB]);
    expect(new PendingFile(folder, 'boot-2').read()).toEqual({ pending: [] });
    expect(new PendingFile(folder, null).read()).toEqual({ pending: [] });
  });

  it('are none where nothing was saved, and reading makes nothing', () => {
    expect(new PendingFile(folder, 'boot-1').read()).toEqual({ pending: [] });
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('are what was saved last, however many are saved at once', async () => {
    const file = new PendingFile(folder, 'boot-1');
    await Promise.all([file.save([WEB]), file.save([WEB, BARE]), file.save([BARE])]);
    expect(file.read()).toEqual({ pending: [BARE] });
  });

  it('are not written again when nothing has changed', async () => {
    const file = new PendingFile(folder, 'boot-1');
    await file.save([WEB]);
    const before = statSync(pendingPath(folder)).ino;
    await file.save([WEB]);
    expect(statSync(pendingPath(folder)).ino).toBe(before);
    await file.save([]);
    expect(statSync(pendingPath(folder)).ino).not.toBe(before);
    expect(file.read()).toEqual({ pending: [] });
  });

  it('are told of when they cannot be saved, and are tried again', async () => {
    mkdirSync(folder, { recursive: true });
    mkdirSync(pendingPath(folder));
    const file = new PendingFile(folder, 'boot-1');
    expect(await file.save([WEB])).toBe(`${pendingPath(folder)}: it is a folder; move it away`);
    rmSync(pendingPath(folder), { recursive: true });
    expect(await file.save([WEB])).toBeUndefined();
    expect(file.read()).toEqual({ pending: [WEB] });
  });

  it.skipIf(process.getuid?.() === 0)('are told of when they cannot be read', async () => {
    const file = new PendingFile(folder, 'boot-1');
    await file.save([WEB]);
    chmodSync(pendingPath(folder), 0);
    expect(file.read().trouble).toContain('permission denied');
  });

  it.each<[string, string, string]>([
    ['is cut off', '{"schemaVersion":1,"bootId":"boot-1","pen', 'is damaged'],
    ['is empty', '', 'is damaged'],
    ['is no object', '[]', 'is damaged'],
    ['is null', 'null', 'is damaged'],
    ['has no list', '{"schemaVersion":1,"pending":{}}', 'is damaged'],
    ['has junk in its list', '{"schemaVersion":1,"bootId":"boot-1","pending":[null]}', 'is damaged'],
    ['is of another version', '{"schemaVersion":2,"pending":[]}', 'is of another version of nodeqos'],
  ])('are none, and not silently, where the file %s', (_, text, why) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(pendingPath(folder), text);
    const file = new PendingFile(folder, 'boot-1');
    expect(file.read()).toEqual({
      pending: [],
      trouble: `${pendingPath(folder)} ${why}; evictions that it held are not waited for`,
    });
    expect(readFileSync(pendingPath(folder), 'utf8')).toBe(text);
  });
});

describe('a pending eviction as JSON', () => {
  const name = fc.string({ maxLength: 8 });
  const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n });
  const amount = fc.oneof(
    fc.record({ quantity: whole }),
    fc.record({ percentage: fc.double({ min: 0, max: 2, noNaN: true }) }),
  );
  const threshold = fc.record<Threshold>({
    id: name,
    signal: fc.constantFrom(...SIGNALS),
    type: fc.constantFrom('hard', 'soft'),
    value: amount,
    gracePeriodMs: fc.nat(),
    minReclaim: fc.option(amount, { nil: null }),
    derived: fc.boolean(),
  });
  const cause = fc.oneof(
    fc.record({ kind: fc.constant('threshold' as const), threshold, available: whole, capacity: whole }),
    fc.record({
      kind: fc.constant('storage-limit' as const),
      limit: fc.constantFrom('emptydirfs.limit', 'ephemeralpodfs.limit', 'ephemeralcontainerfs.limit'),
      message: name,
    }),
    fc.record({
      kind: fc.constant('taint' as const),
      taint: fc.record({ key: name, value: fc.string(), effect: name }),
      message: name,
    }),
  );
  const usage = fc.record(
    { memoryWorkingSetBytes: whole, inodes: whole, logsBytes: whole },
    { requiredKeys: [] },
  );
  const shortage = fc.record({
    signal: fc.constantFrom('memory.available', 'pid.available'),
    available: whole,
    back: whole,
  });
  const place = fc.record({ cgroup: name, inode: fc.bigInt({ min: 0n, max: 2n ** 64n }) });
  const unfinished = fc.record({ cause, place }, { requiredKeys: ['cause'] });

  it('reads back as what it was', () => {
    fc.assert(
      fc.property(
        fc.record({ usage: fc.option(usage, { nil: undefined }) }),
        fc.record(
          { uid: name, cgroupUid: name, unfinished, shortage, goneAtMs: fc.nat() },
          { requiredKeys: [] },
        ),
        fc.record({ namespace: name, name, evictedAtMs: fc.nat(), gracePeriodSeconds: fc.integer() }),
        (known, more, told) => {
          const pending = { ...told, ...more, ...known } as PendingRelease;
          expect(parsePending(JSON.parse(JSON.stringify(printPending(pending))))).toEqual(pending);
        },
      ),
    );
  });

  it.each<[string, (json: Record<string, unknown>) => unknown]>([
    ['no object', () => 'web'],
    ['a list', (json) => [json]],
    ['a namespace that is no text', (json) => ({ ...json, namespace: 1 })],
    ['no name', (json) => without(json, 'name')],
    ['a time that is no number', (json) => ({ ...json, evictedAtMs: '1' })],
    ['a time that is no time', (json) => ({ ...json, evictedAtMs: null })],
    ['no grace', (json) => without(json, 'gracePeriodSeconds')],
    ['a usage that is a number', (json) => ({ ...json, usage: 1 })],
    ['a usage that is no integer', (json) => ({ ...json, usage: { inodes: '1.5' } })],
    [
      'a shortage of nothing that is known',
      (json) => ({ ...json, shortage: { signal: 'x', available: '1', back: '0' } }),
    ],
    [
      'a shortage without what came back',
      (json) => ({ ...json, shortage: { signal: 'pid.available', available: '1' } }),
    ],
    ['an unfinished part without anything', (json) => ({ ...json, unfinished: {} })],
    ['a cgroup without an inode', (json) => unfinishedWith(json, { inode: undefined })],
    ['an inode without a cgroup', (json) => unfinishedWith(json, { cgroup: undefined })],
    ['a cgroup that is no text', (json) => unfinishedWith(json, { cgroup: 1 })],
    ['no cause', (json) => unfinishedWith(json, { cause: undefined })],
    [
      'an unknown limit',
      (json) => unfinishedWith(json, { cause: { kind: 'storage-limit', limit: 'x', message: '' } }),
    ],
    [
      'a limit without message',
      (json) => unfinishedWith(json, { cause: { kind: 'storage-limit', limit: 'emptydirfs.limit' } }),
    ],
    [
      'a taint without key',
      (json) =>
        unfinishedWith(json, { cause: { kind: 'taint', taint: { value: '', effect: 'x' }, message: '' } }),
    ],
    [
      'a taint without value',
      (json) =>
        unfinishedWith(json, { cause: { kind: 'taint', taint: { key: 'a', effect: 'x' }, message: '' } }),
    ],
    [
      'a taint without effect',
      (json) =>
        unfinishedWith(json, { cause: { kind: 'taint', taint: { key: 'a', value: '' }, message: '' } }),
    ],
    ['no taint', (json) => unfinishedWith(json, { cause: { kind: 'taint', message: '' } })],
    [
      'a taint without message',
      (json) =>
        unfinishedWith(json, { cause: { kind: 'taint', taint: { key: 'a', value: '', effect: 'x' } } }),
    ],
    ['no threshold', (json) => causeWith(json, { threshold: undefined })],
    ['an unknown signal', (json) => thresholdWith(json, { signal: 'cpu.available' })],
    ['a threshold without id', (json) => thresholdWith(json, { id: undefined })],
    ['a type that is none', (json) => thresholdWith(json, { type: 'medium' })],
    ['a threshold without value', (json) => thresholdWith(json, { value: {} })],
    ['a grace that is no number', (json) => thresholdWith(json, { gracePeriodMs: '0' })],
    ['a minimum reclaim that is none', (json) => thresholdWith(json, { minReclaim: 'all' })],
    ['no capacity', (json) => causeWith(json, { capacity: undefined })],
    ['an amount that is no integer', (json) => causeWith(json, { available: '1e3' })],
  ])('is refused with %s', (_, change) => {
    expect(parsePending(printPending(WEB))).toEqual(WEB);
    expect(parsePending(change({ ...printPending(WEB) }))).toBeUndefined();
  });

  function without(json: Record<string, unknown>, key: string): object {
    return Object.fromEntries(Object.entries(json).filter(([name]) => name !== key));
  }

  function unfinishedWith(json: Record<string, unknown>, more: object): object {
    return { ...json, unfinished: { ...(json['unfinished'] as object), ...more } };
  }

  function causeWith(json: Record<string, unknown>, more: object): object {
    const { cause: before } = json['unfinished'] as { cause: object };
    return unfinishedWith(json, { cause: { ...before, ...more } });
  }

  function thresholdWith(json: Record<string, unknown>, more: object): object {
    const { cause: before } = json['unfinished'] as { cause: { threshold: object } };
    return causeWith(json, { threshold: { ...before.threshold, ...more } });
  }
});
