import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Architecture } from '../deb/architecture.ts';
import { fileEntry, type LayerEntry, linkEntry } from './layer.ts';
import { debianSource, securitySource } from './mirror.ts';

const SUITE = 'bookworm';

/** What Node.js and the native part are linked with, the files that say which Debian it is, and the authorities of the web. */
const PACKAGES = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'] as const;
const AUTHORITIES = 'usr/share/ca-certificates/mozilla/';

/** What a program that finds its libraries has no use for. Terms of licences stay. */
const LEFT_OUT = [
  /^usr\/share\/(?!common-licenses\/|doc\/[^/]+\/copyright$)/,
  /^usr\/lib\/[^/]+\/(?:gconv|audit)\//,
  /^usr\/s?bin\//,
  /^(?:boot|home|media|mnt|opt|root|srv|var)\//,
  /^etc\/(?!debian_version$|os-release$|ld\.so\.conf)/,
];

/** The least of Debian that runs a program of C++, and what it is made of. */
export interface DebianFiles {
  readonly entries: readonly LayerEntry[];
  /** Name and version of each package of Debian, by name. */
  readonly packages: ReadonlyMap<string, string>;
}

/**
 * Fetches packages of Debian for an architecture, whichever this machine is of, and takes of them what an image needs. No
 * script of theirs runs, so that neither root nor an emulator is needed. Throws where apt-get cannot fetch them.
 */
export function debianFiles(architecture: Architecture): DebianFiles {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-debian-'));
  try {
    fetchPackages(folder, architecture);
    const archives = readdirSync(join(folder, 'debs')).toSorted();
    const packages = archives.map((name) => unpack(join(folder, 'debs', name), join(folder, 'root')));
    const kept = entriesBelow(join(folder, 'root'));
    return {
      entries: [
        ...mergedFolders(kept),
        ...kept,
        fileEntry('etc/ssl/certs/ca-certificates.crt', authorities(join(folder, 'root', AUTHORITIES))),
        // As images without a package manager have it: by this, who looks for known faults tells what is in them.
        ...packages.map(({ name, control }) => fileEntry(`var/lib/dpkg/status.d/${name}`, control)),
      ],
      packages: new Map(packages.map(({ name, version }) => [name, version])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With lists, cache and state of apt of its own: what this machine has installed and fetched is left as it is. */
function fetchPackages(folder: string, architecture: Architecture): void {
  for (const name of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(join(folder, 'sources.list'), [debianSource(SUITE), ...securitySource(SUITE), ''].join('\n'));
  const settings = [
    `Dir::Etc::SourceList=${folder}/sources.list`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${folder}/lists`,
    `Dir::State::Status=${folder}/status`,
    `Dir::Cache=${folder}/cache`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    'Acquire::Languages=none',
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  const aptGet = (...args: readonly string[]): void => {
    const where = { cwd: join(folder, 'debs'), stdio: ['ignore', 'ignore', 'inherit'] } as const;
    execFileSync('apt-get', [...settings, '-qq', ...args], { ...where, stdio: [...where.stdio] });
  };
  aptGet('--error-on=any', 'update');
  aptGet('download', ...PACKAGES);
}

interface Unpacked {
  readonly name: string;
  readonly version: string;
  readonly control: string;
}

function unpack(archive: string, root: string): Unpacked {
  execFileSync('dpkg-deb', ['--extract', archive, root]);
  const control = execFileSync('dpkg-deb', ['--field', archive], { encoding: 'utf8' });
  const [, name = ''] = /^Package: (.+)$/m.exec(control) ?? [];
  const [, version = ''] = /^Version: (.+)$/m.exec(control) ?? [];
  return { name, version, control };
}

/** Debian has one set of folders, under /usr; its packages still name the old ones. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin'] as const;

function mergedFolders(entries: readonly LayerEntry[]): readonly LayerEntry[] {
  const names = MERGED.filter((name) => entries.some(({ path }) => path.startsWith(`usr/${name}/`)));
  return names.map((name) => linkEntry(name, `usr/${name}`));
}

function entriesBelow(root: string): readonly LayerEntry[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.flatMap((name) => {
    const [top = ''] = name.split('/', 1);
    const path = MERGED.some((one) => one === top) ? `usr/${name}` : name;
    if (LEFT_OUT.some((pattern) => pattern.test(path))) return [];
    const place = join(root, name);
    const found = lstatSync(place);
    if (found.isSymbolicLink()) return [linkEntry(path, readlinkSync(place))];
    if (!found.isFile()) return [];
    return [fileEntry(path, readFileSync(place), (found.mode & 0o111) === 0 ? 0o644 : 0o755)];
  });
}

/** All authorities that Debian trusts, in one file, as its package makes it when it is installed. */
function authorities(folder: string): string {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return names
    .toSorted()
    .map((name) => `${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`)
    .join('');
}
