import { stringify } from 'lossless-json';
import type { Warning } from '../../../cgroup/warning.ts';
import { API_VERSION } from '../../../config/api-version.ts';
import type { Parsed } from '../../../config/result.ts';
import { parsed, refused } from '../../../config/result.ts';
import type { PlainRecord, PlainValue } from '../../../config/text/plain-value.ts';
import { asInteger, asList, asRecord, asString, valueAt } from '../../../config/text/plain-value.ts';
import type { FilesystemFigures, NodeFilesystems } from '../../model/node.ts';
import type { HostFacts } from '../host.ts';
import { present } from '../present.ts';
import type { CapturedFailure, CapturedInput, CapturedInputs, CaptureManifest } from './manifest.ts';

const KIND = 'NodeCapture';

/** The manifest as JSON, with its keys in a fixed order. */
export function formatManifest(manifest: CaptureManifest): string {
  const { inputs, filesystems } = manifest;
  const document = {
    apiVersion: API_VERSION,
    kind: KIND,
    root: manifest.root,
    cgroupRoot: manifest.cgroupRoot,
    cgroupMountPoint: manifest.cgroupMountPoint,
    pageSizeBytes: manifest.pageSizeBytes,
    inputs: {
      kubeletConfig: inputs.kubeletConfig,
      kubeletDropIns: inputs.kubeletDropIns,
      nodeqosConfig: inputs.nodeqosConfig,
      nodeqosDropIns: inputs.nodeqosDropIns,
      pods: inputs.pods,
      podWarnings: inputs.podWarnings,
      node: inputs.node,
      statsSummary: inputs.statsSummary,
      nodeName: inputs.nodeName,
      memoryCapacityBytes: inputs.memoryCapacityBytes,
      cgroupDriver: inputs.cgroupDriver,
    },
    filesystems: filesystems === undefined ? undefined : Object.fromEntries(filesystems),
    host: manifest.host,
    failures: manifest.failures,
  };
  return `${stringify(document, undefined, 2) ?? ''}\n`;
}

/** Reads a manifest. Refused with the end of a sentence: another version, a path that leads out, a field of another type. */
export function readManifest(value: PlainValue): Parsed<CaptureManifest> {
  const document = asRecord(value);
  if (valueAt(document, 'apiVersion') !== API_VERSION || valueAt(document, 'kind') !== KIND) {
    return refused(`is not a ${KIND} of ${API_VERSION}; it was written by another version`);
  }
  const place = readPlace(document);
  if (place === undefined) {
    return refused('does not name the root that was captured');
  }
  const pageSize = asInteger(valueAt(document, 'pageSizeBytes')) ?? 0n;
  if (pageSize < 1024n || pageSize > 2n ** 30n || (pageSize & (pageSize - 1n)) !== 0n) {
    return refused('has a pageSizeBytes that is not a power of two of at least 1024');
  }
  const failures = listOf(valueAt(document, 'failures'), readFailure);
  const inputs = readInputs(asRecord(valueAt(document, 'inputs')));
  const filesystems = readFilesystems(valueAt(document, 'filesystems'));
  if (inputs === undefined || failures === undefined || filesystems === undefined) {
    return refused('has inputs, filesystems or failures that cannot be read');
  }
  return parsed({
    ...place,
    pageSizeBytes: Number(pageSize),
    inputs,
    ...(filesystems === 'none' ? {} : { filesystems }),
    ...present('host', readHost(asRecord(valueAt(document, 'host')))),
    failures,
  });
}

function readPlace(
  document: PlainRecord | undefined,
): Pick<CaptureManifest, 'root' | 'cgroupRoot' | 'cgroupMountPoint'> | undefined {
  const root = asString(valueAt(document, 'root'));
  const cgroupRoot = asString(valueAt(document, 'cgroupRoot'));
  const cgroupMountPoint = asString(valueAt(document, 'cgroupMountPoint'));
  return root === undefined || cgroupRoot === undefined || cgroupMountPoint === undefined
    ? undefined
    : { root, cgroupRoot, cgroupMountPoint };
}

