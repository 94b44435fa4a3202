import { deviceTaintEffect } from '../../decide/taints/device-taints.ts';
import type {
  AllocatedDevice,
  Device,
  DeviceTaint,
  DeviceTaintRule,
  ResourceClaim,
} from '../../model/device.ts';
import type { Toleration } from '../../model/pod.ts';
import { FieldFault, type Fields } from '../fields.ts';

/** The devices of one ResourceSlice, and which state of its pool it belongs to. */
export interface SliceDevices {
  readonly driver: string;
  readonly pool: string;
  readonly generation: bigint;
  readonly devices: readonly Device[];
}

/** Reads a resource.k8s.io ResourceSlice; up to v1beta1 what a device is stands below `basic`. Throws FieldFault. */
export function readResourceSlice(object: Fields): SliceDevices {
  const spec = object.map('spec');
  const driver = required(spec, 'driver');
  const pool = required(spec.map('pool'), 'name');
  const devices = spec.maps('devices').map((device): Device => {
    const nodeName = spec.text('nodeName') ?? device.text('nodeName');
    const body = device.has('basic') ? device.map('basic') : device;
    return {
      driver,
      pool,
      device: required(device, 'name'),
      taints: body.maps('taints').map(readDeviceTaint),
      ...(nodeName === undefined ? {} : { nodeName }),
    };
  });
  return { driver, pool, generation: spec.map('pool').integer('generation', 64) ?? 0n, devices };
}

/** A rule, and whether it selects by something that is not looked at. */
export interface RuleRead {
  readonly rule: DeviceTaintRule;
  readonly hasUnknownSelector: boolean;
}

const SELECTOR_PARTS = ['driver', 'pool', 'device'] as const;

/** Reads a resource.k8s.io DeviceTaintRule. Throws FieldFault. */
export function readDeviceTaintRule(object: Fields): RuleRead {
  const spec = object.map('spec');
  const selector = spec.map('deviceSelector');
  const parts = SELECTOR_PARTS.flatMap((part) => {
    const text = selector.text(part);
    return text === undefined ? [] : [[part, text] as const];
  });
  return {
    rule: {
      name: required(object.map('metadata'), 'name'),
      ...(spec.has('deviceSelector') ? { selector: Object.fromEntries(parts) } : {}),
      taint: readDeviceTaint(spec.map('taint')),
    },
    hasUnknownSelector: selector
      .keys()
      .some((key) => selector.has(key) && !SELECTOR_PARTS.some((part) => part === key)),
  };
}

/** Reads a resource.k8s.io ResourceClaim with its allocation and its consumers. Throws FieldFault. */
export function readResourceClaim(object: Fields): ResourceClaim {
  const metadata = object.map('metadata');
  const status = object.map('status');
  return {
    namespace: metadata.text('namespace') ?? 'default',
    name: required(metadata, 'name'),
    devices: status.map('allocation').map('devices').maps('results').map(readAllocated),
    reservedFor: status
      .maps('reservedFor')
      .filter((consumer) => consumer.text('resource') === 'pods')
      .map((consumer) => ({ name: required(consumer, 'name'), uid: consumer.text('uid') ?? '' })),
  };
}

function readAllocated(result: Fields): AllocatedDevice {
  return {
    driver: required(result, 'driver'),
    pool: required(result, 'pool'),
    device: required(result, 'device'),
    tolerations: result.maps('tolerations').map(readToleration),
  };
}

function readToleration(toleration: Fields): Toleration {
  const seconds = toleration.integer('tolerationSeconds', 64);
  return {
    key: toleration.text('key') ?? '',
    operator: toleration.text('operator') ?? 'Equal',
    value: toleration.text('value') ?? '',
    effect: toleration.text('effect') ?? '',
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
  };
}

function readDeviceTaint(taint: Fields): DeviceTaint {
  const effect = deviceTaintEffect(taint.text('effect') ?? '');
  if (!effect.ok) throw new FieldFault([...taint.path, 'effect'], effect.message);
  return {
    key: required(taint, 'key'),
    value: taint.text('value') ?? '',
    effect: effect.value,
    ...timeAdded(taint),
  };
}

function timeAdded(taint: Fields): Pick<DeviceTaint, 'timeAddedMs'> {
  const text = taint.text('timeAdded');
  if (text === undefined) return {};
  const timeAddedMs = Date.parse(text);
  if (!Number.isNaN(timeAddedMs)) return { timeAddedMs };
  throw new FieldFault(
    [...taint.path, 'timeAdded'],
    `${JSON.stringify(text)} is not a time such as 2026-03-01T10:00:00Z`,
  );
}

function required(fields: Fields, key: string): string {
  const text = fields.text(key);
  if (text === undefined) throw new FieldFault([...fields.path, key], `a ${key} is missing`);
  return text;
}
