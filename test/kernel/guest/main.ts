// Runs in the test machine: every case, one after the other, a line of JSON for each to the host.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { kernelCases } from './cases.ts';
import { enterSystemSlice } from './machine.ts';
import type { CaseResult, KernelCase } from './result.ts';

/** Put in when the cases are bundled: a part of their names, or nothing for all of them. */
declare const WANTED_CASES: string;

const RESULTS = '/dev/ttyS1';
/** A case that hangs must not keep the others from being tried. */
const LONGEST_CASE_MS = 240_000;

async function resultOf(one: KernelCase): Promise<CaseResult> {
  const notes: string[] = [];
  const startMs = performance.now();
  const error = await errorOf(one, (note) => notes.push(note));
  const ms = Math.round(performance.now() - startMs);
  return {
    case: one.name,
    passed: error === undefined,
    ms,
    notes,
    ...(error === undefined ? {} : { error }),
  };
}

async function errorOf(one: KernelCase, notes: (note: string) => void): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error('the case did not come to its end in time'));
      }, LONGEST_CASE_MS);
    });
    await Promise.race([one.run(notes), tooLong]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(timer);
  }
}

async function runCases(): Promise<boolean> {
  enterSystemSlice();
  const results = openSync(RESULTS, 'w');
  let passed = true;
  const commandLine = readFileSync('/proc/cmdline', 'utf8');
  const next = Number(/ next_case=(\d+)/.exec(commandLine)?.[1] ?? 0);
  for (const one of kernelCases(WANTED_CASES).slice(next)) {
    const result = await resultOf(one);
    passed = passed && result.passed;
    console.log(`${result.passed ? 'ok' : 'FAILED'} ${one.name} (${result.ms} ms)\n${result.error ?? ''}`);
    writeSync(results, `${JSON.stringify(result)}\n`);
  }
  closeSync(results);
  return passed;
}

process.exit((await runCases()) ? 0 : 1);
