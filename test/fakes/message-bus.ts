import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Message, type MessageBus, sessionBus, Variant } from '@jellybrick/dbus-next';

/** A bus on which everybody may do everything. */
function configuration(socket: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=${socket}</listen>
  <policy context="default">
    <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/>
  </policy>
</busconfig>`;
}

/** Whether this machine has a message bus to try things on. */
export const HAS_BUS = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'dbus-daemon')));

/** A real message bus of one's own. */
export class RunningBus {
  readonly socket: string;
  readonly #folder: string;
  readonly #peers: MessageBus[] = [];
  #daemon: ChildProcess | undefined;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'nodeqos-bus-'));
    this.socket = join(this.#folder, 'socket');
    writeFileSync(join(this.#folder, 'bus.conf'), configuration(this.socket));
  }

  async start(): Promise<void> {
    const args = ['--nofork', '--print-address', `--config-file=${join(this.#folder, 'bus.conf')}`];
    this.#daemon = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const { stdout } = this.#daemon;
    if (stdout === null) throw new Error('the bus has no output');
    await once(createInterface({ input: stdout }), 'line');
  }

  /** Ends it, with every connection. */
  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (daemon === undefined) return;
    const ended = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await ended;
    rmSync(this.socket, { force: true });
  }

  /** Nobody on it is answered until it is told to go on. */
  freeze(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#daemon?.kill(signal);
  }

  /** A peer that owns a name and answers calls. */
  async peer(name: string, answer: (call: Message) => Message): Promise<void> {
    const bus = sessionBus({ busAddress: `unix:path=${this.socket}` });
    (bus as NodeJS.EventEmitter).on('error', () => undefined);
    this.#peers.push(bus);
    await once(bus, 'connect');
    bus.addMethodHandler((call) => {
      bus.send(answer(call));
      return true;
    });
    await bus.requestName(name);
  }

  async remove(): Promise<void> {
    for (const peer of this.#peers) peer.disconnect();
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const SYSTEMD = 'org.freedesktop.systemd1';
const ERRORS = 'org.freedesktop.DBus.Error';

/** systemd as far as nodeqos speaks to it, with what it was asked to set. */
export class FakeSystemd {
  readonly set: unknown[] = [];
  /** An error that SetUnitProperties answers with, by name. */
  refusal: string | undefined;
  readonly #units = new Map<string, Readonly<Record<string, Variant>>>();

  with(unit: string, properties: Readonly<Record<string, Variant>>): this {
    this.#units.set(unit, properties);
    return this;
  }

  async on(bus: RunningBus): Promise<this> {
    await bus.peer(SYSTEMD, (call) => this.#answer(call));
    return this;
  }

  #answer(call: Message): Message {
    const [first, second, third] = call.body;
    switch (`${call.interface}.${call.member}`) {
      case `${SYSTEMD}.Manager.GetUnit`:
        return this.#units.has(String(first))
          ? Message.newMethodReturn(call, 'o', [`/unit/${pathOf(String(first))}`])
          : Message.newError(call, `${SYSTEMD}.NoSuchUnit`, `Unit ${String(first)} not loaded.`);
      case `${SYSTEMD}.Manager.SetUnitProperties`:
        if (this.refusal !== undefined) return Message.newError(call, this.refusal, 'the reason');
        this.set.push([first, second, third]);
        return Message.newMethodReturn(call);
      case 'org.freedesktop.DBus.Properties.Get':
        return Message.newMethodReturn(call, 'v', [new Variant('s', '252')]);
      case 'org.freedesktop.DBus.Properties.GetAll':
        return this.#properties(call, String(first));
      default:
        return Message.newError(call, `${ERRORS}.UnknownMethod`, 'no such method');
    }
  }

  /** A unit has the properties of its cgroup at the interface of its kind. */
  #properties(call: Message, of: string): Message {
    const [unit, properties] = [...this.#units].find(([name]) => call.path === `/unit/${pathOf(name)}`) ?? [
      '',
      {},
    ];
    const kind = unit.endsWith('.scope') ? 'Scope' : 'Slice';
    return of === `${SYSTEMD}.${kind}`
      ? Message.newMethodReturn(call, 'a{sv}', [properties])
      : Message.newError(call, `${ERRORS}.UnknownInterface`, `no ${of}`);
  }
}

function pathOf(unit: string): string {
  return unit.replaceAll(/[^A-Za-z0-9]/g, '_');
}
