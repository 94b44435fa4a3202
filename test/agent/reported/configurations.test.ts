import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CommandInputs } from '../../fakes/command-inputs.ts';

/** What people reported about configurations that were read wrongly: `check` on the smallest input of each. */
const inputs = new CommandInputs();
afterAll(() => {
  inputs.remove();
});

interface Finding {
  readonly path: string;
  readonly line?: number;
}

interface Effective {
  readonly evictionThresholds: readonly {
    readonly signal: string;
    readonly type: string;
    readonly value: { readonly quantity?: number; readonly percentage?: number };
    readonly gracePeriodMs: number;
    readonly minReclaim: unknown;
  }[];
  readonly [field: string]: unknown;
}

interface Report {
  readonly valid: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly effective?: Effective;
}

async function check(fields: string, dropIn?: string, status?: number): Promise<Report> {
  const args = ['check', '--kubelet-config', inputs.kubelet(fields)];
  return report(
    dropIn === undefined ? args : [...args, '--kubelet-config-dir', dropInFolder(dropIn)],
    status,
  );
}

async function report(args: readonly string[], status?: number): Promise<Report> {
  return (await inputs.document(args, status)) as unknown as Report;
}

function dropInFolder(text: string): string {
  const folder = join(inputs.folder, 'drop-ins');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, '10-a.conf'),
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${text}\n`,
  );
  return folder;
}

/** Each threshold but the copies for all pods, as `signal type amount`. */
function thresholds(found: Report): readonly string[] {
  const all = found.effective?.evictionThresholds ?? [];
  return all
    .filter(({ signal }) => signal !== 'allocatableMemory.available')
    .map(({ signal, type, value }) => `${signal} ${type} ${value.quantity ?? `${value.percentage ?? '?'}x`}`);
}

const IMAGEFS = 'imagefs.available hard 0.15000000596046448x';
const IMAGEFS_INODES = 'imagefs.inodesFree hard 0.05000000074505806x';
const NODEFS = 'nodefs.available hard 0.10000000149011612x';
const NODEFS_INODES = 'nodefs.inodesFree hard 0.05000000074505806x';
const DISK = [NODEFS, NODEFS_INODES];
const IMAGES = [IMAGEFS, IMAGEFS_INODES];

describe('one hard threshold turned all the others off, and nobody noticed', () => {
  it.each<[string, string, readonly string[]]>([
    ['one is given', 'evictionHard: {memory.available: 500Mi}', ['memory.available hard 524288000']],
    ['an empty map', 'evictionHard: {}', []],
    [
      'null is as good as absent',
      'evictionHard: null',
      [...IMAGES, 'memory.available hard 104857600', ...DISK],
    ],
    ['absent', '', [...IMAGES, 'memory.available hard 104857600', ...DISK]],
    [
      'the missing ones are asked for',
      'evictionHard: {memory.available: 500Mi}\nmergeDefaultEvictionSettings: true',
      [...IMAGES, 'memory.available hard 524288000', ...DISK],
    ],
  ])('%s', async (_name, fields, expected) => {
    expect(thresholds(await check(fields))).toEqual(expected);
  });

  it('says so', async () => {
    const { warnings } = await check('evictionHard: {memory.available: 500Mi}');
    expect(warnings.map(({ path }) => path)).toEqual(['evictionHard']);
  });
});

describe('nobody could say whether a drop-in replaces the eviction map or one key', () => {
  it.each<[string, string, string, readonly string[]]>([
    [
      'it merges into the defaults that the main file brought',
      '',
      'evictionHard: {memory.available: 500Mi}',
      [...IMAGES, 'memory.available hard 524288000', ...DISK],
    ],
    ['null takes the map away', '', 'evictionHard: null', []],
    ['null takes one key away', '', 'evictionHard: {memory.available: null}', [...IMAGES, ...DISK]],
    [
      'asking for the defaults there comes too late',
      'evictionHard: {memory.available: 1Gi}',
      'mergeDefaultEvictionSettings: true',
      ['memory.available hard 1073741824'],
    ],
  ])('%s', async (_name, main, dropIn, expected) => {
    expect(thresholds(await check(main, dropIn))).toEqual(expected);
  });

  it('replaces lists whole', async () => {
    const merged = await check('enforceNodeAllocatable: [pods]', 'enforceNodeAllocatable: [none]');
    expect(merged.effective?.['enforceNodeAllocatable']).toEqual(['none']);
  });

  it('has no defaults of thresholds without a main file', async () => {
    const alone = await report([
      'check',
      '--kubelet-config-dir',
      dropInFolder('evictionPressureTransitionPeriod: 1m'),
    ]);
    expect([thresholds(alone), alone.effective?.['evictionPressureTransitionPeriodMs']]).toEqual([
      [],
      60_000,
    ]);
  });
});

describe('an absent throttling factor changed its meaning', () => {
  it.each<[string, string, unknown]>([
    ['absent: no throttling', '', null],
    ['null: no throttling', 'memoryThrottlingFactor: null', null],
    ['the whole range', 'memoryThrottlingFactor: 1', 1],
    ['small', 'memoryThrottlingFactor: 0.01', 0.01],
  ])('%s', async (_name, fields, expected) => {
    expect((await check(fields)).effective?.['memoryThrottlingFactor']).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['0 is no way to say off', 'memoryThrottlingFactor: 0', 'memoryThrottlingFactor'],
    ['above 1', 'memoryThrottlingFactor: 1.01', 'memoryThrottlingFactor'],
    [
      'protection with the gate off',
      'featureGates: {MemoryQoS: false}\nmemoryReservationPolicy: TieredReservation',
      'memoryReservationPolicy',
    ],
    [
      'a factor other than 0.9 with the gate off',
      'featureGates: {MemoryQoS: false}\nmemoryThrottlingFactor: 0.8',
      'memoryThrottlingFactor',
    ],
  ])('refused: %s', async (_name, fields, path) => {
    expect((await check(fields, undefined, 1)).errors.map((error) => error.path)).toEqual([path]);
  });

  it('takes the former default with the gate off', async () => {
    const { effective } = await check('featureGates: {MemoryQoS: false}\nmemoryThrottlingFactor: 0.9');
    expect([effective?.['memoryThrottlingFactor'], effective?.['memoryQosGate']]).toEqual([0.9, false]);
  });
});

describe('refused by the kubelet at start, and by nobody before', () => {
  it.each<[string, string, string]>([
    ['a number where a text belongs', 'kubeReserved: {memory: 1000}', 'kubeReserved.memory'],
    ['a number with an exponent', 'systemReserved: {memory: 1e9}', 'systemReserved.memory'],
    ['nil, which is a text in YAML', 'evictionSoft: nil', 'evictionSoft'],
    [
      'a soft threshold without grace',
      'evictionSoft: {memory.available: 1Gi}',
      'evictionSoft.memory.available',
    ],
    ['a grace in days', soft('1d'), 'evictionSoftGracePeriod.memory.available'],
    ['a grace without a unit', soft('30'), 'evictionSoftGracePeriod.memory.available'],
    ['a grace with a blank', soft('1m 30s'), 'evictionSoftGracePeriod.memory.available'],
    ['a negative grace', soft('-30s'), 'evictionSoftGracePeriod.memory.available'],
    ['a threshold of 0', hard('"0"'), 'evictionHard.memory.available'],
    ['a negative threshold', hard('"-1Mi"'), 'evictionHard.memory.available'],
    ['101%', hard('101%'), 'evictionHard.memory.available'],
    ['-1%', hard('"-1%"'), 'evictionHard.memory.available'],
    ['an empty text', hard('""'), 'evictionHard.memory.available'],
    ['a blank before a percent', hard('" 5%"'), 'evictionHard.memory.available'],
    ['a blank inside a percent', hard('"5 %"'), 'evictionHard.memory.available'],
    ['two percent signs, which only the kubelet reads', hard('5%%'), 'evictionHard.memory.available'],
    ['a signed percent', hard('"+5%"'), 'evictionHard.memory.available'],
    ['a percent with an exponent', hard('1e1%'), 'evictionHard.memory.available'],
    ['minimum reclaim of 0%', reclaim('0%'), 'evictionMinimumReclaim.memory.available'],
    ['a negative minimum reclaim', reclaim('"-1Mi"'), 'evictionMinimumReclaim.memory.available'],
    ['reserved huge pages', 'kubeReserved: {hugepages-2Mi: 1Gi}', 'kubeReserved.hugepages-2Mi'],
    ['a negative reservation', 'kubeReserved: {memory: "-1Gi"}', 'kubeReserved.memory'],
    ['a percent of the machine reserved', 'systemReserved: {memory: 5%}', 'systemReserved.memory'],
  ])('%s', async (_name, fields, path) => {
    const { valid, errors } = await check(fields, undefined, 1);
    expect([valid, errors.map((error) => error.path)]).toEqual([false, [path]]);
    expect(errors[0]?.line).toBe(3);
  });

  it('a doubled key in a drop-in', async () => {
    const main = inputs.kubelet('');
    const folder = dropInFolder('cgroupRoot: /a\ncgroupRoot: /b');
    const { errors } = await report(['check', '--kubelet-config', main, '--kubelet-config-dir', folder], 1);
    expect(errors.map(({ path, line }) => [path, line])).toEqual([['cgroupRoot', 4]]);
  });
});

describe('accepted by the kubelet, and by too few readers', () => {
  it.each<[string, string, readonly string[]]>([
    ['0% and 100% are no thresholds', 'evictionHard: {memory.available: 0%, nodefs.available: 100%}', []],
    ['0.0% is one that is never met', hard('0.0%'), ['memory.available hard 0x']],
    ['100.0% is one that is always met', hard('100.0%'), ['memory.available hard 1x']],
    ['a fraction of a percent', hard('.5%'), ['memory.available hard 0.004999999888241291x']],
    [
      'a soft threshold of 0%, needing no grace',
      'evictionHard: {}\nevictionSoft: {memory.available: 0%}',
      [],
    ],
    ['a grace of 0s makes it hard', soft('0s'), ['memory.available hard 1073741824']],
    ['null for no soft thresholds', 'evictionHard: {}\nevictionSoft: ~', []],
    ['a grace without a threshold', 'evictionHard: {}\nevictionSoftGracePeriod: {nodefs.available: 1m}', []],
  ])('%s', async (_name, fields, expected) => {
    expect(thresholds(await check(fields))).toEqual(expected);
  });

  it('minimum reclaim of 0, and of more than everything, on each threshold of the signal', async () => {
    const found = await check(
      `${soft('1m')}\nevictionMinimumReclaim: {memory.available: "0", nodefs.available: 200%}`,
    );
    const memory = found.effective?.evictionThresholds.filter(({ signal }) => signal === 'memory.available');
    expect(memory?.map(({ type, minReclaim }) => [type, minReclaim])).toEqual([['soft', { quantity: 0 }]]);
    const copied = (await check('evictionMinimumReclaim: {memory.available: 5%}')).effective
      ?.evictionThresholds;
    expect(
      copied
        ?.filter(({ minReclaim }) => minReclaim !== null)
        .map(({ signal, minReclaim }) => [signal, minReclaim]),
    ).toEqual([
      ['allocatableMemory.available', { percentage: 0.05000000074505806 }],
      ['memory.available', { percentage: 0.05000000074505806 }],
    ]);
  });

  it('a negative grace of pods, shown as stated, with a warning', async () => {
    const found = await check('evictionMaxPodGracePeriod: -1');
    expect(found.effective?.['evictionMaxPodGracePeriodSeconds']).toBe(-1);
    expect(found.warnings.map(({ path }) => path)).toEqual(['evictionMaxPodGracePeriod']);
  });

  it('unknown, misplaced and doubled fields of the main file, with a warning each', async () => {
    const found = await check(
      'metadata: {name: a}\nEvictionHard: {memory.available: 1Gi}\ncgroupRoot: /a\ncgroupRoot: /b\nfeatureGates: {NoSuchGate: true}',
    );
    expect(found.effective?.['cgroupRoot']).toBe('/b');
    expect(thresholds(found)).toHaveLength(5);
    expect(new Set(found.warnings.map(({ path }) => path))).toEqual(
      new Set(['metadata', 'EvictionHard', 'cgroupRoot', 'featureGates.NoSuchGate']),
    );
  });

  it('an unknown gate beside MemoryQoS: false, which must not be missed', async () => {
    const { effective } = await check('featureGates: {DynamicKubeletConfig: true, MemoryQoS: false}');
    expect(effective?.['memoryQosGate']).toBe(false);
  });

  it('only the first YAML document', async () => {
    const path = inputs.write(
      'two.yaml',
      '---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupRoot: /first\n---\ncgroupRoot: /second\n',
    );
    expect((await report(['check', '--kubelet-config', path])).effective?.['cgroupRoot']).toBe('/first');
  });

  it('reserved amounts, each in its canonical form', async () => {
    const { effective } = await check(
      'kubeReserved: {memory: 1.5Gi, cpu: "0.07", pid: "1000", ephemeral-storage: 1e3}\nsystemReserved: {memory: 1.1Gi}'.replace(
        '1e3',
        '"1e3"',
      ),
    );
    expect([effective?.['kubeReserved'], effective?.['systemReserved']]).toEqual([
      { cpu: '70m', 'ephemeral-storage': '1e3', memory: '1536Mi', pid: '1k' },
      { memory: '1181116006400m' },
    ]);
  });
});

function hard(value: string): string {
  return `evictionHard: {memory.available: ${value}}`;
}

function soft(grace: string): string {
  return `evictionSoftGracePeriod: {memory.available: ${grace}}\nevictionSoft: {memory.available: 1Gi}\nevictionHard: {}`;
}

function reclaim(value: string): string {
  return `evictionMinimumReclaim: {memory.available: ${value}}`;
}
