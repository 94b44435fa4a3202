import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Native, NativeResult } from '../../../../agent/native/native.ts';
import { cgroupWake } from '../../../../agent/observe/wake/cgroup-events.ts';
import { filesWake } from '../../../../agent/observe/wake/files.ts';
import { hangupWake } from '../../../../agent/observe/wake/hangup.ts';
import { pressureWake } from '../../../../agent/observe/wake/psi.ts';
import type { WakeSource } from '../../../../agent/ports.ts';
import { cgroupLayout } from '../../../../cgroup/paths.ts';

const PRESSURE = '/proc/pressure/memory';
const LONGEST_MS = 10_000;
const QUIET_MS = 200;

let folder: string;
let end: AbortController;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-wake-'));
  end = new AbortController();
});

afterEach(() => {
  end.abort();
  rmSync(folder, { recursive: true, force: true });
});

/** Counts how often a source wakes. */
class Waker {
  wakes = 0;
  readonly lack: string | undefined;

  constructor(source: WakeSource, signal: AbortSignal = end.signal) {
    this.lack = source.start(() => {
      this.wakes += 1;
    }, signal);
  }

  /** Whether it wakes after `happen`; what was before does not count. */
  async wakesAfter(happen: () => void): Promise<boolean> {
    await pause(QUIET_MS);
    this.wakes = 0;
    happen();
    for (let waitedMs = 0; this.wakes === 0 && waitedMs < LONGEST_MS; waitedMs += 20) await pause(20);
    return this.wakes > 0;
  }

