import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { fileEntry, type LayerEntry, tarOf } from './layer.ts';

/** How layers are compressed: gzip for what is handed out, none for what is tried out. */
export const LAYER_COMPRESSIONS = ['gzip', 'none'] as const;
export type LayerCompression = (typeof LAYER_COMPRESSIONS)[number];

/** An image as the OCI Image Format Specification v1.1 has it, as far as it is used here. */
export interface Image {
  /** The name that it has where it is imported, such as `localhost/nodeqos:0.1.0`. */
  readonly name: string;
  readonly architecture: string;
  readonly epochSeconds: number;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** What is done in the history of the image, and its files; the lowest layer first. */
  readonly layers: readonly { readonly what: string; readonly entries: readonly LayerEntry[] }[];
}

interface Blob {
  readonly descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number };
  readonly content: Uint8Array;
}

const LAYER_TYPE = {
  gzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  none: 'application/vnd.oci.image.layer.v1.tar',
} as const satisfies Record<LayerCompression, string>;

/**
 * The image as an archive of an image layout (`oci-layout`, `index.json`, `blobs/`), which containerd, podman and skopeo
 * read. The same image gives the same bytes.
 */
export async function ociArchive(image: Image, compression: LayerCompression): Promise<Uint8Array> {
  const created = new Date(image.epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
  const layers: Blob[] = [];
  const unpackedDigests: string[] = [];
  for (const { entries } of image.layers) {
    const tar = await tarOf(entries, image.epochSeconds);
    unpackedDigests.push(digestOf(tar));
    layers.push(blobOf(LAYER_TYPE[compression], compression === 'gzip' ? gzipSync(tar) : tar));
  }
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    created,
    architecture: image.architecture,
    os: 'linux',
    config: {
      Env: image.environment,
      Entrypoint: image.entrypoint,
      Cmd: image.command,
      WorkingDir: '/',
      Labels: image.labels,
    },
    rootfs: { type: 'layers', diff_ids: unpackedDigests },
    history: image.layers.map(({ what }) => ({ created, created_by: what })),
  });
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: image.labels,
  });
  const files = [
    fileEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', JSON.stringify(indexOf(image, manifest))),
    ...[config, manifest, ...layers].map(({ descriptor, content }) =>
      fileEntry(`blobs/sha256/${descriptor.digest.slice('sha256:'.length)}`, content),
    ),
  ];
  return await tarOf(files, image.epochSeconds);
}

function indexOf({ name, architecture }: Image, manifest: Blob): object {
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...manifest.descriptor,
        platform: { architecture, os: 'linux' },
        annotations: {
          // containerd goes by the first, which no specification has; the other is the tag alone.
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      },
    ],
  };
}

function jsonBlob(mediaType: string, value: object): Blob {
  return blobOf(mediaType, Buffer.from(JSON.stringify(value)));
}

function blobOf(mediaType: string, content: Uint8Array): Blob {
  return { descriptor: { mediaType, digest: digestOf(content), size: content.length }, content };
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
