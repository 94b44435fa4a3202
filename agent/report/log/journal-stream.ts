import { fstatSync } from 'node:fs';

/** Whether a descriptor is the journal's own socket (systemd.exec: JOURNAL_STREAM holds its device and inode). */
export function isJournalStream(
  env: Readonly<Record<string, string | undefined>>,
  descriptor: number,
): boolean {
  const stream = env['JOURNAL_STREAM'];
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    // A descriptor that was closed before the process began is nobody's.
    return false;
  }
}
