import { renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BuildRequest, runBuild } from '../build-command.ts';
import type { Architecture } from '../deb/architecture.ts';
import { versionOfSources } from '../deb/version.ts';
import { nodeqosImage } from './nodeqos-image.ts';
import { LAYER_COMPRESSIONS, type LayerCompression, ociArchive } from './oci.ts';

const HELP = `npm run image -- [options]

Builds dist/nodeqos-VERSION-ARCH.oci.tar, the image localhost/nodeqos:VERSION. It takes apt-get with a mirror of Debian.

  --arch amd64|arm64|all  what it is for [default: amd64]
  --compression gzip|none none is quick to build and to import [default: gzip]
  --version V             a Debian version without epoch and revision, instead of the one in package.json
  --out FOLDER            where the image goes [default: dist]
`;

/** `npm run image`: see runBuild. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runBuild(
    { name: 'image', help: HELP, compressions: LAYER_COMPRESSIONS, build: buildImage },
    argv,
  );
}

async function buildImage(
  architecture: Architecture,
  request: BuildRequest<LayerCompression>,
): Promise<string> {
  const version = request.version ?? versionOfSources();
  const archive = await ociArchive(nodeqosImage(architecture, version), request.compression);
  const out = resolve(request.out, `nodeqos-${version}-${architecture}.oci.tar`);
  const unfinished = `${out}.${process.pid}`;
  writeFileSync(unfinished, archive);
  renameSync(unfinished, out);
  return out;
}
