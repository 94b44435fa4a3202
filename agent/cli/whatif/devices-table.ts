import { tolerationText } from '../../decide/taint-sentences.ts';
import type { DevicePodEntry, DeviceReport, DeviceTaintEntry } from '../../decide/taints/device-report.ts';
import { taintText } from '../../decide/taints/taint-text.ts';
import type { DeviceName } from '../../model/device.ts';
import { drawTable } from '../console/print.ts';

/** What taints of devices mean, for people: devices, claims, pods. A list that is empty is left out. */
export function devicesTable(report: DeviceReport, columns: number): string {
  const { devices, claims, devicePods } = report;
  if (devices.length + claims.length + devicePods.length === 0) return '\nNo device has a taint.\n';
  const fit = { fit: { column: 0, columns } };
  return [
    ...table(['DEVICE', 'ALLOCATABLE', 'TAINTS'], devices, fit, (one) => [
      deviceText(one),
      one.allocatable ? 'yes' : 'no',
      one.taints.map(taintText).join(', '),
    ]),
    ...table(['CLAIM', 'RESERVABLE', 'BECAUSE OF'], claims, fit, ({ namespace, name, firstUntolerated }) => [
      `${namespace}/${name}`,
      firstUntolerated === null ? 'yes' : 'no',
      firstUntolerated === null ? '-' : ofDevice(firstUntolerated),
    ]),
    ...table(['POD', 'STAYS', 'DECIDED BY'], devicePods, fit, (pod) => [
      `${pod.namespace}/${pod.name}`,
      stays(pod),
      decider(pod),
    ]),
  ].join('');
}

function table<T>(
  head: readonly string[],
  things: readonly T[],
  form: Parameters<typeof drawTable>[2],
  row: (thing: T) => readonly string[],
): readonly string[] {
  return things.length === 0 ? [] : [`\n${drawTable(head, things.map(row), form)}`];
}

function deviceText({ driver, pool, device }: DeviceName): string {
  return `${driver}/${pool}/${device}`;
}

function ofDevice(thing: DeviceName & { readonly taint: DeviceTaintEntry }): string {
  return `${taintText(thing.taint)} of ${deviceText(thing)}`;
}

function stays({ noExecute, evictAt, evictAfterSeconds }: DevicePodEntry): string {
  if (noExecute === 'stay') return 'yes';
  return evictAt === null ? `until ${evictAfterSeconds ?? 0n} s after the taint` : `until ${evictAt}`;
}

function decider({ decidedBy }: DevicePodEntry): string {
  if (decidedBy === null) return '-';
  const { toleration } = decidedBy;
  return toleration === null ? ofDevice(decidedBy) : `${ofDevice(decidedBy)}, ${tolerationText(toleration)}`;
}
