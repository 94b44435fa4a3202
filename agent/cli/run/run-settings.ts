import { parseListen } from '../../../config/nodeqos/listen-address.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { parseDuration } from '../../../config/numbers/duration.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { InputArguments } from '../inputs/node-setup.ts';

/** What `run` is started with. */
export interface RunArguments extends InputArguments {
  readonly dryRun: boolean;
  readonly enforce: boolean;
  readonly once: boolean;
  readonly auditLog?: string | undefined;
  readonly interval?: string | undefined;
  readonly listen?: string | undefined;
}

/** nodeqos.yaml with what the command line says instead. Throws Failure 64. */
export function settingsInForce(nodeqos: NodeQosSettings, args: RunArguments): NodeQosSettings {
  const { intervalMs, minIntervalMs } = nodeqos.loop;
  const interval = args.interval === undefined ? intervalMs : intervalOf(args.interval);
  return {
    ...nodeqos,
    mode: modeOf(nodeqos, args),
    loop: { intervalMs: interval, minIntervalMs: Math.min(minIntervalMs, interval) },
    audit: { ...nodeqos.audit, ...(args.auditLog === undefined ? {} : { file: args.auditLog }) },
    listen: args.listen === undefined ? nodeqos.listen : listenOf(args.listen),
  };
}

function modeOf(nodeqos: NodeQosSettings, { dryRun, enforce }: RunArguments): NodeQosSettings['mode'] {
  if (dryRun && enforce) {
    throw new Failure(EXIT.usage, '--dry-run and --enforce exclude each other; give one of them, or neither');
  }
  if (dryRun) return 'dry-run';
  return enforce ? 'enforce' : nodeqos.mode;
}

function intervalOf(text: string): number {
  const duration = parseDuration(text);
  if (!duration.ok) throw new Failure(EXIT.usage, `--interval ${text}: ${duration.message}`);
  if (duration.value >= SHORTEST_INTERVAL_MS && duration.value <= LONGEST_INTERVAL_MS) return duration.value;
  throw new Failure(EXIT.usage, `--interval ${text}: give a duration from 10ms to 1h, such as 1s`);
}

function listenOf(text: string): string {
  const address = parseListen(text);
  if (!address.ok) throw new Failure(EXIT.usage, `--listen ${address.message}`);
  return text;
}

const SHORTEST_INTERVAL_MS = 10;
const LONGEST_INTERVAL_MS = 3_600_000;
