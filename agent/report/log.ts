import winston from 'winston';

export interface LogTarget {
  readonly stream: NodeJS.WritableStream;
  /** The journal keeps time and level itself: lines get its `<N>` prefix and nothing else. */
  readonly underJournal: boolean;
  readonly level: string;
}

/**
 * A logger with syslog's levels, which are also journald's numbers (emerg 0 to debug 7). On a terminal or in a file a line
 * is `level: message`, since the one-shot commands' lines are read where they were asked for.
 */
export function createLog(target: LogTarget): winston.Logger {
  const levels = winston.config.syslog.levels;
  const line = winston.format.printf(({ level, message }) => {
    const text = String(message).replaceAll('\n', ' ');
    return target.underJournal ? `<${levels[level] ?? 6}>${text}` : `${level}: ${text}`;
  });
  // winston's own types name the instance by an interface that the class does not state.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
  const stream: winston.transport = new winston.transports.Stream({ stream: target.stream, eol: '\n' });
  return winston.createLogger({
    levels,
    level: target.level,
    format: line,
    transports: [stream],
  });
}
