import type { UnitFailure, UnitLook, UnitManager } from '../../../cgroup/units/unit-port.ts';
import { PROPERTIES_OF_INTEREST, type UnitProperty } from '../../../cgroup/units/unit-properties.ts';
import type { BusCall, BusReply, SystemBus } from './system-bus.ts';

const SYSTEMD = 'org.freedesktop.systemd1';
const MANAGER_PATH = '/org/freedesktop/systemd1';
const MANAGER = `${SYSTEMD}.Manager`;
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** Errors by which a bus, or systemd on it, says that there is nobody to ask. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'org.freedesktop.DBus.Error.ServiceUnknown',
  'org.freedesktop.DBus.Error.NameHasNoOwner',
  'org.freedesktop.DBus.Error.NoReply',
  'org.freedesktop.DBus.Error.Disconnected',
]);
const DENIED: ReadonlySet<string> = new Set([
  'org.freedesktop.DBus.Error.AccessDenied',
  'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
]);

/** systemd over a message bus (org.freedesktop.systemd1). */
export function unitManager(bus: SystemBus): UnitManager {
  return {
    lack: async () => {
      const answer = await systemdVersion(bus);
      return answer.kind === 'failed' ? answer : undefined;
    },
    look: (unit) => look(bus, unit),
    set: async (unit, properties) => {
      const reply = await bus.call(setProperties(unit, properties));
      return reply.kind === 'reply' ? { kind: 'set' } : failureOf(reply, unit);
    },
    close: () => {
      bus.close();
    },
  };
}

/** The version of systemd as it says it, such as `252.39-1~deb12u1`; asks nothing else of it. */
export async function systemdVersion(
  bus: SystemBus,
): Promise<{ readonly kind: 'version'; readonly version: string } | UnitFailure> {
  const reply = await bus.call(get(MANAGER_PATH, MANAGER, 'Version'));
  if (reply.kind !== 'reply') return failureOf(reply, 'systemd');
  const [variant] = reply.body;
  const value =
    typeof variant === 'object' && variant !== null && 'value' in variant ? variant.value : undefined;
  return { kind: 'version', version: typeof value === 'string' ? value : 'of unknown version' };
}

async function look(
  bus: SystemBus,
  unit: string,
): Promise<({ readonly kind: 'unit' } & UnitLook) | UnitFailure> {
  const found = await bus.call(toManager('GetUnit', 's', [unit]));
  if (found.kind !== 'reply') return failureOf(found, unit);
  const [path] = found.body;
  const reply = await bus.call(getAll(typeof path === 'string' ? path : MANAGER_PATH, interfaceOf(unit)));
  if (reply.kind !== 'reply') return failureOf(reply, unit);
  const properties = valuesOf(reply.body[0]);
  const cgroup = properties.get('ControlGroup');
  const kept = PROPERTIES_OF_INTEREST.flatMap((name) => {
    const value = properties.get(name);
    return typeof value === 'bigint' || typeof value === 'string' ? [[name, value] as const] : [];
  });
  return {
    kind: 'unit',
    cgroup: typeof cgroup === 'string' ? cgroup.replace(/^\//, '') : '',
    kept: new Map(kept),
  };
}

/** The interface of a unit's kind, which has the properties of its cgroup: `kubepods.slice` has `...systemd1.Slice`. */
function interfaceOf(unit: string): string {
  const kind = unit.slice(unit.lastIndexOf('.') + 1);
  return `${SYSTEMD}.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

/** The values in a dictionary of variants. */
function valuesOf(dictionary: unknown): ReadonlyMap<string, unknown> {
  if (typeof dictionary !== 'object' || dictionary === null) return new Map();
  return new Map(
    Object.entries(dictionary).map(([name, variant]: [string, unknown]) => [
      name,
      typeof variant === 'object' && variant !== null && 'value' in variant ? variant.value : undefined,
    ]),
  );
}

function toManager(member: string, signature: string, body: unknown[]): BusCall {
  return {
    destination: SYSTEMD,
    path: MANAGER_PATH,
    interface: MANAGER,
    member,
    signature,
    body: () => body,
  };
}

/** Without the word that allows it, nobody is asked for a password on the way. */
function setProperties(unit: string, properties: readonly UnitProperty[]): BusCall {
  return {
    ...toManager('SetUnitProperties', 'sba(sv)', []),
    body: (variant) => [unit, true, properties.map(({ name, value }) => [name, variant('t', value)])],
  };
}

function get(path: string, of: string, name: string): BusCall {
  const call = { destination: SYSTEMD, path, interface: PROPERTIES, member: 'Get', signature: 'ss' };
  return { ...call, body: () => [of, name] };
}

function getAll(path: string, of: string): BusCall {
  const call = { destination: SYSTEMD, path, interface: PROPERTIES, member: 'GetAll', signature: 's' };
  return { ...call, body: () => [of] };
}

function failureOf(reply: Exclude<BusReply, { kind: 'reply' }>, subject: string): UnitFailure {
  if (reply.kind === 'away') {
    return { kind: 'failed', why: 'away', error: `systemd does not answer on the system bus (${reply.why})` };
  }
  const { name, text } = reply;
  if (name === `${SYSTEMD}.NoSuchUnit`) {
    return { kind: 'failed', why: 'no-unit', error: `systemd has no unit ${subject}` };
  }
  if (NOBODY_THERE.has(name)) {
    return { kind: 'failed', why: 'away', error: `systemd is not on the system bus (${text})` };
  }
  return DENIED.has(name)
    ? {
        kind: 'failed',
        why: 'denied',
        error: `systemd does not let this user set properties of units (${text}); install the polkit rule of nodeqos, or run it as root`,
      }
    : { kind: 'failed', why: 'refused', error: `systemd refused to set properties of ${subject}: ${text}` };
}
