import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadNative } from '../../../agent/native/load-native.ts';
import type { Native, NativeResult } from '../../../agent/native/native.ts';
import type { ServiceManager } from '../../../agent/ports.ts';
import { serviceManager } from '../../../agent/report/sd-notify.ts';
import { DatagramReceiver } from '../../fakes/datagram-receiver.ts';

const SOCKET = '/run/systemd/notify';
const LACK = { lack: 'the library koffi is not installed beside nodeqos' };

/** A native part whose socket takes datagrams until it is told not to. */
class FakeSocket implements Native {
  readonly sent: string[] = [];
  isFull = false;

  pidfdOpen(): NativeResult<number> {
    return { ok: false, code: 'ENOSYS' };
  }

  pidfdSendSignal(): NativeResult<void> {
    return { ok: false, code: 'ENOSYS' };
  }

  armPressureTrigger(): { readonly ok: false; readonly code: string } {
    return { ok: false, code: 'ENOSYS' };
  }

  sendDatagram(address: string, text: string): NativeResult<void> {
    if (this.isFull) return { ok: false, code: 'EAGAIN' };
    this.sent.push(`${address} ${text}`);
    return { ok: true, value: undefined };
  }
}

function sayAll(manager: ServiceManager): void {
  manager.ready('looking after 3 pods');
  manager.reloading(123_456_789n);
  manager.status('MemoryPressure');
  manager.watchdog();
  manager.stopping();
}

describe('the service manager', () => {
  it('is told in its own words', () => {
    const socket = new FakeSocket();
    const manager = serviceManager({ NOTIFY_SOCKET: SOCKET }, socket);
    sayAll(manager);
    expect(manager.lack).toBeUndefined();
    expect(socket.sent).toEqual([
      `${SOCKET} READY=1\nSTATUS=looking after 3 pods`,
      `${SOCKET} RELOADING=1\nMONOTONIC_USEC=123456789`,
      `${SOCKET} STATUS=MemoryPressure`,
      `${SOCKET} WATCHDOG=1`,
      `${SOCKET} STOPPING=1`,
    ]);
  });

  it('gets a status as one line, so that nothing in it is an order', () => {
    const socket = new FakeSocket();
    const manager = serviceManager({ NOTIFY_SOCKET: SOCKET }, socket);
    manager.status('evicted ns/a\nMAINPID=1\r\n\0b');
    manager.ready('x\nERRNO=2');
    expect(socket.sent).toEqual([
      `${SOCKET} STATUS=evicted ns/a MAINPID=1 b`,
      `${SOCKET} READY=1\nSTATUS=x ERRNO=2`,
    ]);
  });

  it('gets later, and in order, what its full socket did not take, but for signs of life and old statuses', () => {
    const socket = new FakeSocket();
    const manager = serviceManager({ NOTIFY_SOCKET: SOCKET }, socket);
    socket.isFull = true;
    manager.status('one');
    manager.ready('two');
    manager.watchdog();
    manager.reloading(1n);
    manager.status('three');
    manager.status('four');
    socket.isFull = false;
    expect(socket.sent).toEqual([]);
    manager.watchdog();
    expect(socket.sent).toEqual([
      `${SOCKET} READY=1\nSTATUS=two`,
      `${SOCKET} RELOADING=1\nMONOTONIC_USEC=1`,
      `${SOCKET} STATUS=four`,
      `${SOCKET} WATCHDOG=1`,
    ]);
  });

  it('gets the last words only, when it has not listened for long', () => {
    const socket = new FakeSocket();
    const manager = serviceManager({ NOTIFY_SOCKET: SOCKET }, socket);
    socket.isFull = true;
    for (let count = 1n; count <= 20n; count += 1n) manager.reloading(count);
    socket.isFull = false;
    manager.stopping();
    expect(socket.sent).toEqual([
      ...[14, 15, 16, 17, 18, 19, 20].map((count) => `${SOCKET} RELOADING=1\nMONOTONIC_USEC=${count}`),
      `${SOCKET} STOPPING=1`,
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['nobody asked to be told', {}],
    ['the socket is empty', { NOTIFY_SOCKET: '' }],
  ])('is not told anything where %s, and nothing is lacking', (_, env) => {
    const socket = new FakeSocket();
    for (const native of [socket, LACK]) {
      const manager = serviceManager({ ...env, WATCHDOG_USEC: '30000000' }, native);
      sayAll(manager);
      expect([manager.lack, manager.watchdogMs]).toEqual([undefined, undefined]);
    }
    expect(socket.sent).toEqual([]);
  });

  it('cannot be told without the native part, which is said', () => {
    const manager = serviceManager({ NOTIFY_SOCKET: SOCKET, WATCHDOG_USEC: '30000000' }, LACK);
    sayAll(manager);
    expect(manager.lack).toBe(
      'the service manager waits for news and cannot be told any: the library koffi is not installed beside nodeqos',
    );
    expect(manager.watchdogMs).toBe(30_000);
  });

  it('cannot be told over another kind of socket, which is said', () => {
    const socket = new FakeSocket();
    const manager = serviceManager({ NOTIFY_SOCKET: 'vsock:2:1234' }, socket);
    sayAll(manager);
    expect(manager.lack).toBe(
      'NOTIFY_SOCKET is "vsock:2:1234", which is no Unix socket: the service manager is told nothing',
    );
    expect(socket.sent).toEqual([]);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['never, when there is no watchdog', {}, undefined],
    ['every 30 s', { WATCHDOG_USEC: '30000000' }, 30_000],
    [
      'every 30 s, when the watchdog is for this process',
      { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '42' },
      30_000,
    ],
    ['never, when it is for another process', { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '43' }, undefined],
    ['every 30 s, when nobody is named', { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '' }, 30_000],
    ['every half millisecond', { WATCHDOG_USEC: '500' }, 0.5],
    ['never, when the time is none', { WATCHDOG_USEC: '0' }, undefined],
    ['never, when the time is junk', { WATCHDOG_USEC: '30s' }, undefined],
    ['never, when the time is negative', { WATCHDOG_USEC: '-1' }, undefined],
    ['never, when the time is empty', { WATCHDOG_USEC: '' }, undefined],
  ])('wants a sign of life %s', (_, env, expected) => {
    expect(serviceManager({ NOTIFY_SOCKET: SOCKET, ...env }, new FakeSocket(), 42).watchdogMs).toBe(expected);
  });
});

describe('a real socket', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-notify-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['by its path', (): string => join(folder, 'notify')],
    ['by its abstract name', (): string => `@nodeqos-notify-${process.pid}`],
  ])('gets one datagram a message, %s', async (_, address) => {
    const receiver = new DatagramReceiver(address());
    sayAll(serviceManager({ NOTIFY_SOCKET: address() }, await loadNative()));
    expect(receiver.received()).toEqual([
      'READY=1\nSTATUS=looking after 3 pods',
      'RELOADING=1\nMONOTONIC_USEC=123456789',
      'STATUS=MemoryPressure',
      'WATCHDOG=1',
      'STOPPING=1',
    ]);
    receiver.close();
  });
});
