import { AGENT_CASES } from './agent-cases.ts';
import { ANSWER_CASES } from './answer-cases.ts';
import { APPLY_CASES } from './apply-cases.ts';
import { DOCTOR_CASES } from './doctor-cases.ts';
import { DISTURBED_EVICTION_CASES, EVICTION_CASES } from './eviction-cases.ts';
import { FAKE_TREE_CASES } from './fake-tree-cases.ts';
import { LAYOUT_CASES } from './layout-cases.ts';
import { LIMIT_FILE_CASES } from './limit-file-cases.ts';
import { MEMORY_QOS_CASES } from './memory-qos-cases.ts';
import { NEGATIVE_CASES } from './negative-cases.ts';
import { PRESSURE_CASES } from './pressure-cases.ts';
import { PROMISE_CASES } from './promise-cases.ts';
import { PROMISE_EVICTION_CASES } from './promise-eviction-cases.ts';
import { PROTECTION_CASES } from './protection-cases.ts';
import type { KernelCase } from './result.ts';
import { SECOND_LOOK_CASES } from './second-look-cases.ts';
import { TREE_CASES } from './tree-cases.ts';
import { WRITE_ORDER_CASES } from './write-order-cases.ts';

/** Cases that show what nodeqos does, which is the same on each kernel, but for those that say otherwise. */
function ofOneKernel(cases: readonly KernelCase[]): readonly KernelCase[] {
  return cases.map((one) => ({ isOfOneKernel: true, ...one }));
}

/** All that is tried on kernels, in this order: first what kernels do, and what depends on it. */
const KERNEL_CASES: readonly KernelCase[] = [
  ...LIMIT_FILE_CASES,
  ...TREE_CASES,
  ...FAKE_TREE_CASES,
  ...DOCTOR_CASES,
  ...PROTECTION_CASES,
  ...MEMORY_QOS_CASES,
  ...LAYOUT_CASES,
  ...EVICTION_CASES,
  ...ofOneKernel([
    ...APPLY_CASES,
    ...WRITE_ORDER_CASES,
    ...ANSWER_CASES,
    ...PROMISE_CASES,
    ...DISTURBED_EVICTION_CASES,
    ...SECOND_LOOK_CASES,
    ...NEGATIVE_CASES,
    ...PRESSURE_CASES,
    ...PROMISE_EVICTION_CASES,
    ...AGENT_CASES,
  ]),
];

/** Those with a text in their names, which is nothing for all of them. */
export function kernelCases(wanted: string): readonly KernelCase[] {
  return KERNEL_CASES.filter(({ name }) => new RegExp(wanted).test(name));
}

/**
 * The cases of one of several kernels, each with its place among all of them: what is of one kernel goes to each in turn, so
 * that the machines, which run beside each other, have the same to do.
 */
export function casesOfKernel(
  cases: readonly KernelCase[],
  kernel: number,
  kernels: number,
): ReadonlyMap<string, number> {
  const ofOne = cases.filter(({ isOfOneKernel }) => isOfOneKernel === true);
  return new Map(
    cases.flatMap((one, place) => {
      const turn = ofOne.indexOf(one);
      return turn === -1 || turn % kernels === kernel ? [[one.name, place] as const] : [];
    }),
  );
}
