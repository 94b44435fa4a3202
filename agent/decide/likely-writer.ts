import type { CgroupDriver } from '../../config/kubelet/settings.ts';

/** Who is there that could write a limit besides nodeqos. */
export interface OtherWriters {
  /** A kubelet is alive and has not been told to leave Memory QoS alone. */
  readonly kubeletWrites: boolean;
  readonly driver: CgroupDriver;
}

/**
 * Who most likely changes a value of a cgroup again and again, in words: a kubelet with Memory QoS writes the same files;
 * under the systemd driver a unit's files are set again by `daemon-reload` and `set-property`; else it is the runtime, which
 * writes what it has of a container on every update of it, or another agent.
 */
export function likelyWriter(cgroup: string, { kubeletWrites, driver }: OtherWriters): string {
  if (kubeletWrites) return 'the kubelet (its MemoryQoS gate is not false)';
  const isUnit = /\.(?:slice|scope)$/.test(cgroup);
  return driver === 'systemd' && isUnit
    ? 'systemd (daemon-reload and set-property write what the unit says)'
    : 'the container runtime or another agent';
}
