import { type Warning, warning } from '../../../cgroup/warning.ts';
import { formatFinding, type TextFile } from '../../../config/finding.ts';
import { readDocuments, type StructuredDocument } from '../../../config/text/document.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { DeviceSnapshot, DeviceTaintRule, ResourceClaim } from '../../model/device.ts';
import { FieldFault, Fields } from '../fields.ts';
import { readInputFile } from '../input-file.ts';
import { findingOf } from '../pods/manifest-objects.ts';
import { type SnapshotObject, snapshotObjects } from '../snapshot/snapshot-objects.ts';
import {
  readDeviceTaintRule,
  readResourceClaim,
  readResourceSlice,
  type SliceDevices,
} from './device-objects.ts';

/** Devices and claims, and what a person should know about what they were made of. */
export interface DevicesRead {
  readonly snapshot: DeviceSnapshot;
  readonly warnings: readonly Warning[];
}

/** What the files hold, as it is gathered. */
interface Gathered {
  readonly slices: SliceDevices[];
  readonly rules: DeviceTaintRule[];
  readonly claims: ResourceClaim[];
  readonly warnings: Warning[];
}

/**
 * Reads the ResourceSlices, DeviceTaintRules and ResourceClaims of files; what else they hold is passed over. Throws
 * Failure: 66 and 77 for files that cannot be read, 65 for malformed objects.
 */
export function readDevices(paths: readonly string[]): DevicesRead {
  return readDeviceTexts(paths.map((path) => readInputFile(path)));
}

/** The same of texts that are read already. */
export function readDeviceTexts(inputs: readonly TextFile[]): DevicesRead {
  const gathered: Gathered = { slices: [], rules: [], claims: [], warnings: [] };
  for (const input of inputs) {
    const reading = readDocuments(input);
    if ('finding' in reading) throw new Failure(EXIT.badData, formatFinding(reading.finding));
    for (const document of reading.documents) gatherDocument(input.file, document, gathered);
  }
  const { slices, rules, claims, warnings } = gathered;
  const isNothing = slices.length + rules.length + claims.length === 0;
  return {
    snapshot: { devices: latest(slices).flatMap(({ devices }) => devices), rules, claims },
    warnings: [...warnings, ...(isNothing ? [nothingFound(inputs)] : [])],
  };
}

function gatherDocument(file: string, document: StructuredDocument, gathered: Gathered): void {
  try {
    for (const object of snapshotObjects(document.value)) gatherObject(object, gathered);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new Failure(EXIT.badData, formatFinding(findingOf(file, document, error)));
  }
}

function gatherObject({ kind, apiVersion, value, path }: SnapshotObject, gathered: Gathered): void {
  if (apiVersion !== undefined && !apiVersion.startsWith('resource.k8s.io/')) return;
  const fields = new Fields(value, path);
  switch (kind) {
    case 'ResourceSlice':
      gathered.slices.push(readResourceSlice(fields));
      break;
    case 'ResourceClaim':
      gathered.claims.push(readResourceClaim(fields));
      break;
    case 'DeviceTaintRule': {
      const { rule, hasUnknownSelector } = readDeviceTaintRule(fields);
      if (hasUnknownSelector) gathered.warnings.push(unknownSelector(rule));
      else gathered.rules.push(rule);
      break;
    }
    default:
  }
}

/** Of each pool the slices of its newest generation: older ones are of a state that is over. */
function latest(slices: readonly SliceDevices[]): readonly SliceDevices[] {
  const newest = new Map<string, bigint>();
  for (const slice of slices) {
    const before = newest.get(poolOf(slice));
    if (before === undefined || slice.generation > before) newest.set(poolOf(slice), slice.generation);
  }
  return slices.filter((slice) => slice.generation === newest.get(poolOf(slice)));
}

function poolOf({ driver, pool }: SliceDevices): string {
  return `${driver}\n${pool}`;
}

function unknownSelector({ name }: DeviceTaintRule): Warning {
  const message = `DeviceTaintRule ${name} selects by more than driver, pool and device, so it is left out`;
  return warning('device-rule-left-out', message);
}

function nothingFound(inputs: readonly TextFile[]): Warning {
  const files = inputs.map(({ file }) => file).join(', ');
  const message = `${files}: no ResourceSlice, ResourceClaim or DeviceTaintRule found; they are printed by: kubectl get resourceslices,resourceclaims,devicetaintrules -A -o yaml`;
  return warning('no-devices', message);
}
