import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { CaseResult, KernelCase } from './result.ts';

const RESULTS = '/dev/ttyS1';
/** A case that hangs must not keep the others from being tried. */
const LONGEST_CASE_MS = 240_000;

/**
 * Runs those cases that the kernel was started for, one after the other, a line of JSON for each to the host. Gives whether
 * all of them passed.
 */
export async function runCases(cases: readonly KernelCase[]): Promise<boolean> {
  const results = openSync(RESULTS, 'w');
  let passed = true;
  const commandLine = readFileSync('/proc/cmdline', 'utf8');
  const places = / cases=([\d,]*)/.exec(commandLine)?.[1]?.split(',').map(Number) ?? [];
  for (const one of cases.filter((_, place) => places.includes(place))) {
    const result = await resultOf(one);
    passed = passed && result.passed;
    console.log(`${result.passed ? 'ok' : 'FAILED'} ${one.name} (${result.ms} ms)\n${result.error ?? ''}`);
    writeSync(results, `${JSON.stringify(result)}\n`);
  }
  closeSync(results);
  return passed;
}

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
