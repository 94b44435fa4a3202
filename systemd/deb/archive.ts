import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../cgroup/disk/make-folders.ts';
import type { Architecture } from './architecture.ts';
import type { ChangelogEntry } from './changelog.ts';
import { controlText, maintainerScripts, md5Line } from './control.ts';
import type { PackagedFile } from './packaged-file.ts';

/** How data and control are compressed: xz for what is handed out, the others for what is tried out. */
export const COMPRESSIONS = ['xz', 'gzip', 'none'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
const LEVEL = { xz: '6', gzip: '1', none: '0' } as const satisfies Record<Compression, string>;

export interface ArchiveRequest {
  readonly architecture: Architecture;
  readonly entry: ChangelogEntry;
  readonly files: readonly PackagedFile[];
  readonly compression: Compression;
  readonly out: string;
}

/**
 * Writes the package. Owner, modes, times and order are those of the request alone: the same files give the same bytes
 * whoever builds them, where, when, and with whatever umask.
 */
export function writeArchive(request: ArchiveRequest): void {
  const stage = mkdtempSync(join(tmpdir(), 'nodeqos-package-'));
  try {
    for (const file of request.files) place(stage, file);
    writeControl(stage, request);
    settle(stage, request.entry.epochSeconds);
    makeFolders(dirname(request.out));
    const unfinished = `${request.out}.${process.pid}`;
    const compression = [`-Z${request.compression}`, `-z${LEVEL[request.compression]}`, '--threads-max=1'];
    execFileSync(
      'dpkg-deb',
      ['--root-owner-group', '--deb-format=2.0', ...compression, '--build', stage, unfinished],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, LC_ALL: 'C', SOURCE_DATE_EPOCH: `${request.entry.epochSeconds}` },
      },
    );
    execFileSync('mv', [unfinished, request.out]);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function place(stage: string, { path, mode, content }: PackagedFile): void {
  const target = join(stage, path);
  makeFolders(dirname(target));
  if (typeof content === 'object' && 'copyOf' in content) cpSync(content.copyOf, target);
  else writeFileSync(target, content);
  chmodSync(target, mode);
}

function writeControl(stage: string, { architecture, entry, files }: ArchiveRequest): void {
  const control = join(stage, 'DEBIAN');
  mkdirSync(control);
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const configuration = sorted.filter(({ path }) => path.startsWith('etc/'));
  const bytes = sorted.reduce((sum, { path }) => sum + statSync(join(stage, path)).size, 0);
  const texts = new Map([
    [
      'control',
      controlText({
        version: entry.version,
        architecture,
        maintainer: entry.maintainer,
        installedKib: Math.ceil(bytes / 1024),
      }),
    ],
    ['conffiles', configuration.map(({ path }) => `/${path}\n`).join('')],
    [
      'md5sums',
      sorted
        .filter((file) => !configuration.includes(file))
        .map(({ path }) => md5Line(path, readFileSync(join(stage, path))))
        .join(''),
    ],
  ]);
  for (const [name, text] of texts) writeFileSync(join(control, name), text);
  for (const name of texts.keys()) chmodSync(join(control, name), 0o644);
  for (const [name, text] of maintainerScripts()) {
    writeFileSync(join(control, name), text);
    chmodSync(join(control, name), 0o755);
  }
}

/** Folders are open to everybody whatever the umask was, and everything has the time of the newest entry. */
function settle(folder: string, epochSeconds: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path, epochSeconds);
    else lutimesSync(path, epochSeconds, epochSeconds);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, epochSeconds, epochSeconds);
}
