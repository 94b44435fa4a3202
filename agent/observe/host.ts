/** Facts about a host that nothing is decided by; for a person who reads a status or an audit log. */
export interface HostFacts {
  readonly operatingSystem?: string;
  readonly kernel?: string;
  readonly architecture?: string;
  readonly virtualisation?: string;
  readonly cpuCount?: number;
  readonly memoryTotalBytes?: bigint;
}

/** Asks the real host, for at most `deadlineMs`; what does not answer in time is left out. Throws nothing. */
export async function observeHost(deadlineMs: number): Promise<HostFacts> {
  await Promise.resolve();
  throw new Error(`not there yet: ${deadlineMs}`);
}
