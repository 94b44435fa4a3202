/** What a command may do to the outside besides its files: data to `out`, everything for people to `err` or `warn`. */
export interface Io {
  /** Writes data to stdout, as it is. */
  out(text: string): void;
  /** Writes to stderr, as it is. */
  err(text: string): void;
  /** One warning for a person, on stderr; said once however often it is given. */
  warn(message: string): void;
  /** Whether stdout is a terminal that a person reads: colour and progress only then. */
  readonly isTerminal: boolean;
  /** Whether stderr is a terminal, where progress can be shown; absent: it is not. */
  readonly isErrTerminal?: boolean;
  /** Width of the terminal, or 100 where there is none. */
  readonly columns: number;
  /** Height of the terminal, or 24 where there is none; absent: as 24. */
  readonly rows?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted at SIGINT and SIGTERM: long commands end tidily. */
  readonly signal: AbortSignal;
  /** Aborted when stdout can no longer be written: what only talks, such as watching, has nobody to talk to. */
  readonly readerGone?: AbortSignal;
  /** From now on nothing waits for a reader: what is not taken in time is dropped. For what must go on, whoever reads. */
  neverWait?(): void;
}
