import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { type Kernel, kernelOf, WANTED_KERNELS } from './kernels.ts';
import { appImage, rootImage } from './root-image.ts';
import { findTool } from './run-tool.ts';

/** What is kept from run to run: kernels, and the disk that machines start from. */
export const CACHE = resolve('node_modules/.cache/nodeqos-kernel');

/** All that a machine needs, or a sentence that says what is lacking here. */
export type Prepared =
  | {
      readonly kernels: readonly Kernel[];
      readonly root: string;
      readonly app: string;
      /** Whoever is through with the machines removes it. */
      readonly folder: string;
    }
  | { readonly lack: string };

/** The tools that machines are built and run with, and Debian's packages of them. */
const TOOLS = [
  ['qemu-system-x86_64', 'qemu-system-x86'],
  ['busybox', 'busybox-static'],
  ['mke2fs', 'e2fsprogs'],
] as const;

/** Builds or finds everything that the machines need. Throws nothing. */
export async function prepare(wantedCases: string): Promise<Prepared> {
  const lack = lackOf(TOOLS);
  if (lack !== undefined) return { lack };
  mkdirSync(CACHE, { recursive: true });
  try {
    const kernels: Kernel[] = [];
    for (const wanted of WANTED_KERNELS) kernels.push(await kernelOf(wanted, CACHE));
    const root = await rootImage(CACHE);
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-app-'));
    const app = join(folder, 'app.img');
    const guest = join(folder, 'guest.mjs');
    await bundleGuest('test/kernel/guest/main.ts', guest, wantedCases);
    await appImage(guest, app);
    return { kernels, root, app, folder };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { lack: `a machine could not be prepared: ${why.replaceAll('\n', '; ')}` };
  }
}

/** Why a machine cannot be built here with these tools, each with its package of Debian; undefined where it can. */
export function lackOf(tools: readonly (readonly [tool: string, name: string])[]): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the machine runs this Node, which has to be one for Linux on x86_64';
  const missing = tools.filter(([tool]) => findTool(tool) === undefined).map(([, name]) => name);
  return missing.length === 0 ? undefined : `apt-get install ${missing.join(' ')} to run them`;
}

/** Puts the cases and all that they need of the sources in one file. */
export async function bundleGuest(entry: string, outfile: string, wantedCases: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    sourcemap: 'inline',
    // The native part lies beside the bundle, where it is looked for.
    external: ['koffi'],
    define: { WANTED_CASES: JSON.stringify(wantedCases), __dirname: 'guestDirname' },
    // CommonJS libraries inside an ES module still ask for require and __dirname.
    banner: {
      js: "import { createRequire as guestRequire } from 'node:module'; const require = guestRequire(import.meta.url), guestDirname = import.meta.dirname;",
    },
  });
}
