/** What may wait for a reader; beyond it lines are dropped, since memory is what the node is short of. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** At the end, how long a reader may take for what still waits. */
const LAST_WORDS_MS = 1000;

/** A stream whose writer never waits for its reader. */
export interface UnhurriedStream {
  write(text: string): void;
  /** Resolves when all was taken, or after a while; then with false. */
  end(): Promise<boolean>;
}

/**
 * Writes to a stream without ever waiting for its reader, and without keeping all that it does not take: a journal that is
 * starved itself must neither stop the agent nor have it take the memory that the node is short of. What is too much is
 * dropped and counted.
 */
export function neverWait(stream: NodeJS.WriteStream): UnhurriedStream {
  let lost = 0;
  return {
    write: (text) => {
      if (stream.writableLength > MOST_WAITING_BYTES) {
        lost += 1;
        return;
      }
      const missed = lost === 0 ? '' : `${lost} lines before this one were not taken and are lost\n`;
      lost = 0;
      stream.write(`${missed}${text}`);
    },
    end: async () => {
      if (stream.writableLength > 0) await takenOrLate(stream);
      return stream.writableLength === 0;
    },
  };
}

function takenOrLate(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LAST_WORDS_MS);
    stream.write('', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
