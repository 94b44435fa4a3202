import type { EventSink } from '../ports.ts';

export interface AuditOptions {
  readonly file: string;
  /** In bytes; a file that a record would make larger is put aside first. */
  readonly maxBytes: bigint;
  /** How many files that were put aside are kept: FILE.1 is the latest. */
  readonly keep: number;
}

/** Why records cannot be written, said once per change; `over` when they can again. */
export interface AuditTrouble {
  readonly sentence: string;
  readonly over: boolean;
}

/** The audit log: one JSON object a line, with the system before event() resolves. */
export function openAuditFile(
  _options: AuditOptions,
  _onTrouble: (trouble: AuditTrouble) => void,
): EventSink & { close(): Promise<void> } {
  throw new Error('not there yet');
}
