// Runs in the test machine: every case, one after the other, a line of JSON for each to the host.
import { kernelCases } from './cases.ts';
import { enterSystemSlice } from './machine.ts';
import { runCases } from './run-cases.ts';

/** Put in when the cases are bundled: a part of their names, or nothing for all of them. */
declare const WANTED_CASES: string;

enterSystemSlice();
process.exit((await runCases(kernelCases(WANTED_CASES))) ? 0 : 1);
