import type { Logger } from 'winston';
import { isJournalStream } from '../../report/log/journal-stream.ts';
import { visible } from '../../report/visible.ts';
import type { Io } from './io.ts';
import { neverWait, type UnhurriedStream } from './never-wait.ts';

/** An Io with an end: what was handed to the logger is written before the process goes. */
export interface ProcessIo extends Io {
  close(): Promise<LastWords>;
}

/** What became of the output at the end. */
interface LastWords {
  /** The system's code where stdout could not be written, as on a full disk; a reader that went away is no fault. */
  readonly fault: string | undefined;
  /** False where a reader does not take what is left, and would keep the process from ending. */
  readonly areTaken: boolean;
}

/**
 * The real outside of a command: the process' own streams, and a logger for warnings that is loaded only when there is
 * one to give. A stream that fails (`| head`, a full disk) ends the output and never the command: `apply` whose words nobody
 * reads must still do its work and give its own status.
 */
export function processIo(owner: NodeJS.Process): ProcessIo {
  const stop = new AbortController();
  const said = new Set<string>();
  let logging: Promise<Logger> | undefined;

  const readerGone = new AbortController();
  const failed = new Map<NodeJS.WriteStream, string>();
  for (const stream of [owner.stdout, owner.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!failed.has(stream)) failed.set(stream, error.code ?? error.message);
      if (stream === owner.stdout) readerGone.abort();
    });
  }
  const unhurried = new Map<NodeJS.WriteStream, UnhurriedStream>();
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (!failed.has(stream)) (unhurried.get(stream) ?? stream).write(text);
  };
  return {
    out: (text) => {
      write(owner.stdout, text);
    },
    // What is said after a warning is written after it, though the logger may still be loading.
    err: (text) => {
      if (logging === undefined) write(owner.stderr, text);
      else
        void logging.then(() => {
          write(owner.stderr, text);
        });
    },
    readerGone: readerGone.signal,
    neverWait: () => {
      for (const stream of [owner.stdout, owner.stderr]) unhurried.set(stream, neverWait(stream));
    },
    warn: (message) => {
      if (said.has(message)) return;
      said.add(message);
      logging ??= import('../../report/log/log.ts').then(({ createLog }) =>
        createLog({ stream: owner.stderr, underJournal: isJournalStream(owner.env, 2), level: 'info' }),
      );
      void logging.then((log) => {
        if (!failed.has(owner.stderr)) log.warning(visible(message));
      });
    },
    isTerminal: owner.stdout.isTTY,
    isErrTerminal: owner.stderr.isTTY,
    // A terminal changes its size while it is watched.
    get columns() {
      return owner.stdout.isTTY ? owner.stdout.columns : 100;
    },
    get rows() {
      return owner.stdout.isTTY ? owner.stdout.rows : 24;
    },
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
      const open = [...unhurried].filter(([stream]) => !failed.has(stream));
      const taken = await Promise.all(open.map(([, writer]) => writer.end()));
      // What was written last is only known to have failed once the stream has tried.
      await new Promise((resolve) => setImmediate(resolve));
      const code = failed.get(owner.stdout);
      return { fault: code === 'EPIPE' ? undefined : code, areTaken: !taken.includes(false) };
    },
  };
}
