import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolders } from '../cgroup/disk/make-folders.ts';
import { errorCode, failureSentence } from '../cgroup/disk/system-error.ts';
import { ARCHITECTURES, type Architecture } from './deb/architecture.ts';
import { wrongVersion } from './deb/version.ts';

/** A command that builds something to hand out, one file for each architecture. */
export interface BuildCommand<Compression extends string> {
  /** As `npm run` has it. */
  readonly name: string;
  readonly help: string;
  /** The first is the default. */
  readonly compressions: readonly [Compression, ...Compression[]];
  /** Builds one, and gives its path. */
  build(architecture: Architecture, request: BuildRequest<Compression>): Promise<string> | string;
}

export interface BuildRequest<Compression extends string> {
  readonly architectures: readonly Architecture[];
  readonly compression: Compression;
  /** Instead of that of the sources. */
  readonly version: string | undefined;
  readonly out: string;
}

/**
 * Builds what the command line asks for, prints a line for each file, and gives the exit status: 64 for a wrong one, 74 for a
 * folder that cannot be made.
 */
export async function runBuild<Compression extends string>(
  command: BuildCommand<Compression>,
  argv: readonly string[],
): Promise<number> {
  const request = requestOf(command, argv);
  if (typeof request === 'string') {
    process.stderr.write(`${request}; see npm run ${command.name} -- --help\n`);
    return 64;
  }
  if (request === undefined) {
    process.stdout.write(command.help);
    return 0;
  }
  const noFolder = outFolderFailure(request.out);
  if (noFolder !== undefined) {
    process.stderr.write(`${noFolder}; give --out another folder\n`);
    return 74;
  }
  for (const architecture of request.architectures) {
    const startedAt = Date.now();
    const path = await command.build(architecture, request);
    const megabytes = (statSync(path).size / 1e6).toFixed(1);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`${path}: ${megabytes} MB, built in ${seconds} s\n`);
  }
  return 0;
}

/** Makes the folder of what is built before that is done, which takes long. Gives a sentence where it cannot be made. */
function outFolderFailure(out: string): string | undefined {
  try {
    makeFolders(resolve(out));
    return undefined;
  } catch (error) {
    return failureSentence(`--out ${out}`, errorCode(error));
  }
}

/** What is asked for; undefined for the help, and a sentence for what is wrong. */
function requestOf<Compression extends string>(
  { compressions }: BuildCommand<Compression>,
  argv: readonly string[],
): BuildRequest<Compression> | string | undefined {
  const values = valuesOf(argv, compressions[0]);
  if (typeof values === 'string') return values;
  if (values.help) return undefined;
  const architectures = ARCHITECTURES.filter((name) => values.arch === 'all' || values.arch === name);
  const compression = compressions.find((name) => name === values.compression);
  if (architectures.length === 0) return `--arch ${values.arch}: give amd64, arm64 or all`;
  if (compression === undefined)
    return `--compression ${values.compression}: give one of ${compressions.join(', ')}`;
  const { version, out } = values;
  const fault = version === undefined ? undefined : wrongVersion(version);
  return fault ?? { architectures, compression, version, out };
}

function valuesOf(argv: readonly string[], compression: string): ReturnType<typeof parsedArguments> | string {
  try {
    return parsedArguments(argv, compression);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parsedArguments(argv: readonly string[], compression: string) {
  return parseArgs({
    args: [...argv],
    options: {
      arch: { type: 'string', default: 'amd64' },
      compression: { type: 'string', default: compression },
      version: { type: 'string' },
      out: { type: 'string', default: 'dist' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}