function readInputs(record: PlainRecord | undefined): CapturedInputs | undefined {
  const kubeletDropIns = listOf(valueAt(record, 'kubeletDropIns'), readInput);
  const nodeqosDropIns = listOf(valueAt(record, 'nodeqosDropIns'), readInput);
  const podWarnings = listOf(valueAt(record, 'podWarnings'), readWarning);
  if (kubeletDropIns === undefined || nodeqosDropIns === undefined || podWarnings === undefined) {
    return undefined;
  }
  const single = (key: string): CapturedInput | undefined => readInput(valueAt(record, key) ?? null);
  return {
    ...present('kubeletConfig', single('kubeletConfig')),
    kubeletDropIns,
    ...present('nodeqosConfig', single('nodeqosConfig')),
    nodeqosDropIns,
    ...present('pods', single('pods')),
    podWarnings,
    ...present('node', single('node')),
    ...present('statsSummary', single('statsSummary')),
    ...present('nodeName', asString(valueAt(record, 'nodeName'))),
    ...present('memoryCapacityBytes', asInteger(valueAt(record, 'memoryCapacityBytes'))),
    ...present('cgroupDriver', readDriver(valueAt(record, 'cgroupDriver'))),
  };
}

function readDriver(value: PlainValue | undefined): 'systemd' | 'cgroupfs' | undefined {
  return value === 'systemd' || value === 'cgroupfs' ? value : undefined;
}

function readInput(value: PlainValue): CapturedInput | undefined {
  const record = asRecord(value);
  const path = asString(valueAt(record, 'path'));
  const name = asString(valueAt(record, 'name'));
  return path === undefined || name === undefined || !isInside(path) ? undefined : { path, name };
}

function readWarning(value: PlainValue): Warning | undefined {
  const record = asRecord(value);
  const code = asString(valueAt(record, 'code'));
  const message = asString(valueAt(record, 'message'));
  const cgroup = asString(valueAt(record, 'cgroup')) ?? null;
  const pod = asString(valueAt(record, 'pod')) ?? null;
  return code === undefined || message === undefined ? undefined : { code, message, cgroup, pod };
}

function readFailure(value: PlainValue): CapturedFailure | undefined {
  const record = asRecord(value);
  const path = asString(valueAt(record, 'path'));
  const code = asString(valueAt(record, 'code'));
  return path === undefined || code === undefined || !isInside(path) ? undefined : { path, code };
}

function readHost(record: PlainRecord | undefined): HostFacts | undefined {
  if (record === undefined) {
    return undefined;
  }
  const text = (key: string): string | undefined => asString(valueAt(record, key));
  const cpuCount = asInteger(valueAt(record, 'cpuCount'));
  return {
    ...present('operatingSystem', text('operatingSystem')),
    ...present('kernel', text('kernel')),
    ...present('architecture', text('architecture')),
    ...present('virtualisation', text('virtualisation')),
    ...present('cpuCount', cpuCount === undefined ? undefined : Number(cpuCount)),
    ...present('memoryTotalBytes', asInteger(valueAt(record, 'memoryTotalBytes'))),
  };
}

function readFilesystems(value: PlainValue | undefined): NodeFilesystems | 'none' | undefined {
  if (value === undefined) {
    return 'none';
  }
  const filesystems = new Map<string, FilesystemFigures>();
  for (const [name, entry] of Object.entries(asRecord(value) ?? {})) {
    const figures = readFigures(asRecord(entry));
    if (figures === undefined) {
      return undefined;
    }
    filesystems.set(name, figures);
  }
  return filesystems;
}

function readFigures(record: PlainRecord | undefined): FilesystemFigures | undefined {
  const number = (key: string): bigint | undefined => asInteger(valueAt(record, key));
  const capacityBytes = number('capacityBytes');
  const availableBytes = number('availableBytes');
  const inodes = number('inodes');
  const inodesFree = number('inodesFree');
  return capacityBytes === undefined ||
    availableBytes === undefined ||
    inodes === undefined ||
    inodesFree === undefined
    ? undefined
    : { capacityBytes, availableBytes, inodes, inodesFree };
}

/** Every item read, or undefined where the list is none or one item cannot be read. */
function listOf<T>(
  value: PlainValue | undefined,
  read: (item: PlainValue) => T | undefined,
): readonly T[] | undefined {
  const items: T[] = [];
  for (const item of asList(value) ?? [null]) {
    const one = read(item);
    if (one === undefined) {
      return undefined;
    }
    items.push(one);
  }
  return items;
}

/** A manifest comes from somewhere else: its paths must stay in the captured root. */
function isInside(path: string): boolean {
  return !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');
}
