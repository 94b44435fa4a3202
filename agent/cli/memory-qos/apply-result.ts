import type { Outcome, WriteResult } from '../../../cgroup/apply.ts';
import { isPermission } from '../../../cgroup/disk/system-error.ts';
import type { LimitWriter } from '../../../cgroup/limit-port.ts';
import type { PlanEntry } from '../../../cgroup/plan.ts';
import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import { EXIT, type ExitStatus } from '../../exit.ts';
import { visible } from '../../report/visible.ts';
import type { Io } from '../console/io.ts';
import { drawTable, type OutputFormat, printDocument, shortened } from '../console/print.ts';

/** A plan's entry and what became of it; both are absent in a dry run. `error` is null where it was written. */
interface ApplyEntry extends PlanEntry {
  readonly outcome?: Outcome;
  readonly error?: string | null;
  /** Through whom it was written, where there is more than one way. */
  readonly writer?: LimitWriter;
  /** Why it was written directly although it is wanted through systemd. */
  readonly because?: string;
}

/** The document of `apply` and `reset`. */
export interface ApplyResult {
  readonly apiVersion: typeof API_VERSION;
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
    apiVersion: API_VERSION,
    kind: 'ApplyResult',
    dryRun: false,
    entries: results.map(({ write, outcome, error, writer, because }) => ({
      ...{ ...write, outcome, error },
      ...(writer === undefined ? {} : { writer }),
      ...(because === undefined ? {} : { because }),
    })),
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
    apiVersion: API_VERSION,
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
  const failed = result.entries.filter(({ outcome }) => outcome === 'failed').length;
  if (failed > 0) {
    io.warn(`${failed} of ${result.entries.length} writes failed; their errors are in the output`);
  }
  const direct = directWrites(result);
  if (direct !== undefined) io.warn(direct);
  printDocument(io, format, result, () => resultTable(result));
}

/** How many values did not go through systemd although they should have, and why; undefined where none did so. */
function directWrites({ entries }: ApplyResult): string | undefined {
  const reasons = entries.flatMap(({ because }) => (because === undefined ? [] : [because]));
  const [first, ...others] = new Set(reasons);
  if (first === undefined) return undefined;
  const more =
    others.length === 0 ? '' : `; and for ${others.length} more reasons, which are in the output as JSON`;
  return `${reasons.length} of ${entries.length} values were written directly and not through systemd: ${first}${more}`;
}

/** The longest name that a row shows whole, so that a table fits 100 columns; JSON has the paths. */
const NAME_COLUMNS = 44;

function resultTable(result: ApplyResult): string {
  const rows = result.entries.map((entry) => [
    entry.outcome ?? 'would write',
    shortened(nameOf(entry), NAME_COLUMNS),
    entry.file,
    entry.current === null ? `-> ${entry.desired}` : `${entry.current} -> ${entry.desired}`,
  ]);
  const table = rows.length === 0 ? '' : drawTable(['OUTCOME', 'WHAT', 'FILE', 'CHANGE'], rows);
  const errors = new Set(result.entries.flatMap(({ error }) => (typeof error === 'string' ? [error] : [])));
  const sums = Object.entries(result.summary).map(([name, count]) => `${count} ${SUM_WORDS[name] ?? name}`);
  return `${[table, ...[...errors].map((error) => `${visible(error)}\n`)].join('')}${sums.join(', ')}\n`;
}

/** Counts of the summary that are no word by themselves after a number. */
const SUM_WORDS: Readonly<Record<string, string>> = { write: 'to write', keep: 'kept' };

/** The pod and container where they are known, else the cgroup's own name. */
function nameOf({ namespace, pod, container, cgroup }: ApplyEntry): string {
  if (pod !== null) {
    return [`${namespace ?? ''}/${pod}`, ...(container === null ? [] : [container])].join(' ');
  }
  return cgroup?.slice(cgroup.lastIndexOf('/') + 1) ?? '';
}

/** The exit status for what became of writes; what is missing or has vanished is no failure. */
export function statusOfResults(results: readonly WriteResult<unknown>[]): ExitStatus {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  return statusOfFailures(
    failed.map(({ code }) => code),
    results.some(({ outcome }) => outcome === 'written'),
  );
}

/**
 * The exit status for the system's codes of what failed: 0 without any, 77 when nothing at all could be written for lack of
 * permission, else 74.
 */
export function statusOfFailures(codes: readonly (string | undefined)[], hasWritten: boolean): ExitStatus {
  if (codes.length === 0) return EXIT.ok;
  return !hasWritten && codes.every(isPermission) ? EXIT.notPermitted : EXIT.ioError;
}
