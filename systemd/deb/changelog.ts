/** The newest entry of a Debian changelog (deb-changelog(5)). */
export interface ChangelogEntry {
  readonly version: string;
  /** Seconds since 1970: the time that every file of the package gets. */
  readonly epochSeconds: number;
  readonly maintainer: string;
}

/** Reads the newest entry. Throws where the first or the last line of it is not as deb-changelog(5) says. */
export function newestEntry(changelog: string): ChangelogEntry {
  const [, version] = /^nodeqos \(([^)]+)\) \S+; urgency=\S+$/m.exec(changelog) ?? [];
  const [, maintainer, date] = /^ -- (.+ <[^>]+>) {2}(.+)$/m.exec(changelog) ?? [];
  const epochMs = Date.parse(date ?? '');
  if (version === undefined || maintainer === undefined || Number.isNaN(epochMs)) {
    throw new Error('systemd/deb/changelog: the newest entry is not as deb-changelog(5) says');
  }
  return { version, epochSeconds: epochMs / 1000, maintainer };
}
