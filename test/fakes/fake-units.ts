import type { UnitFailure, UnitLook, UnitManager } from '../../cgroup/units/unit-port.ts';
import type { UnitProperty } from '../../cgroup/units/unit-properties.ts';
import type { FakeLimitFiles } from './limit-files.ts';

const FILES = new Map([
  ['MemoryMin', 'memory.min'],
  ['MemoryLow', 'memory.low'],
  ['MemoryHigh', 'memory.high'],
  ['MemoryMax', 'memory.max'],
  ['MemorySwapMax', 'memory.swap.max'],
]);
const INFINITY = 18446744073709551615n;

/** systemd in memory: keeps values of units, and writes all of a unit's files from them when one is set, as the real one does. */
export class FakeUnits implements UnitManager {
  /** What was asked to be set, in order. */
  readonly calls: string[] = [];
  failure: UnitFailure | undefined;
  /** What only `set` fails with. */
  setFailure: UnitFailure | undefined;
  /** False: takes values and writes no file. */
  writesFiles = true;
  isClosed = false;
  readonly #units = new Map<string, { cgroup: string; kept: Map<string, bigint | string> }>();
  readonly #files: FakeLimitFiles;

  constructor(files: FakeLimitFiles) {
    this.#files = files;
  }

  with(unit: string, cgroup: string, kept: Readonly<Record<string, bigint>> = {}): this {
    const nothing = { MemoryMin: 0n, MemoryLow: 0n, MemoryHigh: INFINITY, MemoryMax: INFINITY };
    this.#units.set(unit, { cgroup, kept: new Map(Object.entries({ ...nothing, ...kept })) });
    return this;
  }

  keptOf(unit: string, property: string): bigint | string | undefined {
    return this.#units.get(unit)?.kept.get(property);
  }

  lack(): Promise<UnitFailure | undefined> {
    return Promise.resolve(this.failure);
  }

  look(unit: string): Promise<({ readonly kind: 'unit' } & UnitLook) | UnitFailure> {
    const known = this.#units.get(unit);
    if (this.failure !== undefined) return Promise.resolve(this.failure);
    return Promise.resolve(
      known === undefined
        ? { kind: 'failed', why: 'no-unit', error: `systemd has no unit ${unit}` }
        : { kind: 'unit', cgroup: known.cgroup, kept: new Map(known.kept) },
    );
  }

  set(unit: string, properties: readonly UnitProperty[]): Promise<{ readonly kind: 'set' } | UnitFailure> {
    this.calls.push(`${unit} ${properties.map(({ name, value }) => `${name}=${value}`).join(' ')}`);
    const failure = this.failure ?? this.setFailure;
    const known = this.#units.get(unit);
    if (failure !== undefined || known === undefined) {
      return Promise.resolve(
        failure ?? { kind: 'failed', why: 'no-unit', error: `systemd has no unit ${unit}` },
      );
    }
    for (const { name, value } of properties) known.kept.set(name, value);
    if (this.writesFiles) {
      const texts = [...known.kept].map(
        ([name, value]) => [FILES.get(name) ?? name, value === INFINITY ? 'max\n' : `${value}\n`] as const,
      );
      this.#files.put(known.cgroup, Object.fromEntries(texts));
    }
    return Promise.resolve({ kind: 'set' });
  }

  close(): void {
    this.isClosed = true;
  }
}
