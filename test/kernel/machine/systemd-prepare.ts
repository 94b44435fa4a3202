import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtImage, builtPackage } from '../../package/built.ts';
import { kustomized } from '../../package/kubectl.ts';
import { IMAGE_CASES } from '../systemd/image-cases.ts';
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
    const others = [...packages(), ...(wantsImage(wantedCases) ? imageAndManifests(folder) : [])];
    await appImage(guest, app, others);
    return { kernel, root, app, folder };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { lack: `a machine with systemd could not be prepared: ${why.replaceAll('\n', '; ')}` };
  }
}

/** Whether a case is among them that takes the image, which is large. */
function wantsImage(wantedCases: string): boolean {
  return IMAGE_CASES.some(({ name }) => new RegExp(wantedCases).test(name));
}

/** The image of the sources, and what its overlays come to; they lie in /app there. */
function imageAndManifests(folder: string): readonly string[] {
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests);
  for (const overlay of ['enforce', 'reset']) {
    const objects = kustomized(`systemd/kustomize/overlays/${overlay}`);
    writeFileSync(join(manifests, `${overlay}.json`), JSON.stringify(objects));
  }
  return [builtImage(), manifests];
}

/** Packages of the sources as they are, and one that passes for an older one; they lie in /app there. */
function packages(): readonly string[] {
  return [{ version: '0.0.9' }, {}].map((wanted) => builtPackage({ ...wanted, compression: 'none' }));
}
