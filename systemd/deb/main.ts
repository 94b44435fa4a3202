import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolders } from '../../cgroup/disk/make-folders.ts';
import { errorCode, failureSentence } from '../../cgroup/disk/system-error.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { COMPRESSIONS, type Compression, writeArchive } from './archive.ts';
import { builtBundle } from './bundle.ts';
import { bundledLibraries, libraryAt } from './bundled-libraries.ts';
import { newestEntry } from './changelog.ts';
import { completionFiles, documentationFiles, manFiles, programFiles, sourceFiles } from './files.ts';
import { nodeRuntime, runtimeFiles } from './runtime.ts';
import { wrongVersion } from './version.ts';

const HELP = `npm run package -- [options]

Builds dist/nodeqos_VERSION_ARCH.deb.

  --arch amd64|arm64|all     what it is for [default: amd64]
  --compression xz|gzip|none gzip and none are quick to build and to unpack [default: xz]
  --version V                a Debian version without epoch and revision, instead of the one in package.json
  --out FOLDER               where the package goes [default: dist]
`;

interface Request {
  readonly architectures: readonly Architecture[];
  readonly compression: Compression;
  readonly version: string | undefined;
  readonly out: string;
}

/**
 * Builds what the command line asks for, prints a line a package, and gives the exit status: 64 for a wrong one, 74 for a
 * folder that cannot be made.
 */
export function main(argv: readonly string[]): number {
  const request = requestOf(argv);
  if (typeof request === 'string') {
    process.stderr.write(`${request}; see npm run package -- --help\n`);
    return 64;
  }
  if (request === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  const noFolder = outFolderFailure(request.out);
  if (noFolder !== undefined) {
    process.stderr.write(`${noFolder}; give --out another folder\n`);
    return 74;
  }
  for (const architecture of request.architectures) {
    const startedAt = Date.now();
    const path = buildPackage(architecture, request);
    const megabytes = (statSync(path).size / 1e6).toFixed(1);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`${path}: ${megabytes} MB, built in ${seconds} s\n`);
  }
  return 0;
}

/** Makes the folder of the packages before they are built, which takes long. Gives a sentence where it cannot be made. */
function outFolderFailure(out: string): string | undefined {
  try {
    makeFolders(resolve(out));
    return undefined;
  } catch (error) {
    return failureSentence(`--out ${out}`, errorCode(error));
  }
}

/** What is asked for; undefined for the help, and a sentence for what is wrong. */
function requestOf(argv: readonly string[]): Request | string | undefined {
  const values = valuesOf(argv);
  if (typeof values === 'string') return values;
  if (values.help) return undefined;
  const architectures = ARCHITECTURES.filter((name) => values.arch === 'all' || values.arch === name);
  const compression = COMPRESSIONS.find((name) => name === values.compression);
  if (architectures.length === 0) return `--arch ${values.arch}: give amd64, arm64 or all`;
  if (compression === undefined)
    return `--compression ${values.compression}: give one of ${COMPRESSIONS.join(', ')}`;
  const { version, out } = values;
  return (
    (version === undefined ? undefined : wrongVersion(version)) ?? {
      architectures,
      compression,
      version,
      out,
    }
  );
}

function valuesOf(argv: readonly string[]): ReturnType<typeof parsedArguments> | string {
  try {
    return parsedArguments(argv);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parsedArguments(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      arch: { type: 'string', default: 'amd64' },
      compression: { type: 'string', default: 'xz' },
      version: { type: 'string' },
      out: { type: 'string', default: 'dist' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

function buildPackage(architecture: Architecture, request: Request): string {
  const changelog = readFileSync('systemd/deb/changelog', 'utf8');
  const newest = newestEntry(changelog);
  const version = request.version ?? packageVersion();
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

function packageVersion(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}
