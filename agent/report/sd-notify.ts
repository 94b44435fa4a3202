import { isNative, type Native, type NativeLack } from '../native/native.ts';
import type { ServiceManager } from '../ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const US_PER_MS = 1000;
/** A manager that takes nothing for so long is not there; only the latest words are of use if it comes back. */
const MOST_UNSENT = 8;

/**
 * The service manager that the environment names (sd_notify(3)): NOTIFY_SOCKET is where it listens, WATCHDOG_USEC how often
 * it wants a sign of life, from the process WATCHDOG_PID. Told through the native part, since Node.js has no datagrams of
 * Unix sockets. Without NOTIFY_SOCKET nobody asked, and everything is silent.
 */
export function serviceManager(
  env: Environment,
  native: Native | NativeLack,
  ownPid: number = process.pid,
): ServiceManager {
  const address = env['NOTIFY_SOCKET'];
  if (address === undefined || address === '') {
    return new Notifier(undefined, undefined, () => true);
  }
  const watchdogMs = watchdogOf(env, ownPid);
  const lack = lackOf(address, native);
  return new Notifier(
    lack,
    watchdogMs,
    (text) => !isNative(native) || lack !== undefined || native.sendDatagram(address, text).ok,
  );
}

function lackOf(address: string, native: Native | NativeLack): string | undefined {
  if (!isNative(native)) {
    return `the service manager waits for news and cannot be told any: ${native.lack}`;
  }
  return address.startsWith('/') || address.startsWith('@')
    ? undefined
    : `NOTIFY_SOCKET is ${JSON.stringify(address)}, which is no Unix socket: the service manager is told nothing`;
}

/** sd_watchdog_enabled(3): a watchdog that is meant for another process is none. */
function watchdogOf(env: Environment, ownPid: number): number | undefined {
  const pid = env['WATCHDOG_PID'];
  const microseconds = /^[0-9]{1,15}$/.test(env['WATCHDOG_USEC'] ?? '') ? Number(env['WATCHDOG_USEC']) : 0;
  const isMeant = pid === undefined || pid === '' || pid === String(ownPid);
  return isMeant && microseconds > 0 ? microseconds / US_PER_MS : undefined;
}

/** Words to the service manager. One that its full socket did not take is said again before the next, in order. */
class Notifier implements ServiceManager {
  readonly lack: string | undefined;
  readonly watchdogMs: number | undefined;
  readonly #send: (text: string) => boolean;
  #unsent: readonly string[] = [];

  constructor(lack: string | undefined, watchdogMs: number | undefined, send: (text: string) => boolean) {
    this.lack = lack;
    this.watchdogMs = watchdogMs;
    this.#send = send;
  }

  ready(status: string): void {
    this.#say(`READY=1\nSTATUS=${oneLine(status)}`);
  }

  /** The time goes into the same datagram: systemd orders reloads by it (Type=notify-reload). */
  reloading(monotonicUs: bigint): void {
    this.#say(`RELOADING=1\nMONOTONIC_USEC=${monotonicUs}`);
  }

  status(text: string): void {
    this.#say(`STATUS=${oneLine(text)}`);
  }

  stopping(): void {
    this.#say('STOPPING=1');
  }

  /** A sign of life is of its moment: one that was not taken is not said later. */
  watchdog(): void {
    this.#flush();
    this.#send('WATCHDOG=1');
  }

  #say(text: string): void {
    const unsent = this.#unsent.filter((waiting) => !replaces(text, waiting));
    this.#unsent = [...unsent, text].slice(-MOST_UNSENT);
    this.#flush();
  }

  #flush(): void {
    const [first, ...rest] = this.#unsent;
    if (first !== undefined && this.#send(first)) {
      this.#unsent = rest;
      this.#flush();
    }
  }
}

/** A status that was not taken is out of date when there is another; so what waits is bounded. */
function replaces(text: string, unsent: string): boolean {
  return unsent === text || (unsent.startsWith('STATUS=') && text.includes('STATUS='));
}

/** A line break in a status would begin another assignment. */
function oneLine(text: string): string {
  return text.replace(/[\n\r\0]+/g, ' ');
}
