import type { KernelCase } from '../guest/result.ts';
import { CONTAINERD_CASES } from './containerd-cases.ts';
import { CRI_CASES } from './cri-cases.ts';
import { IMAGE_CASES } from './image-cases.ts';
import { MACHINE_CASES } from './machine-cases.ts';
import { PACKAGE_CASES } from './package-cases.ts';
import { RESET_CASES } from './reset-cases.ts';
import { SERVICE_CASES } from './service-cases.ts';
import { WRITER_CASES } from './writer-cases.ts';

/** What is tried together in one machine, in this order. */
interface SystemdMachine {
  /** A part of a sentence. */
  readonly name: string;
  readonly cases: readonly KernelCase[];
}

/** All that is tried with systemd: two machines, so that they are through at the same time as those of the two kernels. */
const SYSTEMD_MACHINES: readonly SystemdMachine[] = [
  {
    name: 'a machine with systemd and containerd',
    cases: [
      ...MACHINE_CASES,
      ...RESET_CASES,
      ...WRITER_CASES,
      ...CONTAINERD_CASES,
      ...CRI_CASES,
      ...IMAGE_CASES,
    ],
  },
  { name: 'a machine with systemd and the package', cases: [...PACKAGE_CASES, ...SERVICE_CASES] },
];

/** Cases with a text in their names, which is nothing for all of them. */
export function systemdCases(wanted: string): readonly KernelCase[] {
  const all = SYSTEMD_MACHINES.flatMap(({ cases }) => cases);
  return all.filter(({ name }) => new RegExp(wanted).test(name));
}

/** The machines of which cases are wanted: the names of these, each with its place among all that are wanted. */
export function systemdMachines(
  wanted: readonly KernelCase[],
): readonly { readonly name: string; readonly cases: ReadonlyMap<string, number> }[] {
  return SYSTEMD_MACHINES.map(({ name, cases }) => ({
    name,
    cases: new Map(wanted.flatMap((one, place) => (cases.includes(one) ? [[one.name, place] as const] : []))),
  })).filter(({ cases }) => cases.size > 0);
}
