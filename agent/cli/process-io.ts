import { fstatSync } from 'node:fs';
import type { Logger } from 'winston';
import type { Io } from './io.ts';
import { visible } from './print.ts';

/** An Io with an end: what was handed to the logger is written before the process goes. */
export interface ProcessIo extends Io {
  close(): Promise<void>;
}

/**
 * The real outside of a command: the process' own streams, and a logger for warnings that is loaded only when there is
 * one to give. A reader that goes away (`| head`) ends the output, not the program with an error.
 */
export function processIo(owner: NodeJS.Process): ProcessIo {
  const stop = new AbortController();
  const said = new Set<string>();
  let logging: Promise<Logger> | undefined;

  for (const stream of [owner.stdout, owner.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') owner.exit(0);
      throw error;
    });
  }
  return {
    out: (text) => void owner.stdout.write(text),
    // What is said after a warning is written after it, though the logger may still be loading.
    err: (text) => {
      if (logging === undefined) owner.stderr.write(text);
      else void logging.then(() => owner.stderr.write(text));
    },
    warn: (message) => {
      if (said.has(message)) return;
      said.add(message);
      logging ??= import('../report/log.ts').then(({ createLog }) =>
        createLog({ stream: owner.stderr, underJournal: isJournal(owner), level: 'info' }),
      );
      void logging.then((log) => log.warning(visible(message)));
    },
    isTerminal: owner.stdout.isTTY,
    columns: owner.stdout.isTTY ? owner.stdout.columns : 100,
    env: owner.env,
    // A signal is caught only for a command that asked to be told of it, and only once: any other ends as usual.
    get signal() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) {
        if (owner.listenerCount(name) === 0)
          owner.once(name, () => {
            stop.abort(name);
          });
      }
      return stop.signal;
    },
    close: async () => {
      (await logging)?.end();
    },
  };
}

/** Whether stderr is the journal's own socket (sd_journal: JOURNAL_STREAM holds its device and inode). */
function isJournal(owner: NodeJS.Process): boolean {
  const stream = owner.env['JOURNAL_STREAM'];
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(2);
  return stream === `${dev}:${ino}`;
}
