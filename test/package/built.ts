import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Architecture } from '../../systemd/deb/architecture.ts';
import type { Compression } from '../../systemd/deb/archive.ts';
import type { LayerCompression } from '../../systemd/image/oci.ts';

/** All that a package is made of, but what package-lock.json and runtime.json pin. */
export const SOURCES = [
  ...['agent', 'cgroup', 'config', 'systemd'],
  ...['build.js', 'build-tool.js', 'package.json', 'package-lock.json', 'tsconfig.json'],
];
const KEPT_MS = 2 * 3_600_000;
const FOLDER = 'dist/package/built';

export const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;

export interface WantedPackage {
  readonly architecture?: Architecture;
  readonly version?: string;
  readonly compression?: Compression;
}

/** The path of a package of the sources as they are now. It is built once; whoever else wants it meanwhile waits. */
export function builtPackage(wanted: WantedPackage = {}): string {
  const { architecture = 'amd64', version = VERSION, compression = 'gzip' } = wanted;
  const name = `nodeqos_${version}_${architecture}.deb`;
  return built({ builder: 'systemd/deb/main.ts', name, architecture, version, compression });
}

/** The same for an image; with no compression it is there in half the time. */
export function builtImage(
  architecture: Architecture = 'amd64',
  compression: LayerCompression = 'none',
): string {
  const name = `nodeqos-${VERSION}-${architecture}.oci.tar`;
  return built({ builder: 'systemd/image/main.ts', name, architecture, version: VERSION, compression });
}

interface Wanted {
  readonly builder: string;
  readonly name: string;
  readonly architecture: Architecture;
  readonly version: string;
  readonly compression: string;
}

function built({ builder, name, architecture, version, compression }: Wanted): string {
  const out = resolve(FOLDER, `${sourcesKey()}-${compression}`);
  const path = join(out, name);
  const options = ['--arch', architecture, '--version', version, '--compression', compression, '--out', out];
  mkdirSync(FOLDER, { recursive: true });
  const unlessThere = ['sh', '-c', 'test -e "$0" || exec "$@"', path];
  execFileSync(
    'flock',
    [`${FOLDER}/lock`, ...unlessThere, process.execPath, 'build-tool.js', builder, ...options],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  removeOlder();
  return path;
}

/** A package unpacked into a folder of its own, which whoever wanted it removes. */
export function unpackedPackage(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-unpacked-'));
  execFileSync('dpkg-deb', ['-x', path, folder]);
  return folder;
}

/** Packages are large: those that were built long ago go. */
function removeOlder(): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (name !== 'lock' && Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

function sourcesKey(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const files = source.includes('.')
      ? [source]
      : readdirSync(source, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort();
    for (const file of files) hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
