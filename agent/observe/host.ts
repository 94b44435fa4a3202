/** Facts about a host that nothing is decided by; for a person who reads a status or an audit log. */
export interface HostFacts {
  readonly operatingSystem?: string;
  readonly kernel?: string;
  readonly architecture?: string;
  /** The hypervisor's name, `none` on bare metal. */
  readonly virtualisation?: string;
  readonly cpuCount?: number;
  readonly memoryTotalBytes?: bigint;
}

/** Host facts are for people; nobody waits longer for them than a person likes to. */
const DEADLINE_MS = 2000;

/** The facts of a root: of this machine, of a captured one, and none of a folder that looks like one. Throws nothing. */
export async function hostFactsOf(root: {
  readonly kind: string;
  readonly capture?: { readonly host?: HostFacts };
}): Promise<HostFacts | undefined> {
  return root.kind === 'host' ? await observeHost(DEADLINE_MS) : root.capture?.host;
}

/**
 * Asks the real host, for at most `deadlineMs`; what does not answer in time or fails is left out. Each question runs
 * commands and takes some 0.1 s, so this belongs at a start, never into a loop. No host name, serial number or UUID is
 * in the answer: it may be handed around. Throws nothing.
 */
export async function observeHost(deadlineMs: number): Promise<HostFacts> {
  // In the bundle a CommonJS library that is imported late has no names of its own, only its default.
  const { default: information } = await import('systeminformation');
  const { cpu, mem, osInfo, system } = information;
  const timer = new AbortController();
  const late = new Promise<undefined>((resolve) => {
    const handle = setTimeout(() => {
      resolve(undefined);
    }, deadlineMs);
    timer.signal.addEventListener('abort', () => {
      clearTimeout(handle);
    });
  });
  const inTime = <T>(answer: Promise<T>): Promise<T | undefined> =>
    Promise.race([answer.catch(() => undefined), late]);
  const [os, machine, processor, memory] = await Promise.all([
    inTime(osInfo()),
    inTime(system()),
    inTime(cpu()),
    inTime(mem()),
  ]);
  timer.abort();
  return {
    ...(os === undefined
      ? {}
      : {
          operatingSystem: `${os.distro} ${os.release}`.trim(),
          kernel: os.kernel,
          architecture: os.arch,
        }),
    ...(machine === undefined
      ? {}
      : { virtualisation: machine.virtual ? machine.virtualHost || 'unknown' : 'none' }),
    ...(processor === undefined ? {} : { cpuCount: processor.cores }),
    ...(memory === undefined ? {} : { memoryTotalBytes: BigInt(memory.total) }),
  };
}
