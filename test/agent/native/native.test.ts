import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostProcesses } from '../../../agent/act/evict/host-processes.ts';
import { loadNative } from '../../../agent/native/load-native.ts';
import { type ArmedTrigger, isNative, type Native } from '../../../agent/native/native.ts';
import { unixSocketAddress } from '../../../agent/native/socket-address.ts';
import { DatagramReceiver } from '../../fakes/datagram-receiver.ts';
import { RealCgroups, usableMount } from '../../fakes/real-cgroups.ts';

const PRESSURE = '/proc/pressure/cpu';
/** A window that no privilege is needed for. */
const EASY_TRIGGER = 'some 2000 2000000';
const LONGEST_EVENT_MS = 15_000;

let native: Native;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  const loaded = await loadNative();
  if (!isNative(loaded)) throw new Error(loaded.lack);
  native = loaded;
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-native-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(script: string): ChildProcess & { readonly pid: number } {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore' });
  children.push(child);
  if (child.pid === undefined) throw new Error('no shell');
  return child as ChildProcess & { readonly pid: number };
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('pidfds', () => {
  it('signal the process that they were opened for', async () => {
    const child = start('exec sleep 300');
    const ended = endOf(child);
    const pidfd = native.pidfdOpen(child.pid);
    if (!pidfd.ok) throw new Error(pidfd.code);
    expect(native.pidfdSendSignal(pidfd.value, 0)).toEqual({ ok: true, value: undefined });
    expect(native.pidfdSendSignal(pidfd.value, constants.signals.SIGTERM)).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(native.pidfdSendSignal(pidfd.value, constants.signals.SIGTERM)).toEqual({
      ok: false,
      code: 'ESRCH',
    });
    closeSync(pidfd.value);
  });

  it('are refused by name for what is no process', () => {
    expect(native.pidfdOpen(4_194_305)).toEqual({ ok: false, code: 'ESRCH' });
    expect(native.pidfdOpen(-1)).toEqual({ ok: false, code: 'EINVAL' });
    expect(native.pidfdSendSignal(-1, 0)).toEqual({ ok: false, code: 'EBADF' });
  });
});

describe.each([
  ['by pidfd', true],
  ['by PID', false],
])('a process that is held %s', (_, isHeldByPidfd) => {
  function processes(): ReturnType<typeof hostProcesses> {
    return hostProcesses(isHeldByPidfd ? native : { lack: 'not wanted' });
  }

  it('is signalled once, and gone after that', async () => {
    const before = openDescriptors();
    const child = start('exec sleep 300');
    const ended = endOf(child);
    const held = processes().hold(child.pid);
    expect(held?.pid).toBe(child.pid);
    expect(held?.signal('SIGKILL')).toEqual({ kind: 'sent' });
    expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(held?.signal('SIGKILL')).toEqual({ kind: 'gone' });
    held?.release();
    expect(openDescriptors()).toBe(before);
  });

  it('is nobody where there is none', () => {
    expect(processes().hold(4_194_305)).toBeUndefined();
  });

  it('is known by its parent and its start', () => {
    const child = start('exec sleep 300');
    const facts = processes().facts(child.pid);
    expect(facts?.parentPid).toBe(process.pid);
    expect(facts?.startTicks).toBeGreaterThan(processes().facts(process.pid)?.startTicks ?? 0n);
    expect(processes().facts(4_194_305)).toBeUndefined();
    expect(processes().ownPid).toBe(process.pid);
  });
});

describe('datagrams', () => {
  it('reach a socket by its path and by its abstract name', () => {
    for (const address of [join(folder, 'socket'), `@nodeqos-test-${process.pid}`]) {
      const receiver = new DatagramReceiver(address);
      expect(native.sendDatagram(address, 'READY=1\nSTATUS=ä')).toEqual({ ok: true, value: undefined });
      expect(native.sendDatagram(address, 'WATCHDOG=1')).toEqual({ ok: true, value: undefined });
      expect(receiver.received()).toEqual(['READY=1\nSTATUS=ä', 'WATCHDOG=1']);
      receiver.close();
    }
  });

  it('do not wait for a socket that is full, and leave nothing open', () => {
    const address = join(folder, 'full');
    const receiver = new DatagramReceiver(address);
    const before = openDescriptors();
    let sent = native.sendDatagram(address, 'x');
    for (let count = 0; count < 10_000 && sent.ok; count += 1) sent = native.sendDatagram(address, 'x');
    expect(sent).toEqual({ ok: false, code: 'EAGAIN' });
    expect(openDescriptors()).toBe(before);
    receiver.close();
  });

  it.each([
    ['nobody listens', (): string => join(folder, 'nobody'), 'ENOENT'],
    ['nobody has the abstract name', (): string => `@nodeqos-nobody-${process.pid}`, 'ECONNREFUSED'],
    ['the address is no Unix socket', (): string => 'vsock:2:1', 'EAFNOSUPPORT'],
    ['the path is too long', (): string => `/${'x'.repeat(107)}`, 'EAFNOSUPPORT'],
  ])('are refused by name when %s', (_, address, code) => {
    expect(native.sendDatagram(address(), 'x')).toEqual({ ok: false, code });
  });

  it.each([
    ['/a', [1, 0, 47, 97, 0]],
    ['@a', [1, 0, 0, 97]],
    ['', undefined],
    ['@', undefined],
    ['a', undefined],
    ['/a\0b', undefined],
    [`/${'x'.repeat(106)}`, 110],
    [`@${'x'.repeat(107)}`, 110],
    [`@${'x'.repeat(108)}`, undefined],
  ])('go to %j as the system has it', (address, expected) => {
    const bytes = unixSocketAddress(address);
    if (typeof expected === 'number') expect(bytes?.length).toBe(expected);
    else expect(bytes === undefined ? undefined : [...bytes]).toEqual(expected);
  });
});

describe('triggers on pressure', () => {
  it('call when they fire, and never again after they were disarmed', async () => {
    const before = openDescriptors();
    let trigger: ArmedTrigger | undefined;
    const fired = await new Promise<number>((resolve, reject) => {
      let calls = 0;
      const armed = native.armPressureTrigger(PRESSURE, EASY_TRIGGER, () => {
        calls += 1;
        resolve(calls);
      });
      if (!armed.ok) {
        reject(new Error(armed.code));
        return;
      }
      trigger = armed.value;
      for (let count = 0; count < 6; count += 1) start('while :; do :; done');
      setTimeout(reject, LONGEST_EVENT_MS, new Error('it did not fire'));
    });
    expect(fired).toBe(1);
    trigger?.disarm();
    trigger?.disarm();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(openDescriptors()).toBe(before);
  });

  it.each([
    ['a stall of nothing', PRESSURE, 'some 0 2000000', 'EINVAL'],
    ['a stall longer than its window', PRESSURE, 'some 2000001 2000000', 'EINVAL'],
    ['no window', PRESSURE, 'some 150000', 'EINVAL'],
    ['a file that is not there', '/proc/pressure/nobody', EASY_TRIGGER, 'ENOENT'],
  ])('are refused by name for %s, and leave nothing open', (_, path, trigger, code) => {
    const before = openDescriptors();
    expect(native.armPressureTrigger(path, trigger, () => undefined)).toEqual({ ok: false, code });
    expect(openDescriptors()).toBe(before);
  });

  it('are refused for a plain file, which is left as it is', () => {
    const plain = join(folder, 'memory');
    writeFileSync(plain, 'some avg10=0.00\n');
    const before = openDescriptors();
    expect(native.armPressureTrigger(plain, EASY_TRIGGER, () => undefined)).toEqual({
      ok: false,
      code: 'EOPNOTSUPP',
    });
    expect(readFileSync(plain, 'utf8')).toBe('some avg10=0.00\n');
    expect(openDescriptors()).toBe(before);
  });

  const usable = usableMount();
  it.skipIf('lack' in usable)('end by themselves with the cgroup that they are on', async () => {
    const top = `nodeqos-psi-${process.pid}`;
    const cgroups = new RealCgroups('mount' in usable ? usable.mount : '', top);
    cgroups.make(top);
    const before = openDescriptors();
    let calls = 0;
    const armed = native.armPressureTrigger(join(cgroups.path(top), 'memory.pressure'), EASY_TRIGGER, () => {
      calls += 1;
    });
    expect(armed.ok).toBe(true);
    await cgroups.remove();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(openDescriptors()).toBe(before);
    expect(calls).toBe(0);
  });
});