  async staysQuietAfter(happen: () => void): Promise<boolean> {
    await pause(QUIET_MS);
    this.wakes = 0;
    happen();
    await pause(QUIET_MS);
    return this.wakes === 0;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function make(path: string): void {
  mkdirSync(join(folder, path), { recursive: true });
}

function write(path: string): void {
  writeFileSync(join(folder, path), 'low 0\n');
}

describe('memory pressure', () => {
  /** Refuses triggers with these codes, one after the other; then takes them. */
  class FakeTriggers implements Native {
    readonly armed: string[] = [];
    fire: (() => void) | undefined;
    readonly #codes: string[];

    constructor(...codes: string[]) {
      this.#codes = codes;
    }

    pidfdOpen(): NativeResult<number> {
      return { ok: false, code: 'ENOSYS' };
    }

    pidfdSendSignal(): NativeResult<void> {
      return { ok: false, code: 'ENOSYS' };
    }

    sendDatagram(): NativeResult<void> {
      return { ok: false, code: 'ENOSYS' };
    }

    armPressureTrigger(
      path: string,
      trigger: string,
      fired: () => void,
    ): ReturnType<Native['armPressureTrigger']> {
      this.armed.push(`${path} ${trigger}`);
      const code = this.#codes.shift();
      if (code !== undefined) return { ok: false, code };
      this.fire = fired;
      return {
        ok: true,
        value: {
          disarm: () => {
            this.armed.push('disarmed');
          },
        },
      };
    }
  }

  it('wakes until the end', () => {
    const triggers = new FakeTriggers();
    const waker = new Waker(pressureWake(triggers, PRESSURE));
    triggers.fire?.();
    triggers.fire?.();
    expect([waker.lack, waker.wakes]).toEqual([undefined, 2]);
    end.abort();
    expect(triggers.armed).toEqual([`${PRESSURE} some 150000 1000000`, 'disarmed']);
  });

  it('is waited for in longer windows by one who may not have short ones', () => {
    const triggers = new FakeTriggers('EINVAL');
    expect(new Waker(pressureWake(triggers, PRESSURE)).lack).toBeUndefined();
    expect(triggers.armed).toEqual([`${PRESSURE} some 150000 1000000`, `${PRESSURE} some 150000 2000000`]);
  });

  it.each([
    ['the native part is not there', { lack: 'no koffi' }, 'no koffi'],
    [
      'the kernel has none',
      new FakeTriggers('ENOENT'),
      `memory pressure wakes nobody between two ticks: ${PRESSURE} is not there or off, so this kernel has no PSI (boot with psi=1)`,
    ],
    [
      'the kernel has it off',
      new FakeTriggers('EOPNOTSUPP'),
      `memory pressure wakes nobody between two ticks: ${PRESSURE} is not there or off, so this kernel has no PSI (boot with psi=1)`,
    ],
    [
      'the file may not be written',
      new FakeTriggers('EACCES'),
      `memory pressure wakes nobody between two ticks: ${PRESSURE} may not be written to (EACCES)`,
    ],
    [
      'no window is taken',
      new FakeTriggers('EINVAL', 'EINVAL'),
      `memory pressure wakes nobody between two ticks: the kernel refused a trigger on ${PRESSURE} (EINVAL)`,
    ],
  ])('wakes nobody where %s, which is said', (_, native, expected) => {
    expect(new Waker(pressureWake(native, PRESSURE)).lack).toBe(expected);
  });
});

describe.each([
  ['cgroupfs', '/', 'kubepods', 'kubepods/burstable'],
  ['systemd', '/', 'kubepods.slice', 'kubepods.slice/kubepods-burstable.slice'],
  ['cgroupfs', '/node', 'node/kubepods', 'node/kubepods/burstable'],
] as const)('the cgroup tree of %s under %s', (driver, cgroupRoot, kubepods, burstable) => {
  const source = (): WakeSource => cgroupWake(folder, cgroupLayout(driver, cgroupRoot));

  it('wakes when a pod comes or goes in any tier, and when memory events are counted', async () => {
    make(burstable);
    write(`${kubepods}/memory.events`);
    const waker = new Waker(source());
    expect(waker.lack).toBeUndefined();
    expect(
      await waker.wakesAfter(() => {
        make(`${burstable}/podb`);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        rmSync(join(folder, burstable, 'podb'), { recursive: true });
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        make(`${kubepods}/podg`);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        write(`${kubepods}/memory.events`);
      }),
    ).toBe(true);
  });

  it('does not wake for limits that are written, nor for what lies elsewhere or deeper', async () => {
    make(`${burstable}/podb`);
    write(`${kubepods}/memory.min`);
    write(`${kubepods}/memory.pressure`);
    const waker = new Waker(source());
    expect(
      await waker.staysQuietAfter(() => {
        write(`${kubepods}/memory.min`);
        write(`${kubepods}/memory.pressure`);
        make('system.slice');
        make(`${burstable}/podb/container`);
      }),
    ).toBe(true);
  });

  it('wakes for tiers that are made only later, or made anew', async () => {
    const waker = new Waker(source());
    expect(waker.lack).toBeUndefined();
    expect(
      await waker.wakesAfter(() => {
        make(kubepods);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        make(burstable);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        make(`${burstable}/pod1`);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        renameSync(join(folder, kubepods), join(folder, 'away'));
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        make(burstable);
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        make(`${burstable}/pod2`);
      }),
    ).toBe(true);
  });

  it('wakes nobody after the end, and leaves nothing open', async () => {
    make(burstable);
    await pause(QUIET_MS);
    const before = readdirSync('/proc/self/fd').length;
    const waker = new Waker(source());
    end.abort();
    expect(
      await waker.staysQuietAfter(() => {
        make(`${burstable}/pod1`);
      }),
    ).toBe(true);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1);
    expect(new Waker(source()).lack).toBeUndefined();
  });
});

describe('files', () => {
  it('wake after a change, also those that are made only later', async () => {
    const failures: string[] = [];
    const path = join(folder, 'nodeqos.yaml');
    const source = filesWake('configuration', [path], (sentence) => failures.push(sentence));
    const waker = new Waker(source);
    expect([source.name, waker.lack]).toEqual(['configuration', undefined]);
    await pause(QUIET_MS);
    expect(
      await waker.wakesAfter(() => {
        writeFileSync(path, 'a: 1\n');
      }),
    ).toBe(true);
    expect(
      await waker.wakesAfter(() => {
        writeFileSync(path, 'a: 2\n');
      }),
    ).toBe(true);
    expect(failures).toEqual([]);
  });

  it('are not watched where there are none', () => {
    const failures: string[] = [];
    expect(new Waker(filesWake('manifests', [], (sentence) => failures.push(sentence))).lack).toBeUndefined();
    expect(failures).toEqual([]);
  });
});

describe('SIGHUP', () => {
  it('wakes until the end', async () => {
    const waker = new Waker(hangupWake);
    expect(hangupWake.name).toBe('SIGHUP');
    expect(await waker.wakesAfter(() => process.emit('SIGHUP'))).toBe(true);
    const listeners = process.listenerCount('SIGHUP');
    end.abort();
    expect(process.listenerCount('SIGHUP')).toBe(listeners - 1);
  });
});
