/** Major and minor number of a kernel. */
export type KernelVersion = readonly [major: number, minor: number];

/** The version of a release such as `6.1.0-25-cloud-amd64`; undefined for a text that is none. */
export function kernelVersion(release: string | undefined): KernelVersion | undefined {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})(?:\D|$)/.exec(release ?? '') ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** Whether a kernel is of a version or newer. */
export function isAtLeast([major, minor]: KernelVersion, [wantedMajor, wantedMinor]: KernelVersion): boolean {
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
