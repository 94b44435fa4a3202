import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Descriptor {
  readonly digest: string;
}

/** An image archive on disk: its file system, and what it says of itself. */
export interface UnpackedImage {
  readonly root: string;
  readonly config: {
    readonly architecture: string;
    readonly config: Readonly<Record<'Entrypoint' | 'Cmd' | 'Env', readonly string[]>> & {
      readonly Labels: Readonly<Record<string, string>>;
    };
  };
  remove(): void;
}

/** Unpacks an archive as whoever runs it does, one layer over the other, each blob under its sum. */
export function unpackedImage(archive: string): UnpackedImage {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-image-'));
  const root = join(folder, 'root');
  const layout = join(folder, 'layout');
  execFileSync('mkdir', [root, layout]);
  execFileSync('tar', ['-xf', archive, '-C', layout]);
  const blob = (digest: string): string => join(layout, 'blobs', digest.replace(':', '/'));
  const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
  const { manifests } = read<{ manifests: readonly [Descriptor] }>(join(layout, 'index.json'));
  const manifest = read<{ config: Descriptor; layers: readonly Descriptor[] }>(blob(manifests[0].digest));
  for (const { digest } of manifest.layers) execFileSync('tar', ['-xf', blob(digest), '-C', root]);
  return {
    root,
    config: read(blob(manifest.config.digest)),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
