import winston from 'winston';

export interface LogTarget {
  readonly stream: NodeJS.WritableStream;
  /** The journal keeps time and level itself: lines get its `<N>` prefix and nothing else. */
  readonly underJournal: boolean;
  /** The least important of syslog's levels that is written. */
  readonly level: string;
  /** Lines of an agent begin with their time: `info.wallMs`, in milliseconds since the epoch. */
  readonly dated?: boolean;
  /** The level is coloured: only on a terminal, and not with NO_COLOR. */
  readonly coloured?: boolean;
}

/**
 * A logger with syslog's levels, which are also journald's numbers (emerg 0 to debug 7). On a terminal or in a file a line
 * is `level: message`, since the one-shot commands' lines are read where they were asked for; an agent's are dated.
 */
export function createLog(target: LogTarget): winston.Logger {
  const levels = winston.config.syslog.levels;
  const line = winston.format.printf((info) => {
    const { level, message } = info;
    const text = String(message).replaceAll('\n', ' ');
    if (target.underJournal) return `<${levels[level] ?? 6}>${text}`;
    const wallMs = info['wallMs'];
    const time =
      target.dated === true && typeof wallMs === 'number' ? `${new Date(wallMs).toISOString()} ` : '';
    return `${time}${target.coloured === true ? inColour(level) : level}: ${text}`;
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

/** SGR colours: red for what failed, yellow for what may, bold for what was done. */
function inColour(level: string): string {
  const code = COLOURS.get(level);
  return code === undefined ? level : `\u001b[${code}m${level}\u001b[0m`;
}

const COLOURS: ReadonlyMap<string, number> = new Map([
  ['crit', 31],
  ['error', 31],
  ['warning', 33],
  ['notice', 1],
]);
