import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianSource } from '../../../systemd/image/mirror.ts';
import { runTool } from './run-tool.ts';

/** A kernel to boot: its image, and the name of the package that it is from. */
export interface Kernel {
  readonly image: string;
  readonly release: string;
}

/** A kernel that is wanted, and the suites of Debian that may have it, the best first. */
export interface WantedKernel {
  readonly name: string;
  readonly suites: readonly string[];
}

/**
 * Debian's kernels for clouds: what a disk on NVMe with ext4 needs is built in, so that they boot without an initrd and
 * without modules. The second one is of backports; where those have gone, that of a later Debian stands in for it.
 */
export const WANTED_KERNELS: readonly [WantedKernel, ...WantedKernel[]] = [
  { name: 'the kernel of bookworm', suites: ['bookworm'] },
  { name: 'the kernel of its backports', suites: ['bookworm-backports', 'trixie', 'forky'] },
];

const PACKAGE = 'linux-image-cloud-amd64';

/** Gives a kernel from the cache, or fetches and unpacks it there; it is never installed. Rejects where it cannot be had. */
export async function kernelOf({ suites }: WantedKernel, cache: string): Promise<Kernel> {
  const cached = suites.map((suite) => cachedKernel(join(cache, `kernel-${suite}`))).find(Boolean);
  if (cached !== undefined) return cached;
  const lacks: string[] = [];
  for (const suite of suites) {
    try {
      return await fetchKernel(suite, join(cache, `kernel-${suite}`));
    } catch (error) {
      lacks.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(lacks.join('\n'));
}

function cachedKernel(folder: string): Kernel | undefined {
  const name = existsSync(folder) ? readdirSync(folder).find(isKernel) : undefined;
  return name === undefined
    ? undefined
    : { image: join(folder, name), release: name.slice('vmlinuz-'.length) };
}

function isKernel(name: string): boolean {
  return name.startsWith('vmlinuz-');
}

/** Lists of packages, sources and downloads of apt in a folder of their own: the machine's are left as they are. */
async function fetchKernel(suite: string, into: string): Promise<Kernel> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-kernel-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'unpacked'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'sources.list'), `${debianSource(suite)}\n`);
    const settings = [
      `Dir::Etc::SourceList=${folder}/sources.list`,
      'Dir::Etc::SourceParts=-',
      `Dir::State::Lists=${folder}/lists`,
      `Dir::Cache=${folder}/cache`,
      'Acquire::Languages=none',
      'APT::Sandbox::User=root',
    ].flatMap((setting) => ['-o', setting]);
    await runTool('apt-get', [...settings, '-qq', '--error-on=any', 'update']);
    const depends = await runTool('apt-cache', [...settings, 'depends', PACKAGE]);
    const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1];
    if (name === undefined) throw new Error(`${suite} has no ${PACKAGE}`);
    await runTool('apt-get', [...settings, '-qq', 'download', name], { cwd: folder });
    return await unpack(folder, name, into);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function unpack(folder: string, name: string, into: string): Promise<Kernel> {
  const archive = readdirSync(folder).find((file) => file.startsWith(`${name}_`));
  if (archive === undefined) throw new Error(`apt-get downloaded no ${name}`);
  await runTool('dpkg-deb', ['--extract', join(folder, archive), join(folder, 'unpacked')]);
  const boot = join(folder, 'unpacked/boot');
  const image = readdirSync(boot).find(isKernel);
  if (image === undefined) throw new Error(`${archive} holds no kernel`);
  const half = `${into}.half-${process.pid}`;
  mkdirSync(half, { recursive: true });
  await runTool('cp', [join(boot, image), half]);
  // Somebody else may have fetched it meanwhile: theirs is as good.
  if (existsSync(into)) rmSync(half, { recursive: true });
  else renameSync(half, into);
  return { image: join(into, image), release: image.slice('vmlinuz-'.length) };
}
