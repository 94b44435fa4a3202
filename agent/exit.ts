/** Exit statuses by their sysexits names; systemd and the man page use the same ones. */
export const EXIT = {
  ok: 0,
  /** The answer is no: invalid configuration in check, something to write in plan --check. */
  no: 1,
  usage: 64,
  badData: 65,
  noInput: 66,
  unavailable: 69,
  bug: 70,
  ioError: 74,
  tryAgain: 75,
  notPermitted: 77,
  badConfiguration: 78,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/**
 * Ends a command with a status and one sentence for a person: what is wrong, where (file, line, column), and what to do.
 * Only the command line throws and catches it; everything below gives values.
 */
export class Failure extends Error {
  readonly status: ExitStatus;

  constructor(status: ExitStatus, sentence: string) {
    super(sentence);
    this.name = 'Failure';
    this.status = status;
  }
}
