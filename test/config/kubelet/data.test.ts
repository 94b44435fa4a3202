import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TextFile } from '../../../config/finding.ts';
import { type KubeletReading, readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import { formatDuration } from '../../../config/numbers/duration.ts';
import {
  formatQuantity,
  type Quantity,
  quantityToInteger,
  quantityToMilli,
} from '../../../config/numbers/quantity.ts';
import type { Amount, Threshold } from '../../../config/signal.ts';

const data = process.env['NODEQOS_FIXTURES'];
const folder = `${data ?? ''}/kubelet-configurations`;
const skipped = data === undefined;
if (skipped) {
  console.info(
    'The collected KubeletConfigurations are skipped: NODEQOS_FIXTURES does not name their folder.',
  );
}

/** What the index says of one file: its verdict and its facts, one a line. */
interface Section {
  readonly file: string;
  readonly verdict: string;
  readonly facts: readonly string[];
}

function sections(): readonly Section[] {
  if (skipped) {
    return [];
  }
  return readFileSync(`${folder}/INDEX.md`, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const lines = text.split('\n');
      return {
        file: lines[0] ?? '',
        verdict: lines.find((line) => line.startsWith('verdict: '))?.slice(9) ?? '',
        facts: lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)),
      };
    });
}

function fileOf(name: string): TextFile {
  return { file: name, text: readFileSync(`${folder}/${name}`, 'utf8') };
}

function read(name: string): KubeletReading {
  return readKubeletConfiguration(fileOf(name), []);
}

/** "100Mi (104857600)" or "10% (float32 0.1 of capacity)" as the value that it stands for. */
function valueOf(fact: string): string {
  const bytes = /\((\d+)\)$/.exec(fact)?.[1];
  const percent = /^([0-9.]+)%/.exec(fact)?.[1];
  return bytes ?? String(Math.fround(Math.fround(Number(percent)) / 100));
}

function shownAmount(amount: Amount): string {
  return 'quantity' in amount ? amount.quantity.toString() : String(amount.percentage);
}

/** The thresholds that a fact line names, as signal and value. */
function named(fact: string | undefined): readonly string[] {
  return (fact ?? '')
    .replace(/^(?:hard|soft): /, '')
    .replace(/ \[.*\]$/, '')
    .split('; ')
    .filter((part) => part.includes(' < '))
    .map((part) => {
      const [signal = '', value = ''] = part.split(' < ');
      return `${signal} ${valueOf(value)}`;
    })
    .sort();
}

function found(thresholds: readonly Threshold[], type: Threshold['type']): readonly string[] {
  return thresholds
    .filter((threshold) => threshold.type === type && !threshold.derived)
    .map(({ signal, value }) => `${signal} ${shownAmount(value)}`)
    .sort();
}

function reserved(amounts: ReadonlyMap<string, Quantity>): string {
  return [...amounts]
    .map(
      ([name, value]) =>
        `${name}=${name === 'cpu' ? `${quantityToMilli(value)}m` : quantityToInteger(value).toString()}`,
    )
    .sort()
    .join(', ');
}

function indexReserved(fact: string | undefined): string {
  return (fact ?? '')
    .replace(/^\w+: /, '')
    .split(', ')
    .filter((part) => part !== '')
    .map((part) => part.replace(/=.*\((.*)\)$/, '=$1'))
    .sort()
    .join(', ');
}

function warnedName(line: string): readonly string[] {
  return /^warn: .*"(\w+)" (?:is unknown|\(dropped\)|already set)/.exec(line)?.slice(1, 2) ?? [];
}

/** What the index says that must be derived. */
function expectedOf(facts: readonly string[]): Record<string, unknown> {
  const fact = (name: string): string =>
    facts.find((line) => line.startsWith(`${name}: `) || line.startsWith(`${name}=`)) ?? '';
  const stated = (name: string): string => fact(name).slice(name.length + 1);
  const hard = named(fact('hard'));
  const enforced = JSON.parse(/^\[.*?\]/.exec(stated('enforceNodeAllocatable'))?.[0] ?? '[]') as string[];
  return {
    hard,
    soft: named(fact('soft')),
    copies: enforced.includes('pods') ? hard.filter((line) => line.startsWith('memory.available')).length : 0,
    period: /^\w+/.exec(stated('pressureTransition'))?.[0],
    grace: Number(stated('maxPodGrace')),
    enforced,
    memoryQos: facts
      .find((line) => line.startsWith('MemoryQoS gate'))
      ?.replace(/^.*?; /, '')
      .replace(/ \(.*?\);/, ';'),
    driver: /^\w+/.exec(stated('cgroupDriver'))?.[0],
    root: '/',
    staticPods: stated('staticPodPath'),
    kubeReserved: indexReserved(fact('kubeReserved')),
    systemReserved: indexReserved(fact('systemReserved')),
    cgroups: [stated('kubeReservedCgroup'), stated('systemReservedCgroup')].map((text) =>
      text.replaceAll('"', ''),
    ),
  };
}

