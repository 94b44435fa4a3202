import { unitNameOf } from '../../../cgroup/units/unit-name.ts';
import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { DoctorFacts, SystemdFacts } from './facts.ts';

const group = 'systemd' as const;
const DRIVER: Subject = { id: 'cgroup-driver', group, title: 'Cgroup driver' };
const BUS: Subject = { id: 'systemd-bus', group, title: 'systemd on its bus' };

/** Who names the cgroups of pods, and whether systemd can be asked to set limits of its units. */
export function systemdChecks(facts: DoctorFacts): readonly DoctorCheck[] {
  return [driverCheck(facts.systemd), busCheck(facts)];
}

function driverCheck({ driver }: SystemdFacts): DoctorCheck {
  const { found, configured, isStated, used } = driver;
  if (found !== undefined && isStated && found !== configured) {
    return amiss(
      DRIVER,
      'warning',
      `the tree is laid out by ${found}, KubeletConfiguration says ${configured}`,
      {
        consequence: `nodeqos goes by ${used}; pods of the other one are not seen`,
        remedy: 'set cgroupDriver of the kubelet and of the runtime to the same, or give --cgroup-driver',
      },
    );
  }
  if (found === undefined) {
    return amiss(
      DRIVER,
      'not-known',
      `${used} by ${isStated ? 'KubeletConfiguration' : 'default'}; the tree has no pods to tell`,
      {
        consequence: 'under another driver the cgroups of pods have other names, and none would be found',
        remedy: 'start the kubelet, or give --cgroup-driver',
      },
    );
  }
  return fine(DRIVER, isStated ? `${found}, by the tree and KubeletConfiguration` : `${found}, by the tree`);
}

function busCheck({ systemd, own, cgroup, root }: DoctorFacts): DoctorCheck {
  const { bus } = systemd;
  const { writer } = own.settings.memoryQos;
  if (bus !== undefined && 'version' in bus) return fine(BUS, `systemd ${bus.version} answers`);
  if (bus === undefined && root.kind !== 'host') {
    return amiss(BUS, 'not-known', 'only the node itself tells', {
      consequence: 'whether limits can be set through systemd is not known',
      remedy: 'run the doctor on the node',
    });
  }
  if (unitNameOf(cgroup.kubepods) === undefined) {
    return fine(BUS, `not needed: ${cgroup.kubepods} is no unit of systemd`);
  }
  return amiss(BUS, writer === 'systemd' ? 'missing' : 'warning', bus?.lack ?? 'it was not asked', {
    consequence:
      writer === 'systemd'
        ? 'memoryQos.writer is systemd, so no limit of a unit can be written'
        : 'limits are written to files, and systemd takes them back at each daemon-reload',
    remedy: 'let nodeqos reach /run/dbus/system_bus_socket, or set memoryQos.writer: cgroupfs',
  });
}
