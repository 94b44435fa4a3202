import { accessSync, constants } from 'node:fs';
import type { Architecture } from '../../systemd/deb/architecture.ts';
import { nodeRuntime } from '../../systemd/deb/runtime.ts';

/** Whether a command is on the path. */
function isHere(command: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(`${folder}/${command}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Whether tests that need these commands are skipped: where one is missing, with one line that says what to install. With
 * CI=true nothing is skipped, so they fail there.
 */
export function lacking(what: string, commands: Readonly<Record<string, string>>): boolean {
  const missing = Object.entries(commands).filter(([command]) => !isHere(command));
  if (missing.length === 0) return false;
  const names = [...new Set(missing.map(([, name]) => name))].join(' ');
  console.log(`skipped: ${what}; apt-get install ${names} to run them`);
  return process.env['CI'] !== 'true';
}

/** What every test of a package needs. */
const TO_BUILD = { 'dpkg-deb': 'dpkg', flock: 'util-linux', 'x86_64-linux-gnu-strip': 'binutils' } as const;

/** The same for tests that need a package; they are skipped too where its Node.js cannot be fetched. */
export function lackingPackage(
  what: string,
  commands: Readonly<Record<string, string>> = {},
  architecture: Architecture = 'amd64',
): boolean {
  if (lacking(what, { ...TO_BUILD, ...commands })) return true;
  if (process.env['CI'] === 'true') return false;
  try {
    nodeRuntime(architecture);
    return false;
  } catch {
    console.log(`skipped: ${what}; the Node.js of the package could not be fetched`);
    return true;
  }
}
