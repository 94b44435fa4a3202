import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

export const MOUNT = '/sys/fs/cgroup';
export const MIB = 1024 * 1024;

/** Where the tests themselves and what they start besides pods run, as on a node. */
const SYSTEM = `${MOUNT}/system.slice`;

/** Turns the controllers on that a node has, and leaves the root cgroup. */
export function enterSystemSlice(): void {
  writeFileSync(`${MOUNT}/cgroup.subtree_control`, '+memory +pids');
  mkdirSync(SYSTEM);
  writeFileSync(`${SYSTEM}/cgroup.procs`, String(process.pid));
}

/** The contents of a file below the cgroup mount. */
export function readCgroup(cgroup: string, file: string): string {
  return readFileSync(`${MOUNT}/${cgroup}/${file}`, 'utf8').trim();
}

/** A file below the cgroup mount that holds one number. */
export function numberIn(cgroup: string, file: string): number {
  return Number(readCgroup(cgroup, file));
}

/** Writes a file below the cgroup mount. Throws with the kernel's code. */
export function writeCgroup(cgroup: string, file: string, text: string): void {
  writeFileSync(`${MOUNT}/${cgroup}/${file}`, text, { flag: 'r+' });
}

/** One counter of a file of lines such as `oom_kill 3`. */
export function counter(cgroup: string, file: string, key: string): number {
  const line = readCgroup(cgroup, file)
    .split('\n')
    .find((candidate) => candidate.startsWith(`${key} `));
  return Number(line?.split(' ')[1] ?? Number.NaN);
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** An emulated machine is slow: this is for ever, not an expectation. */
const LONGEST_WAIT_MS = 90_000;

/** Waits until something holds. Throws, with what was waited for, where it never does. */
export async function until(isMet: () => boolean, what: string, longestMs = LONGEST_WAIT_MS): Promise<void> {
  const endMs = performance.now() + longestMs;
  while (!isMet()) {
    if (performance.now() > endMs) throw new Error(`not seen: ${what}`);
    await sleep(50);
  }
}
