import { describe, expect, it } from 'vitest';
import { CHECK_GROUPS } from '../../../../agent/decide/doctor/check.ts';
import { doctorReport, lackOf } from '../../../../agent/decide/doctor/report.ts';
import { doctorFacts } from '../../../fakes/doctor-facts.ts';

describe('a report', () => {
  it('has every check once, in the order of the groups', () => {
    const { checks } = doctorReport(doctorFacts());
    expect(checks.map(({ group, id }) => `${group} ${id}`)).toEqual([
      'kernel kernel-release',
      'kernel memory-capacity',
      'kernel page-size',
      'kernel swap',
      'kernel pidfd',
      'cgroup cgroup-mount',
      'cgroup memory-controller',
      'cgroup memory-handed-down',
      'cgroup memory-recursiveprot',
      'cgroup nsdelegate',
      'cgroup cgroup-kill',
      'cgroup cgroup-freeze',
      'cgroup memory-reclaim',
      'cgroup memory-peak',
      'pressure psi',
      'pressure psi-trigger',
      'systemd cgroup-driver',
      'systemd systemd-bus',
      'kubelet kubelet',
      'kubelet kubelet-configuration',
      'kubelet kubelet-version',
      'kubelet kubelet-read-only-port',
      'kubelet kubelet-access',
      'runtime runtime-socket',
      'runtime runtime-access',
      'writers kubelet-memory-qos',
      'writers unit-drop-ins',
      'writers systemd-oomd',
      'writers other-agents',
      'writers other-nodeqos',
      'writers values-of-others',
      'nodeqos configuration',
      'nodeqos mode',
      'nodeqos pods-source',
      'nodeqos stats-source',
      'nodeqos evictor',
      'nodeqos state-folder',
      'nodeqos lock',
      'nodeqos user',
      'nodeqos native',
      'nodeqos node-js',
      'nodeqos listen',
    ]);
    expect([...new Set(checks.map(({ group }) => group))]).toEqual([...CHECK_GROUPS]);
  });

  it('has a title for every check and job', () => {
    const { checks, works } = doctorReport(doctorFacts());
    expect(checks.map(({ title }) => title).join('; ')).toBe(
      "Kernel; Memory; Page size; Swap; pidfd; cgroup v2; Memory controller; Handed down to pods; memory_recursiveprot; nsdelegate; cgroup.kill; cgroup.freeze; memory.reclaim; memory.peak; Pressure (PSI); Pressure triggers; Cgroup driver; systemd on its bus; Kubelet; KubeletConfiguration; Kubelet version; Kubelet read-only port; Kubelet credentials; Container runtime; Its socket may be opened; Kubelet (MemoryQoS); Drop-ins of pods' units; systemd-oomd; Other agents; Another nodeqos; Values of others; nodeqos.yaml; Mode; Source of pods; Source of usage; Evictor in enforce; State folder; Lock; User; Native part; Node.js; Where it answers",
    );
    expect(works.map(({ id, title }) => `${id}: ${title}`)).toEqual([
      'memory-qos-plan: Memory QoS: plan',
      'memory-qos-writes: Memory QoS: writes',
      'throttling: Throttling (memory.high)',
      'protection: Protection (memory.min, low)',
      'drift-repair: Drift repair',
      'eviction-signals: Eviction: signals',
      'wake-up: Eviction: woken by PSI',
      'evictor-cgroup: Evictor cgroup',
      'evictor-cri: Evictor cri',
      'evictor-api: Evictor api',
      'beside-kubelet: Beside a kubelet',
    ]);
  });

  it('counts the checks by their states', () => {
    const { summary } = doctorReport(
      doctorFacts({
        kernel: { pageSizeBytes: undefined, release: '5.4.0', swapTotalBytes: undefined },
        pressure: { memory: 'missing', trigger: undefined },
        own: { lock: undefined },
      }),
    );
    expect(summary).toEqual({ ok: 36, warning: 1, missing: 2, notKnown: 3 });
  });

  it('lacks nothing where only something useful is missing', () => {
    const { checks } = doctorReport(
      doctorFacts({ pressure: { memory: 'missing' }, kernel: { release: '5.4.0' } }),
    );
    expect(lackOf(checks)).toBe(undefined);
  });

  it('lacks the first of the needed things that are missing', () => {
    const { checks } = doctorReport(
      doctorFacts({ cgroup: { hierarchy: 'v1' }, kernel: { memoryCapacityBytes: undefined } }),
    );
    expect(lackOf(checks)?.id).toBe('memory-capacity');
  });

  it('does not take what is not known for missing', () => {
    const { checks } = doctorReport(
      doctorFacts({ cgroup: { fault: 'x', rootRead: { code: 'EACCES' } }, kernel: { release: undefined } }),
    );
    expect(lackOf(checks)).toBe(undefined);
  });
});
