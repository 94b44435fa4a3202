import { parseJson } from '../../../config/text/document.ts';
import {
  asInteger,
  asRecord,
  asString,
  type PlainRecord,
  valueAt,
} from '../../../config/text/plain-value.ts';
import type { ContainerDetail, SandboxDetail } from './facts.ts';
import type { ContainerStatusResponse, LinuxResources, PodSandboxStatusResponse } from './messages.ts';

/** NamespaceMode: NODE. */
const HOST_NETWORK = 2;

/**
 * What the status of a sandbox says. The cgroup of a pod is in no field of it: it is in what containerd and CRI-O say when they
 * are asked for more, as a path of the OCI runtime's specification, and in containerd's own record of what it was told.
 */
export function sandboxDetailOf({ status, info }: PodSandboxStatusResponse): SandboxDetail {
  const more = moreOf(info);
  const path = asString(valueAt(below(more, 'runtimeSpec', 'linux'), 'cgroupsPath'));
  const told = asString(valueAt(below(more, 'config', 'linux'), 'cgroup_parent'));
  const parent = path === undefined ? told : parentOf(path);
  return {
    isOnHostNetwork: status?.linux?.namespaces?.options?.network === HOST_NETWORK,
    ...(parent === undefined || parent === '' ? {} : { cgroupParent: parent }),
  };
}

/** `slice:prefix:id` for a runtime that goes through systemd, else a path (runc: cgroupsPath). */
function parentOf(cgroupsPath: string): string {
  const [slice = '', ...rest] = cgroupsPath.split(':');
  return rest.length > 0 ? slice : cgroupsPath.slice(0, Math.max(0, cgroupsPath.lastIndexOf('/')));
}

/** The limits of a container: in its status since containerd 1.7, before that in its specification only. */
export function containerDetailOf({ status, info }: ContainerStatusResponse): ContainerDetail {
  const stated = status?.resources?.linux ?? undefined;
  return stated === undefined ? detailOfSpec(moreOf(info)) : detailOfStatus(stated);
}

function detailOfStatus(linux: LinuxResources): ContainerDetail {
  return detail(BigInt(linux.memory_limit_in_bytes), BigInt(linux.cpu_quota), BigInt(linux.cpu_period));
}

function detailOfSpec(more: PlainRecord | undefined): ContainerDetail {
  const resources = below(more, 'runtimeSpec', 'linux', 'resources');
  const number = (record: PlainRecord | undefined, key: string): bigint =>
    asInteger(valueAt(record, key) ?? null) ?? 0n;
  const cpu = below(resources, 'cpu');
  return detail(number(below(resources, 'memory'), 'limit'), number(cpu, 'quota'), number(cpu, 'period'));
}

/** More than any machine has: the kernel's word for no limit. */
const NO_LIMIT_BYTES = 1n << 62n;

function detail(limitBytes: bigint, quota: bigint, period: bigint): ContainerDetail {
  return {
    ...(limitBytes > 0n && limitBytes < NO_LIMIT_BYTES ? { memoryLimitBytes: limitBytes } : {}),
    ...(quota > 0n && period > 0n ? { cpuLimitMilli: (quota * 1000n + period - 1n) / period } : {}),
  };
}

/** What a verbose answer has besides its fields: JSON under the one key that containerd and CRI-O use. */
function moreOf(info: Readonly<Record<string, string>>): PlainRecord | undefined {
  const text = info['info'];
  return text === undefined ? undefined : asRecord(parseJson(text));
}

function below(record: PlainRecord | undefined, ...keys: readonly string[]): PlainRecord | undefined {
  return keys.reduce<PlainRecord | undefined>((above, key) => asRecord(valueAt(above, key)), record);
}
