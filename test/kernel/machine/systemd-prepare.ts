import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtPackage } from '../../package/built.ts';
import { type Kernel, kernelOf, WANTED_KERNELS } from './kernels.ts';
import { bundleGuest, CACHE, lackOf } from './prepare.ts';
import { appImage } from './root-image.ts';
import { systemdRootImage } from './systemd-root.ts';

/** All that the machine with systemd needs, or a sentence that says what is lacking here. */
export type PreparedSystemd =
  | {
      readonly kernel: Kernel;
      readonly root: string;
      readonly app: string;
      /** Whoever is through with the machine removes it. */
      readonly folder: string;
    }
  | { readonly lack: string };

/** The tools that the machine is built and run with, and Debian's packages of them. */
const TOOLS = [
  ['qemu-system-x86_64', 'qemu-system-x86'],
  ['mke2fs', 'e2fsprogs'],
  ['mmdebstrap', 'mmdebstrap'],
] as const;

/** Builds or finds everything that the machine needs. Throws nothing. */
export async function prepareSystemd(wantedCases: string): Promise<PreparedSystemd> {
  const lack = lackOf(TOOLS);
  if (lack !== undefined) return { lack };
  mkdirSync(CACHE, { recursive: true });
  try {
    const [wanted] = WANTED_KERNELS;
    const kernel = await kernelOf(wanted, CACHE);
    const root = await systemdRootImage(CACHE);
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-app-'));
    const app = join(folder, 'app.img');
    const guest = join(folder, 'guest.mjs');
    await bundleGuest('test/kernel/systemd/main.ts', guest, wantedCases);
    await appImage(guest, app, packages());
    return { kernel, root, app, folder };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { lack: `a machine with systemd could not be prepared: ${why.replaceAll('\n', '; ')}` };
  }
}

/** Packages of the sources as they are, and one that passes for an older one; they lie in /app there. */
function packages(): readonly string[] {
  return [{ version: '0.0.9' }, {}].map((wanted) => builtPackage({ ...wanted, compression: 'none' }));
}
