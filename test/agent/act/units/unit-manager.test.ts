import { Message, Variant } from '@jellybrick/dbus-next';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemBus } from '../../../../agent/act/units/system-bus.ts';
import { systemdVersion, unitManager } from '../../../../agent/act/units/unit-manager.ts';
import { FakeSystemd, HAS_BUS, RunningBus } from '../../../fakes/message-bus.ts';

if (!HAS_BUS) console.log('skipped: systemd over a message bus; apt-get install dbus to try it');

const INFINITY = 18446744073709551615n;
const POD = 'kubepods-pod1.slice';
const TIMES = { answerMs: 20_000, tryAgainMs: 0 };

let bus: RunningBus;
let systemBus: SystemBus;

function systemd(): FakeSystemd {
  return new FakeSystemd()
    .with(POD, {
      ControlGroup: new Variant('s', '/kubepods.slice/kubepods-pod1.slice'),
      MemoryMin: new Variant('t', 4096n),
      MemoryHigh: new Variant('t', INFINITY),
      MemoryCurrent: new Variant('t', 1n),
      Slice: new Variant('s', 'kubepods.slice'),
    })
    .with('a.scope', {
      ControlGroup: new Variant('s', ''),
      OOMPolicy: new Variant('s', 'continue'),
    });
}

describe.skipIf(!HAS_BUS)('systemd over a message bus', () => {
  beforeEach(async () => {
    bus = new RunningBus();
    await bus.start();
    systemBus = new SystemBus(bus.socket, TIMES);
  });
  afterEach(async () => {
    systemBus.close();
    await bus.remove();
  });

  it('tells the cgroup of a unit, and what it keeps for its files', async () => {
    await systemd().on(bus);
    const manager = unitManager(systemBus);
    expect(await manager.lack()).toBeUndefined();
    expect(await manager.look(POD)).toEqual({
      kind: 'unit',
      cgroup: 'kubepods.slice/kubepods-pod1.slice',
      kept: new Map([
        ['MemoryMin', 4096n],
        ['MemoryHigh', INFINITY],
      ]),
    });
    expect(await manager.look('a.scope')).toEqual({
      kind: 'unit',
      cgroup: '',
      kept: new Map([['OOMPolicy', 'continue']]),
    });
  });

  it('sets properties until the next boot, exact to the byte', async () => {
    const asked = await systemd().on(bus);
    const properties = [
      { name: 'MemoryMin', value: 9007199254740993n },
      { name: 'MemoryHigh', value: INFINITY },
    ];
    expect(await unitManager(systemBus).set(POD, properties)).toEqual({ kind: 'set' });
    expect(asked.set).toEqual([
      [
        POD,
        true,
        [
          ['MemoryMin', new Variant('t', 9007199254740993n)],
          ['MemoryHigh', new Variant('t', INFINITY)],
        ],
      ],
    ]);
  });

  it('says its version, and why it does not where it is not there', async () => {
    expect(await systemdVersion(systemBus)).toMatchObject({ kind: 'failed', why: 'away' });
    await systemd().on(bus);
    expect(await systemdVersion(systemBus)).toEqual({ kind: 'version', version: '252' });
  });

  it('has no such unit', async () => {
    await systemd().on(bus);
    expect(await unitManager(systemBus).look('b.slice')).toEqual({
      kind: 'failed',
      why: 'no-unit',
      error: 'systemd has no unit b.slice',
    });
  });

  it.each([
    [
      'org.freedesktop.DBus.Error.AccessDenied',
      'denied',
      'systemd does not let this user set properties of units (the reason); install the polkit rule of nodeqos, or run it as root',
    ],
    [
      'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
      'denied',
      'systemd does not let this user set properties of units (the reason); install the polkit rule of nodeqos, or run it as root',
    ],
    [
      'org.freedesktop.DBus.Error.InvalidArgs',
      'refused',
      'systemd refused to set properties of kubepods-pod1.slice: the reason',
    ],
    ['org.freedesktop.DBus.Error.NoReply', 'away', 'systemd is not on the system bus (the reason)'],
  ])('says what %s means', async (refusal, why, error) => {
    const asked = await systemd().on(bus);
    asked.refusal = refusal;
    const set = await unitManager(systemBus).set(POD, [{ name: 'MemoryMin', value: 0n }]);
    expect(set).toEqual({ kind: 'failed', why, error });
  });

  it('is away where nobody has its name', async () => {
    const lack = await unitManager(systemBus).lack();
    expect(lack).toMatchObject({ kind: 'failed', why: 'away' });
    expect(lack?.error).toMatch(/^systemd is not on the system bus \(.*org\.freedesktop\.systemd1.*\)$/);
  });

  it('answers with anything, and nobody falls over it', async () => {
    await bus.peer('org.freedesktop.systemd1', (call) => Message.newMethodReturn(call, 's', ['nonsense']));
    const manager = unitManager(systemBus);
    expect(await manager.look(POD)).toEqual({
      kind: 'failed',
      why: 'away',
      error: 'systemd does not answer on the system bus (Invalid object path: nonsense)',
    });
    expect(await manager.set(POD, [])).toEqual({ kind: 'set' });
  });

  it('gives no properties, and nobody falls over it', async () => {
    await bus.peer('org.freedesktop.systemd1', (call) =>
      call.member === 'GetUnit'
        ? Message.newMethodReturn(call, 'o', ['/unit'])
        : Message.newMethodReturn(call, 's', ['nonsense']),
    );
    expect(await unitManager(systemBus).look(POD)).toEqual({ kind: 'unit', cgroup: '', kept: new Map() });
  });

  it('is away with its bus, at once, and there again with it', async () => {
    await systemd().on(bus);
    const manager = unitManager(systemBus);
    expect(await manager.lack()).toBeUndefined();
    await bus.stop();
    expect(await manager.look(POD)).toMatchObject({ kind: 'failed', why: 'away' });
    expect(await manager.look(POD)).toEqual({
      kind: 'failed',
      why: 'away',
      error: `systemd does not answer on the system bus (${bus.socket}: connect ENOENT ${bus.socket})`,
    });
    await bus.start();
    await systemd().on(bus);
    expect(await manager.look(POD)).toMatchObject({ kind: 'unit' });
  });

  it('is away where it takes too long to answer, and then not asked again for a while', async () => {
    await systemd().on(bus);
    systemBus.close();
    systemBus = new SystemBus(bus.socket, { answerMs: 500, tryAgainMs: 3_600_000 });
    const manager = unitManager(systemBus);
    expect(await manager.lack()).toBeUndefined();
    bus.freeze('SIGSTOP');
    const late: unknown = {
      kind: 'failed',
      why: 'away',
      error: 'systemd does not answer on the system bus (GetUnit had no answer for 0.5 s)',
    };
    expect(await manager.look(POD)).toEqual(late);
    bus.freeze('SIGCONT');
    expect(await manager.look(POD)).toEqual(late);
    manager.close();
    expect(await manager.look(POD)).toMatchObject({ kind: 'unit' });
  });
});

it('is away where there is no bus', async () => {
  const manager = unitManager(new SystemBus('/nowhere/socket', TIMES));
  expect(await manager.lack()).toEqual({
    kind: 'failed',
    why: 'away',
    error: 'systemd does not answer on the system bus (/nowhere/socket: connect ENOENT /nowhere/socket)',
  });
  manager.close();
});
