import { cgroupChecks } from './cgroup-checks.ts';
import type { CheckState, DoctorCheck } from './check.ts';
import { evictionWorks } from './eviction-works.ts';
import type { DoctorFacts } from './facts.ts';
import { kernelChecks } from './kernel-checks.ts';
import { kubeletChecks } from './kubelet-checks.ts';
import { memoryQosWorks } from './memory-qos-works.ts';
import { ownChecks } from './own-checks.ts';
import { pressureChecks } from './pressure-checks.ts';
import { runtimeChecks } from './runtime-checks.ts';
import { systemdChecks } from './systemd-checks.ts';
import type { DoctorWork } from './work.ts';
import { writerChecks } from './writer-checks.ts';

/** DoctorReport without its envelope, in the order of its fields. */
export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  readonly works: readonly DoctorWork[];
  readonly summary: {
    readonly ok: number;
    readonly warning: number;
    readonly missing: number;
    readonly notKnown: number;
  };
}

/** Checks without which nothing can be planned, written or evicted. */
const NEEDED: ReadonlySet<string> = new Set([
  'kernel-release',
  'memory-capacity',
  'cgroup-mount',
  'memory-controller',
  'memory-handed-down',
  'kubelet-configuration',
  'configuration',
  'pods-source',
]);

/** Checks without which Memory QoS works, and evictions do not. */
const NEEDED_TO_EVICT: ReadonlySet<string> = new Set(['stats-source', 'evictor']);

/** All checks, in their fixed order, and what follows from them. */
export function doctorReport(facts: DoctorFacts): DoctorReport {
  const checks = [
    ...kernelChecks(facts),
    ...cgroupChecks(facts),
    ...pressureChecks(facts),
    ...systemdChecks(facts),
    ...kubeletChecks(facts),
    ...runtimeChecks(facts),
    ...writerChecks(facts),
    ...ownChecks(facts),
  ];
  const because = told(missingOf(checks, NEEDED));
  const noEvictions = because ?? told(missingOf(checks, new Set(['stats-source'])));
  const count = (state: CheckState): number => checks.filter((check) => check.state === state).length;
  return {
    checks,
    works: [...memoryQosWorks(facts, because), ...evictionWorks(facts, noEvictions)],
    summary: {
      ok: count('ok'),
      warning: count('warning'),
      missing: count('missing'),
      notKnown: count('not-known'),
    },
  };
}

/** The first thing that nodeqos cannot do its main job without and that is not there; undefined where it can. */
export function lackOf(checks: readonly DoctorCheck[]): DoctorCheck | undefined {
  return missingOf(checks, NEEDED) ?? missingOf(checks, NEEDED_TO_EVICT);
}

function missingOf(checks: readonly DoctorCheck[], needed: ReadonlySet<string>): DoctorCheck | undefined {
  return checks.find(({ id, state }) => needed.has(id) && state === 'missing');
}

function told(lack: DoctorCheck | undefined): string | undefined {
  return lack === undefined ? undefined : `${lack.title}: ${lack.found}`;
}
