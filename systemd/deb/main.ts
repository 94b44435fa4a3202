import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BuildRequest, runBuild } from '../build-command.ts';
import type { Architecture } from './architecture.ts';
import { COMPRESSIONS, type Compression, writeArchive } from './archive.ts';
import { builtBundle } from './bundle.ts';
import { bundledLibraries, libraryAt } from './bundled-libraries.ts';
import { newestEntry } from './changelog.ts';
import { completionFiles, documentationFiles, manFiles, programFiles, sourceFiles } from './files.ts';
import { nodeRuntime, runtimeFiles } from './runtime.ts';
import { versionOfSources } from './version.ts';

const HELP = `npm run package -- [options]

Builds dist/nodeqos_VERSION_ARCH.deb.

  --arch amd64|arm64|all     what it is for [default: amd64]
  --compression xz|gzip|none gzip and none are quick to build and to unpack [default: xz]
  --version V                a Debian version without epoch and revision, instead of the one in package.json
  --out FOLDER               where the package goes [default: dist]
`;

/** `npm run package`: see runBuild. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runBuild(
    { name: 'package', help: HELP, compressions: COMPRESSIONS, build: buildPackage },
    argv,
  );
}

function buildPackage(architecture: Architecture, request: BuildRequest<Compression>): string {
  const changelog = readFileSync('systemd/deb/changelog', 'utf8');
  const newest = newestEntry(changelog);
  const version = request.version ?? versionOfSources();
  if (request.version === undefined && newest.version !== version) {
    throw new Error(`systemd/deb/changelog ends with ${newest.version}, and package.json has ${version}`);
  }
  const node = nodeRuntime(architecture);
  const { files: bundle, meta } = builtBundle(version);
  const libraries = [...bundledLibraries(meta), libraryAt('node_modules/koffi')];
  const out = resolve(request.out, `nodeqos_${version}_${architecture}.deb`);
  writeArchive({
    architecture,
    entry: { ...newest, version },
    files: [
      ...sourceFiles(),
      ...programFiles(bundle),
      ...runtimeFiles(architecture, node),
      ...completionFiles(),
      ...manFiles({ version, date: new Date(newest.epochSeconds * 1000).toISOString().slice(0, 10) }),
      ...documentationFiles(changelog, node, libraries),
    ],
    compression: request.compression,
    out,
  });
  return out;
}