/** The same as it was derived. */
function derivedOf(settings: KubeletSettings): Record<string, unknown> {
  const { evictionThresholds: thresholds, memoryThrottlingFactor, memoryReservationPolicy } = settings;
  return {
    hard: found(thresholds, 'hard'),
    soft: found(thresholds, 'soft'),
    copies: thresholds.filter(({ derived }) => derived).length,
    period: formatDuration(settings.evictionPressureTransitionPeriodMs),
    grace: settings.evictionMaxPodGracePeriodSeconds,
    enforced: settings.enforceNodeAllocatable,
    memoryQos: `throttlingFactor=${memoryThrottlingFactor ?? 'unset'}; reservationPolicy=${memoryReservationPolicy}`,
    driver: settings.cgroupDriver,
    root: settings.cgroupRoot,
    staticPods: settings.staticPodPath ?? '',
    kubeReserved: reserved(settings.kubeReserved),
    systemReserved: reserved(settings.systemReserved),
    cgroups: [settings.kubeReservedCgroup ?? '', settings.systemReservedCgroup ?? ''],
  };
}

describe.skipIf(skipped)('the collected KubeletConfigurations', () => {
  const all = sections();
  const mains = all.filter(({ file }) => !file.endsWith('.conf'));

  it('are all in the index', () => {
    const files = skipped ? [] : readdirSync(folder).filter((name) => name !== 'INDEX.md');
    expect(all.map(({ file }) => file).sort()).toEqual(files.sort());
  });

  it.each(mains.map((section) => [section.file, section] as const))('%s', (file, { verdict, facts }) => {
    const { errors, warnings, settings } = read(file);
    expect(errors.length > 0).toBe(verdict.startsWith('REJECT'));
    if (settings === undefined) {
      return;
    }
    const warned = warnings.map(({ path }) => path.split('.').at(-1));
    expect(warned).toEqual(expect.arrayContaining(facts.flatMap(warnedName)));
    expect(warnings.filter(({ message }) => message.startsWith('unknown')).length).toBe(
      facts.filter((line) => /^warn: (?:unknown field|feature gate)/.test(line)).length,
    );
    expect(derivedOf(settings)).toEqual(expectedOf(facts));
  });

  it('25 has minimum reclaims of 5%', () => {
    const reclaims = read('25-k8s-e2e-node-default.yaml').settings?.evictionThresholds.map(
      ({ signal, minReclaim }) => [signal, minReclaim],
    );
    expect(reclaims).toEqual([
      ['allocatableMemory.available', null],
      ['memory.available', null],
      ['nodefs.available', { percentage: 0.05000000074505806 }],
      ['nodefs.inodesFree', { percentage: 0.05000000074505806 }],
    ]);
  });

  it('29 has 1.80G of memory exactly', () => {
    const memory = read('29-kosmos-fractional-kubereserved.yaml').settings?.kubeReserved.get('memory');
    expect(memory && [formatQuantity(memory), quantityToInteger(memory)]).toEqual(['1800M', 1800000000n]);
  });

  it('01 with its drop-in keeps its thresholds and reserved amounts', () => {
    const merged = readKubeletConfiguration(fileOf('01-eks-al2023.json'), [
      fileOf('01-eks-al2023.d-40-nodeadm.conf'),
    ]);
    expect(merged.errors).toEqual([]);
    expect(merged.settings).toEqual(read('01-eks-al2023.json').settings);
  });

  it('01 with the drop-in 04 reserves cpu for the system', () => {
    const { settings } = readKubeletConfiguration(fileOf('01-eks-al2023.json'), [
      fileOf('04-eks-mime-merge.d-40-nodeadm.conf'),
    ]);
    expect(settings && reserved(settings.systemReserved)).toBe('cpu=150m');
  });

  it('05 with the drop-in 06 names the reserved cgroups', () => {
    const { settings } = readKubeletConfiguration(fileOf('05-aks-full.json'), [
      fileOf('06-aks-hardening-dropin.conf'),
    ]);
    expect(settings).toMatchObject({
      kubeReservedCgroup: '/kubereserved.slice',
      systemReservedCgroup: '/system.slice',
      enforceNodeAllocatable: ['pods'],
    });
  });
});
