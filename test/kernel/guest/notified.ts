import { mkdtempSync } from 'node:fs';
import { DatagramReceiver } from '../../fakes/datagram-receiver.ts';
import { until } from './machine.ts';

/** A service manager that an agent tells how it is. */
export class Notified {
  readonly #address = `${mkdtempSync('/run/notify-')}/socket`;
  readonly #receiver = new DatagramReceiver(this.#address);
  readonly #said: string[] = [];

  /** What the agent has to find in its environment; a sign of life is wanted as often as that. */
  env(watchdogMs: number): Readonly<Record<string, string>> {
    return { NOTIFY_SOCKET: this.#address, WATCHDOG_USEC: String(watchdogMs * 1000) };
  }

  /** Everything that was said since it was asked for last. */
  news(): readonly string[] {
    this.#receive();
    return this.#said.splice(0);
  }

  /** Waits until something is said that holds the text; what was said before it is gone. */
  async says(text: string): Promise<void> {
    await until(() => {
      this.#receive();
      return this.#said.some((one) => one.includes(text));
    }, `an agent that says ${text}`);
    this.#said.splice(0, this.#said.findIndex((one) => one.includes(text)) + 1);
  }

  close(): void {
    this.#receiver.close();
  }

  #receive(): void {
    this.#said.push(...this.#receiver.received());
  }
}
