import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What is another text whenever a file, or anything right in a folder, was changed, replaced or removed. One look at each and
 * no reading: cheap enough for every tick. Throws nothing.
 */
export function signatureOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    const own = `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    return stat.isDirectory()
      ? [
          own,
          ...readdirSync(path)
            .sort()
            .map((name) => fileSignature(join(path, name))),
        ].join('\n')
      : own;
  } catch (error) {
    return `${path} ${codeOf(error)}`;
  }
}

function fileSignature(path: string): string {
  try {
    const stat = statSync(path, { bigint: true });
    return `${path} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch (error) {
    return `${path} ${codeOf(error)}`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
