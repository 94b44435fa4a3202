import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { fileEntry, folderEntry, type LayerEntry, linkEntry, tarOf } from '../../systemd/image/layer.ts';
import { type Image, ociArchive } from '../../systemd/image/oci.ts';

const EPOCH = Date.UTC(2026, 10, 30, 9) / 1000;

/** What tar says of each entry, with its text. */
async function listed(tar: Uint8Array): Promise<readonly (readonly unknown[])[]> {
  const found: unknown[][] = [];
  const reader = extract();
  Readable.from([Buffer.from(tar)]).pipe(reader);
  for await (const entry of reader) {
    const { name, type, mode, uid, gid, mtime, linkname } = entry.header;
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    found.push([name, type, mode.toString(8), uid, gid, mtime.getTime() / 1000, linkname, text]);
  }
  return found;
}

const ENTRIES: readonly LayerEntry[] = [
  fileEntry('usr/bin/tool', 'run me', 0o755),
  linkEntry('bin', 'usr/bin'),
  folderEntry('tmp', 0o1777),
  fileEntry('etc/note', 'read me'),
];

describe('a layer', () => {
  it('has every folder, in order of the paths, all of root and of one time', async () => {
    expect(await listed(await tarOf(ENTRIES, EPOCH))).toEqual([
      ['bin', 'symlink', '777', 0, 0, EPOCH, 'usr/bin', ''],
      ['etc/', 'directory', '755', 0, 0, EPOCH, null, ''],
      ['etc/note', 'file', '644', 0, 0, EPOCH, null, 'read me'],
      ['tmp/', 'directory', '1777', 0, 0, EPOCH, null, ''],
      ['usr/', 'directory', '755', 0, 0, EPOCH, null, ''],
      ['usr/bin/', 'directory', '755', 0, 0, EPOCH, null, ''],
      ['usr/bin/tool', 'file', '755', 0, 0, EPOCH, null, 'run me'],
    ]);
  });

  it('is the same, byte for byte, in whatever order its entries come', async () => {
    const reversed = await tarOf(ENTRIES.toReversed(), EPOCH);
    expect(Buffer.compare(await tarOf(ENTRIES, EPOCH), reversed)).toBe(0);
  });

  it.each([
    ['', ' is no path of an image'],
    ['/etc/note', '/etc/note is no path of an image'],
    ['etc//note', 'etc//note is no path of an image'],
    ['../note', '../note is no path of an image'],
    ['etc/./note', 'etc/./note is no path of an image'],
  ])('refuses the path %j', async (path, sentence) => {
    await expect(tarOf([fileEntry(path, '')], EPOCH)).rejects.toThrow(sentence);
  });

  it('refuses a path that is there twice', async () => {
    const twice = [fileEntry('etc/note', 'one'), fileEntry('etc/note', 'two')];
    await expect(tarOf(twice, EPOCH)).rejects.toThrow('etc/note is in the image twice');
  });
});

const IMAGE: Image = {
  name: 'localhost/tool:1.2.3',
  architecture: 'arm64',
  epochSeconds: EPOCH,
  entrypoint: ['/usr/bin/tool'],
  command: ['run'],
  environment: ['PATH=/usr/bin'],
  labels: { 'org.opencontainers.image.title': 'tool' },
  layers: [
    { what: 'below', entries: [fileEntry('etc/note', 'read me')] },
    { what: 'above', entries: ENTRIES.filter(({ path }) => path !== 'etc/note') },
  ],
};

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const sum = (text: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('an image as an archive', () => {
  async function parts(compression: 'gzip' | 'none') {
    const files = new Map<string, string>();
    const blobs = new Map<string, Buffer>();
    const reader = extract();
    Readable.from([Buffer.from(await ociArchive(IMAGE, compression))]).pipe(reader);
    for await (const entry of reader) {
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      const content = Buffer.concat(chunks);
      const [, digest] = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(entry.header.name) ?? [];
      if (digest !== undefined) blobs.set(`sha256:${digest}`, content);
      else files.set(entry.header.name, content.toString('utf8'));
    }
    const blob = (digest: string): Buffer => blobs.get(digest) ?? Buffer.from('missing');
    const index = JSON.parse(files.get('index.json') ?? '') as { manifests: [Descriptor] };
    const manifest = JSON.parse(blob(index.manifests[0].digest).toString()) as {
      config: Descriptor;
      layers: readonly Descriptor[];
    };
    const config = JSON.parse(blob(manifest.config.digest).toString()) as {
      rootfs: { diff_ids: readonly string[] };
    };
    return { files, blobs, blob, index, manifest, config };
  }

  it('has an index, a manifest and a configuration as the specification says', async () => {
    const { files, index, manifest, config } = await parts('gzip');
    expect(files.get('oci-layout')).toBe('{"imageLayoutVersion":"1.0.0"}');
    const [descriptor] = index.manifests;
    expect(index).toEqual({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          digest: descriptor.digest,
          size: descriptor.size,
          platform: { architecture: 'arm64', os: 'linux' },
          annotations: {
            'io.containerd.image.name': 'localhost/tool:1.2.3',
            'org.opencontainers.image.ref.name': '1.2.3',
          },
        },
      ],
    });
    expect(manifest).toMatchObject({
      schemaVersion: 2,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json' },
      annotations: { 'org.opencontainers.image.title': 'tool' },
    });
    expect(config).toEqual({
      created: '2026-11-30T09:00:00Z',
      architecture: 'arm64',
      os: 'linux',
      config: {
        Env: ['PATH=/usr/bin'],
        Entrypoint: ['/usr/bin/tool'],
        Cmd: ['run'],
        WorkingDir: '/',
        Labels: { 'org.opencontainers.image.title': 'tool' },
      },
      rootfs: { type: 'layers', diff_ids: config.rootfs.diff_ids },
      history: [
        { created: '2026-11-30T09:00:00Z', created_by: 'below' },
        { created: '2026-11-30T09:00:00Z', created_by: 'above' },
      ],
    });
  });

  it.each([
    ['gzip', 'application/vnd.oci.image.layer.v1.tar+gzip'],
    ['none', 'application/vnd.oci.image.layer.v1.tar'],
  ] as const)(
    'names every blob by its sum and its size, and layers also unpacked (%s)',
    async (compression, type) => {
      const { blobs, blob, manifest, config, index } = await parts(compression);
      expect(blobs.size).toBe(4);
      for (const { digest, size } of [...index.manifests, manifest.config, ...manifest.layers])
        expect([sum(blob(digest)), blob(digest).length]).toEqual([digest, size]);
      expect(manifest.layers.map(({ mediaType }) => mediaType)).toEqual([type, type]);
      const unpacked = manifest.layers.map(({ digest }) =>
        compression === 'gzip' ? gunzipSync(blob(digest)) : blob(digest),
      );
      expect(unpacked.map(sum)).toEqual(config.rootfs.diff_ids);
      const names = await Promise.all(unpacked.map(async (tar) => (await listed(tar)).map(([name]) => name)));
      expect(names).toEqual([
        ['etc/', 'etc/note'],
        ['bin', 'tmp/', 'usr/', 'usr/bin/', 'usr/bin/tool'],
      ]);
    },
  );

  it('is the same, byte for byte, made again', async () => {
    expect(Buffer.compare(await ociArchive(IMAGE, 'gzip'), await ociArchive(IMAGE, 'gzip'))).toBe(0);
  });
});
