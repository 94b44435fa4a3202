import type { Outcome, WriteResult } from '../../cgroup/apply.ts';
import { isPermission } from '../../cgroup/disk/system-error.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import type { Warning } from '../../cgroup/warning.ts';
import { EXIT, type ExitStatus } from '../exit.ts';
import type { Io } from './io.ts';
import { drawTable, type OutputFormat, printDocument } from './print.ts';

/** A plan's entry and what became of it; both are absent in a dry run. `error` is null where it was written. */
export interface ApplyEntry extends PlanEntry {
  readonly outcome?: Outcome;
  readonly error?: string | null;
}

/** The document of `apply` and `reset`. */
export interface ApplyResult {
  readonly apiVersion: 'nodeqos.dev/v1alpha1';
  readonly kind: 'ApplyResult';
  readonly dryRun: boolean;
  readonly entries: readonly ApplyEntry[];
  readonly summary: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
}

/** Makes the document; `others` are counts of what needed no write. */
export function applyResult(
  results: readonly WriteResult<PlanEntry>[],
  others: Readonly<Record<string, number>>,
  warnings: readonly Warning[],
): ApplyResult {
  const count = (outcome: Outcome): number => results.filter((result) => result.outcome === outcome).length;
  return {
    apiVersion: 'nodeqos.dev/v1alpha1',
    kind: 'ApplyResult',
    dryRun: false,
    entries: results.map(({ write, outcome, error }) => ({ ...write, outcome, error })),
    summary: { written: count('written'), failed: count('failed'), vanished: count('vanished'), ...others },
    warnings,
  };
}

/** The document of a dry run: what would be written, without outcomes. */
export function dryRunResult(
  entries: readonly PlanEntry[],
  others: Readonly<Record<string, number>>,
  warnings: readonly Warning[],
): ApplyResult {
  const summary = { write: entries.length, ...others };
  return {
    apiVersion: 'nodeqos.dev/v1alpha1',
    kind: 'ApplyResult',
    dryRun: true,
    entries,
    summary,
    warnings,
  };
}

/** Prints the document; for people the writes as a table, what failed once each with its reason, and a line that sums up. */
export function printApplyResult(io: Io, format: OutputFormat, result: ApplyResult): void {
  for (const { message } of result.warnings) {
    io.warn(message);
  }
  printDocument(io, format, result, () => resultTable(result));
}

function resultTable(result: ApplyResult): string {
  const rows = result.entries.map((entry) => [
    entry.outcome ?? 'write',
    entry.cgroup ?? '',
    entry.file,
    entry.current ?? '-',
    entry.desired,
    entry.error ?? '',
  ]);
  const table =
    rows.length === 0 ? '' : drawTable(['OUTCOME', 'CGROUP', 'FILE', 'FROM', 'TO', 'WHY NOT'], rows);
  const sums = Object.entries(result.summary).map(([name, count]) => `${count} ${name}`);
  return `${table}${sums.join(', ')}\n`;
}

/**
 * The exit status: 0 when nothing failed (what is missing or has vanished is no failure), 77 when nothing at all could be
 * written for lack of permission, else 74.
 */
export function statusOfResults(results: readonly WriteResult<unknown>[]): ExitStatus {
  const failed = results.filter((result) => result.outcome === 'failed');
  if (failed.length === 0) {
    return EXIT.ok;
  }
  const isPermitted = results.some((result) => result.outcome === 'written');
  return !isPermitted && failed.every((result) => isPermission(result.code))
    ? EXIT.notPermitted
    : EXIT.ioError;
}
