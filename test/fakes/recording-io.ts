import type { Io } from '../../agent/cli/console/io.ts';

/** An Io that keeps what it is given. */
export class RecordingIo implements Io {
  stdout = '';
  stderr = '';
  readonly warnings: string[] = [];
  readonly isTerminal = false;
  readonly columns = 100;
  readonly env = {};
  readonly stop = new AbortController();
  readonly signal = this.stop.signal;

  out(text: string): void {
    this.stdout += text;
  }

  err(text: string): void {
    this.stderr += text;
  }

  warn(message: string): void {
    this.warnings.push(message);
  }
}
