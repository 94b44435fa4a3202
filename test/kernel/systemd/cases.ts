import type { KernelCase } from '../guest/result.ts';
import { CONTAINERD_CASES } from './containerd-cases.ts';
import { MACHINE_CASES } from './machine-cases.ts';
import { PACKAGE_CASES } from './package-cases.ts';
import { RESET_CASES } from './reset-cases.ts';
import { SERVICE_CASES } from './service-cases.ts';
import { WRITER_CASES } from './writer-cases.ts';

/** All that is tried in the machine with systemd, in this order. */
const SYSTEMD_CASES: readonly KernelCase[] = [
  ...MACHINE_CASES,
  ...RESET_CASES,
  ...WRITER_CASES,
  ...CONTAINERD_CASES,
  ...PACKAGE_CASES,
  ...SERVICE_CASES,
];

/** Those with a text in their names, which is nothing for all of them. */
export function systemdCases(wanted: string): readonly KernelCase[] {
  return SYSTEMD_CASES.filter(({ name }) => new RegExp(wanted).test(name));
}
