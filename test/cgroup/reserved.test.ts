import { describe, expect, it } from 'vitest';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { type ReservationSettings, reservedCgroups } from '../../cgroup/reserved.ts';
import { quantity } from '../fakes/planning.ts';

const SETTINGS: ReservationSettings = {
  enforceNodeAllocatable: ['pods', 'kube-reserved', 'system-reserved'],
  kubeReserved: new Map([['memory', quantity('512Mi')]]),
  systemReserved: new Map([['memory', quantity('100m')]]),
  kubeReservedCgroup: '/kube.slice',
  systemReservedCgroup: '/a/system.slice',
};
const KUBE = { name: 'kube-reserved', cgroup: 'kube.slice', bytes: 536870912n };
const SYSTEM = { name: 'system-reserved', cgroup: 'system.slice', bytes: 1n };

describe('reservedCgroups', () => {
  it.each([
    ['both, by base name, rounded up to bytes', SETTINGS, [KUBE, SYSTEM]],
    ['T15: kube-reserved alone', { ...SETTINGS, enforceNodeAllocatable: ['pods', 'kube-reserved'] }, [KUBE]],
    ['system-reserved alone', { ...SETTINGS, enforceNodeAllocatable: ['system-reserved'] }, [SYSTEM]],
    [
      'T16: the compressible twins touch no memory',
      { ...SETTINGS, enforceNodeAllocatable: ['kube-reserved-compressible', 'system-reserved-compressible'] },
      [],
    ],
    ['without enforcement', { ...SETTINGS, enforceNodeAllocatable: ['pods'] }, []],
    [
      'a reservation without memory',
      { ...SETTINGS, kubeReserved: new Map([['cpu', quantity('1')]]) },
      [SYSTEM],
    ],
    ['a name of no folder', { ...SETTINGS, kubeReservedCgroup: '/' }, [SYSTEM]],
  ])('%s', (_name, settings, cgroups) => {
    expect(reservedCgroups(settings, cgroupLayout('systemd', '/'))).toEqual(cgroups);
  });

  it('a cgroup that is not named is left out', () => {
    const unnamed: ReservationSettings = {
      enforceNodeAllocatable: SETTINGS.enforceNodeAllocatable,
      kubeReserved: SETTINGS.kubeReserved,
      systemReserved: SETTINGS.systemReserved,
      systemReservedCgroup: '/a/system.slice',
    };
    expect(reservedCgroups(unnamed, cgroupLayout('systemd', '/'))).toEqual([SYSTEM]);
  });

  it('cgroupfs takes the whole path', () => {
    expect(reservedCgroups(SETTINGS, cgroupLayout('cgroupfs', '/'))).toEqual([
      KUBE,
      { ...SYSTEM, cgroup: 'a/system.slice' },
    ]);
  });
});
