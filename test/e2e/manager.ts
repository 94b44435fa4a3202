import { DatagramReceiver } from '../fakes/datagram-receiver.ts';
import type { RunningNodeqos } from '../fakes/running-nodeqos.ts';

/** What a service manager is told, as it comes. */
export class Manager {
  readonly receiver: DatagramReceiver;
  readonly socket: string;
  readonly told: string[] = [];

  constructor(socket: string) {
    this.socket = socket;
    this.receiver = new DatagramReceiver(socket);
  }

  /** Waits for a message after the first `from`; gives where it was. */
  async hears(agent: RunningNodeqos, what: RegExp, from = 0): Promise<number> {
    const found = (): number => this.listen().findIndex((text, at) => at >= from && what.test(text));
    await agent.until(() => found() >= 0, `the manager is told ${String(what)}: ${this.told.join(' | ')}`);
    return found();
  }

  listen(): readonly string[] {
    this.told.push(...this.receiver.received());
    return this.told;
  }
}
