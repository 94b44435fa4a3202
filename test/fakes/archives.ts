import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** One entry of a test's archive. */
export type ArchiveEntry = Partial<Header> & { readonly name: string; readonly text?: string };

/** A tar of these entries, in their order. */
export async function tarOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { text, ...header } of entries) {
    if (header.type === undefined || header.type === 'file') {
      archive.entry(header, text ?? '');
    } else {
      archive.entry(header);
    }
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** The same, packed. */
export async function archiveOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  return gzipSync(await tarOf(entries));
}
